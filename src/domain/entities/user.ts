// A person who signs in to the console: on the operator's side, or on that of one customer.

import { type Static, Type } from '@sinclair/typebox';
import { CUSTOMER_ROLES, type CustomerRole, ROLES, type Role } from '../access/permissions.js';
import type { CustomerId } from '../id.js';
import { inForm } from '../request/text-forms.js';
import { closedObject, words } from './fields.js';

export const SIDES = ['customer', 'operator'] as const;
export type Side = (typeof SIDES)[number];

/** An invitation that is not accepted in this time is worth nothing. */
export const INVITATION_DAYS = 7;

/** A link to choose a new password works for so long. */
export const PASSWORD_RESET_MINUTES = 60;

export const MAX_EMAIL_LENGTH = 254;

const email = Type.String({
  minLength: 3,
  maxLength: MAX_EMAIL_LENGTH,
  ...inForm('email'),
  description: 'What the person signs in with. Unique among operators, and unique among the users of all customers.',
});
const name = Type.String({
  minLength: 1,
  maxLength: 100,
  format: 'line',
  ...inForm('person-name'),
  description: 'The name of the person, without addresses of mail or pages.',
});
const status = words(['active', 'disabled'], { description: 'A disabled user cannot sign in; open sessions end.' });

const operatorRole = words(ROLES, {
  description:
    '`viewer` reads; `support` also resolves and suspends; `finance` also tops up and adjusts; `admin` everything.',
});
const customerRole = words(CUSTOMER_ROLES, {
  description:
    '`viewer` reads; `sender` also sends; `finance` reads, money included; `admin` everything of the customer.',
});

export const OperatorUserFields = closedObject({ email, name, role: operatorRole });
export const CustomerUserFields = closedObject({ email, name, role: customerRole });

export const OperatorUserChanges = closedObject({
  name: Type.Optional(name),
  role: Type.Optional(operatorRole),
  status: Type.Optional(status),
});
export const CustomerUserChanges = closedObject({
  name: Type.Optional(name),
  role: Type.Optional(customerRole),
  status: Type.Optional(status),
});

export type UserTerms = Static<typeof OperatorUserFields> | Static<typeof CustomerUserFields>;
export type UserPatch = Static<typeof OperatorUserChanges> | Static<typeof CustomerUserChanges>;

/** Whose user it is. */
export type UserSide =
  | { readonly side: 'operator' }
  | { readonly side: 'customer'; readonly customerId: CustomerId; readonly customerNo: string };

export interface User {
  readonly user_id: bigint;
  readonly user_no: string;
  readonly side: Side;
  readonly customer_id: CustomerId | null;
  readonly email: string;
  readonly name: string;
  readonly role: Role | CustomerRole;
  readonly status: 'active' | 'disabled';
  /** When the invitation was accepted; null while it is open. */
  readonly accepted_at: Date | null;
  /** When the open invitation ends; null where there is none. */
  readonly invitation_expires_at: Date | null;
  readonly last_signed_in_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** As the audit log names a user. No operator can have such a name. */
export function actorOf({ email: address }: Pick<User, 'email'>): string {
  return `user ${address}`;
}
