// Who may do what: operators by their role, keys of customers by their scopes. Each call of the operator API names the one
// permission it needs; this table says which roles have it.

export const ROLES = ['admin', 'support', 'finance', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export const PERMISSIONS = ['read', 'view', 'resolve', 'suspend', 'credit', 'configure', 'move', 'administer'] as const;
export type Permission = (typeof PERMISSIONS)[number];

const ROLES_BY_PERMISSION: Readonly<Record<Permission, readonly Role[]>> = {
  /** Look at anything. */
  read: ['admin', 'support', 'finance', 'viewer'],
  /** See what a customer sees: the numbers of its people, and what they wrote. */
  view: ['admin', 'support'],
  /** Set the outcome of unknown numbers. */
  resolve: ['admin', 'support'],
  /** Suspend a customer, and let it go on. */
  suspend: ['admin', 'support'],
  /** Top accounts up and correct them. */
  credit: ['admin', 'finance'],
  /** Create and change firms, channels, customers and all that they have. */
  configure: ['admin'],
  /** Move tasks on, and cancel them. */
  move: ['admin'],
  /** Decide who else is an operator. */
  administer: ['admin'],
};

export function rolesWith(permission: Permission): readonly Role[] {
  return ROLES_BY_PERMISSION[permission];
}

export function isPermitted(role: Role, permission: Permission): boolean {
  return rolesWith(permission).includes(role);
}

export function permissionsOf(role: Role): readonly Permission[] {
  return PERMISSIONS.filter((permission) => isPermitted(role, permission));
}

/** `masked` allows nothing: it masks phone numbers in all that the key is shown. */
export const SCOPES = ['send', 'read', 'finance', 'webhooks', 'admin', 'masked'] as const;
export type Scope = (typeof SCOPES)[number];

/** Whether an operator of this role sees masked phone numbers only. */
export function isMaskedRole(role: Role): boolean {
  return role === 'viewer';
}

/** What a key may be used for. A masked one makes no keys and users, which could see more than it may. */
export function usableScopes(scopes: readonly Scope[]): readonly Scope[] {
  return scopes.includes('masked') ? scopes.filter((scope) => scope !== 'admin' && scope !== 'masked') : scopes;
}

/** Managing keys has to be asked for: a key that sends does not need it. */
export const DEFAULT_SCOPES: readonly Scope[] = ['send', 'read', 'finance', 'webhooks'];

export const CUSTOMER_ROLES = ['admin', 'sender', 'finance', 'viewer'] as const;
export type CustomerRole = (typeof CUSTOMER_ROLES)[number];

const SCOPES_BY_ROLE: Readonly<Record<CustomerRole, readonly Scope[]>> = {
  admin: ['send', 'read', 'finance', 'webhooks', 'admin'],
  sender: ['send', 'read'],
  finance: ['read', 'finance'],
  viewer: ['read'],
};

/** What a user of a customer may do, in the terms of keys. Empty for a role that customers do not have. */
export function scopesOfRole(role: string): readonly Scope[] {
  return CUSTOMER_ROLES.some((known) => known === role) ? SCOPES_BY_ROLE[role as CustomerRole] : [];
}

/** The scope that a call of the customer API needs: by what it is about, else by whether it changes anything. */
export function scopeOf(method: string, path: string): Scope {
  if (path.startsWith('/openapi/v1/finance/')) return 'finance';
  if (path.startsWith('/openapi/v1/webhooks/')) return 'webhooks';
  if (path.startsWith('/openapi/v1/credentials/') || path.startsWith('/openapi/v1/users/')) return 'admin';
  return method === 'GET' || method === 'HEAD' ? 'read' : 'send';
}
