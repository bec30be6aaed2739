// View tokens: an operator gets a token that can read the customer API of one customer for a quarter of an hour. The token is sealed with
// the key that all processes share, so nothing is stored. Every call checks that the operator still exists and still has the permission.

import { isPermitted } from '../domain/access/permissions.js';
import type { CustomerConfig } from '../domain/entities/customer.js';
import type { Sealer } from '../store/secrets/seal.js';
import type { Sql } from '../store/sql.js';
import { findSession } from '../store/user/session.js';
import { identify, identityOf, type OperatorLookup } from './operator-identity.js';
import { hashToken } from './token-hash.js';

const PREFIX = 'view_';
const CONTEXT = 'view grant';
export const VIEW_MS = 15 * 60_000;

interface Grant {
  readonly customerNo: string;
  /** The hash of the operator's token or session: when that is refused, so is this. */
  readonly tokenHash: string;
  readonly expiresMs: number;
}

export function issueViewToken(sealer: Sealer, grant: Grant): string {
  return PREFIX + sealer.seal(JSON.stringify(grant), CONTEXT).toString('base64url');
}

export interface Viewer {
  readonly customer: CustomerConfig;
  /** The operator who looks on. */
  readonly actor: string;
}

/** Undefined when it is no such token, its time is up, or its operator may not look any more. */
export type FindViewer = (token: string) => Promise<Viewer | undefined>;

export function createFindViewer(deps: {
  readonly sql: Sql;
  readonly sealer: Sealer;
  readonly snapshot: OperatorLookup;
  readonly rootTokens: readonly string[];
  readonly now: () => number;
}): FindViewer {
  const roots = deps.rootTokens.map(hashToken);
  return async (token) => {
    const grant = openToken(deps.sealer, token);
    if (grant === undefined || grant.expiresMs <= deps.now()) return undefined;
    const session = await findSession(deps.sql, 'operator', grant.tokenHash);
    const operator =
      session === undefined ? await identify(roots, deps.snapshot, grant.tokenHash) : identityOf(session);
    if (operator === undefined || !isPermitted(operator.role, 'view')) return undefined;
    const customer = deps.snapshot.current().customerByNo(grant.customerNo);
    return customer && { customer, actor: operator.actor };
  };
}

/** The token of a request that is not signed; undefined where there is none. */
export function readViewToken(authorization: string | undefined): string | undefined {
  const token = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1];
  return token?.startsWith(PREFIX) === true ? token : undefined;
}

function openToken(sealer: Sealer, token: string): Grant | undefined {
  try {
    const sealed = Buffer.from(token.slice(PREFIX.length), 'base64url');
    return JSON.parse(sealer.open(sealed, CONTEXT).toString('utf8')) as Grant;
  } catch {
    // A forged token cannot be unsealed.
    return undefined;
  }
}
