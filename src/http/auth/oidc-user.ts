// Who a person of the OpenID provider is here. The provider must have verified the email. The first sign-in links the user to the
// subject of the provider; from then on the subject decides, so that an email that is given to another person grants no access.

import { CUSTOMER_ROLES, ROLES } from '../../domain/access/permissions.js';
import { SIDES, type Side, type User, type UserSide } from '../../domain/entities/user.js';
import { formatNo } from '../../domain/id.js';
import { readCustomer } from '../../store/operator/customer.js';
import { endOidcSessions, findOidcUsers, linkOidcSubject } from '../../store/user/oidc.js';
import { changeUser, createUser } from '../../store/user/user.js';
import type { AuthParts } from './auth-route.js';
import type { OidcSettings } from './oidc-client.js';

interface Identity {
  readonly subject: string;
  readonly email: string;
  readonly name: string;
}

/** Undefined when the person has no access: not invited, disabled, without a role, or the email belongs to another subject. */
export async function findOidcUser(
  parts: AuthParts,
  { issuer, roleClaim }: OidcSettings,
  claims: Readonly<Record<string, unknown>>,
  wantedSide: Side | undefined,
): Promise<User | undefined> {
  const { sub, email, email_verified, name } = claims;
  if (typeof sub !== 'string' || typeof email !== 'string' || email_verified !== true) return undefined;
  // Other letters fold into these, such as the sign of Kelvin into k: another mailbox must not find this one's user.
  if (!/^[\x21-\x7e]+$/.test(email)) return undefined;
  const identity = { subject: `${issuer} ${sub}`, email, name: typeof name === 'string' && name !== '' ? name : email };
  const grants = roleClaim === undefined ? undefined : await readGrants(parts, claims[roleClaim]);
  // Where both sides are open, the one that may do more.
  for (const side of wantedSide === undefined ? [...SIDES].reverse() : [wantedSide]) {
    const user = await findOnSide(parts, side, identity, grants);
    if (user !== undefined) return user;
  }
  return undefined;
}

async function findOnSide(parts: AuthParts, side: Side, identity: Identity, grants: readonly Grant[] | undefined) {
  const { sql } = parts;
  const grant = grants?.find(({ at }) => at.side === side);
  // With a role claim the provider decides who has access.
  const known = await findOidcUsers(sql, side, identity.subject, identity.email);
  const linked = known.find(({ oidc_subject }) => oidc_subject === identity.subject);
  if (grants !== undefined && grant === undefined) {
    // Sessions that were started with the lost role end, too.
    if (linked !== undefined) await endOidcSessions(sql, linked.user_id);
    return undefined;
  }
  const found = linked ?? known.find(({ oidc_subject }) => oidc_subject === null);
  if (found === undefined)
    return known.length === 0 && grant !== undefined ? provision(parts, identity, grant) : undefined;
  if (found.status !== 'active') return undefined;
  if (linked === undefined && !(await linkOidcSubject(sql, found.user_id, identity.subject))) return undefined;
  if (grant === undefined) return found;
  // A user of one customer does not become one of another.
  if (grant.at.side === 'customer' && grant.at.customerId !== found.customer_id) return undefined;
  const outcome = await changeUser({ sql, actor: 'oidc' }, grant.at, found.user_no, { role: grant.role });
  return outcome.kind === 'ok' ? outcome.user : undefined;
}

async function provision(
  { sql, nextId }: AuthParts,
  identity: Identity,
  { at, role }: Grant,
): Promise<User | undefined> {
  const userId = nextId();
  const terms = { email: identity.email, name: identity.name.slice(0, 100), role };
  const user = await createUser({ sql, actor: 'oidc' }, at, terms, { userId, userNo: formatNo('N', userId) });
  if (user !== undefined) await linkOidcSubject(sql, user.user_id, identity.subject);
  return user;
}

interface Grant {
  readonly at: UserSide;
  readonly role: (typeof ROLES)[number];
}

/** One value or a list: `support` for an operator, `C…:sender` for a user of the customer with this number. */
async function readGrants({ sql }: AuthParts, claim: unknown): Promise<Grant[]> {
  const values = (Array.isArray(claim) ? claim : [claim]).filter((value) => typeof value === 'string');
  const grants: Grant[] = [];
  // The first role of the table wins: it may do the most.
  const operatorRole = ROLES.find((role) => values.includes(role));
  if (operatorRole !== undefined) grants.push({ at: { side: 'operator' }, role: operatorRole });
  for (const value of values) {
    const [customerNo = '', wanted] = value.split(':', 2);
    const role = CUSTOMER_ROLES.find((one) => one === wanted);
    const customer = role === undefined ? undefined : await readCustomer(sql, customerNo);
    if (customer === undefined || role === undefined) continue;
    const at: UserSide = { side: 'customer', customerId: customer.customerId, customerNo };
    grants.push({ at, role: role as Grant['role'] });
    break;
  }
  return grants;
}
