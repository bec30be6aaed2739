import type { OperatorRole } from './operator-wire.js';
import type { Timestamp } from './wire.js';

/** `viewer` reads; `sender` also sends; `finance` reads, money included; `admin` everything of the customer. */
export type CustomerRole = 'admin' | 'sender' | 'finance' | 'viewer';

interface User<Role> {
  user_no: string;
  email: string;
  name: string;
  role: Role;
  status: 'active' | 'disabled';
  /** When the invitation was accepted; null while it is open. */
  accepted_at: Timestamp | null;
  invitation_expires_at: Timestamp | null;
  last_signed_in_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

interface UserRequest<Role> {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
}

interface UserChange<Role> {
  readonly name?: string;
  readonly role?: Role;
  readonly status?: 'active' | 'disabled';
}

/** Shown once, works once, for seven days. */
interface Invited {
  invitation_url: string;
}

export interface OperatorUser extends User<OperatorRole> {}
export interface NewOperatorUser extends OperatorUser, Invited {}
export interface OperatorUserRequest extends UserRequest<OperatorRole> {}
export interface OperatorUserChange extends UserChange<OperatorRole> {}

export interface CustomerUser extends User<CustomerRole> {}
export interface NewCustomerUser extends CustomerUser, Invited {}
export interface CustomerUserRequest extends UserRequest<CustomerRole> {}
export interface CustomerUserChange extends UserChange<CustomerRole> {}
