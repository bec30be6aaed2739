// A person, or a program, that runs the platform.

import type { Static } from '@sinclair/typebox';
import { ROLES, type Role } from '../access/permissions.js';
import { changeOf, closedObject, line, words } from './fields.js';

/** The holder of the token in the configuration. Always an admin, and in no table. */
export const ROOT = 'root';

/** What the audit log uses for others than operators. */
const RESERVED_NAMES: readonly string[] = [ROOT, 'demo', 'anonymous'];

export function isReservedName(name: string): boolean {
  return RESERVED_NAMES.includes(name) || /^(user|key) /.test(name);
}

export const OperatorFields = closedObject({
  name: line(64, "The name in the audit log. It can't be changed later."),
  role: words(ROLES, {
    description:
      'What they may do: `viewer` reads; `support` also resolves and suspends; `finance` also tops up and adjusts; `admin` everything.',
  }),
});
export const OperatorChanges = changeOf(OperatorFields);

export type OperatorTerms = Static<typeof OperatorFields>;

export interface Operator extends OperatorTerms {
  readonly operator_id: bigint;
  readonly operator_no: string;
  readonly status: 'active' | 'removed';
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** As the service uses it. */
export interface OperatorConfig extends OperatorTerms {
  readonly role: Role;
  readonly tokenHash: string;
  readonly status: 'active' | 'removed';
}
