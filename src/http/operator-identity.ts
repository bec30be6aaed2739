// Identifies the operator of a call: the owner of an operator token or of a session. The operator API admits by it, and view tokens check
// it again.

import { timingSafeEqual } from 'node:crypto';
import type { Role } from '../domain/access/permissions.js';
import { ROOT } from '../domain/entities/operator.js';
import { actorOf } from '../domain/entities/user.js';
import type { SnapshotSource } from '../store/snapshot/source.js';
import type { LiveSession } from '../store/user/session.js';

export type OperatorLookup = Pick<SnapshotSource, 'current' | 'refreshIfStale'>;

/** Who is calling. */
export interface Identity {
  /** As the audit log names them. */
  readonly actor: string;
  readonly role: Role;
  /** Of the operator token or the session that they came with. */
  readonly tokenHash: string;
}

/** Of a session on the operator's side, where all roles are operators' roles. */
export function identityOf({ user, token_hash }: LiveSession): Identity {
  return { actor: actorOf(user), role: user.role as Role, tokenHash: token_hash };
}

/** Whose token has this hash, where its owner is still an operator. For a guesser nothing is read from the database. */
export async function identify(
  roots: readonly string[],
  snapshot: OperatorLookup,
  hash: string,
  isGuesser = false,
): Promise<Identity | undefined> {
  // Digests have one length, so the comparison tells nothing, not even how long the token is.
  const isRoot = roots.some((root) => timingSafeEqual(Buffer.from(hash), Buffer.from(root)));
  if (isRoot) return { actor: ROOT, role: 'admin', tokenHash: hash };
  const find = () => snapshot.current().operatorByTokenHash(hash);
  let operator = find();
  if (operator === undefined && !isGuesser) {
    // One made on another node a moment ago may not be known here yet.
    await snapshot.refreshIfStale();
    operator = find();
  }
  if (operator?.status !== 'active') return undefined;
  return { actor: operator.name, role: operator.role, tokenHash: hash };
}
