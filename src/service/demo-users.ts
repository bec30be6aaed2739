// The users of the sign-in links in the start banner: an admin of the demo customer, and an operator. They have no password. A removed one
// is created again by the next start; a disabled one stays disabled.

import type { UserSide } from '../domain/entities/user.js';
import { formatNo } from '../domain/id.js';
import { readCustomer } from '../store/operator/customer.js';
import { findUsersByEmail } from '../store/user/sign-in.js';
import { createUser } from '../store/user/user.js';
import type { DemoDeps } from './demo.js';

const EMAIL = 'demo@example.com';

type UserDeps = Pick<DemoDeps, 'sql' | 'nextId'>;

export interface DemoUsers {
  readonly customer: string;
  readonly operator: string;
}

export async function setUpDemoUsers(deps: UserDeps, customerNo: string): Promise<DemoUsers> {
  const customer = await readCustomer(deps.sql, customerNo);
  if (customer === undefined) throw new Error(`the demo customer ${customerNo} does not exist`);
  return {
    customer: await findOrCreate(deps, { side: 'customer', customerId: customer.customerId, customerNo }, 'Demo'),
    operator: await findOrCreate(deps, { side: 'operator' }, 'Operator'),
  };
}

async function findOrCreate({ sql, nextId }: UserDeps, side: UserSide, name: string): Promise<string> {
  const find = async () => (await findUsersByEmail(sql, EMAIL, [side.side]))[0];
  const found = await find();
  if (found !== undefined) return found.user_no;
  const userId = nextId();
  const terms = { email: EMAIL, name, role: 'admin' } as const;
  const created = await createUser({ sql, actor: 'demo' }, side, terms, { userId, userNo: formatNo('N', userId) });
  // Another process may have created it in the meantime.
  const user = created ?? (await find());
  if (user === undefined) throw new Error('the user of the demo was not stored');
  return user.user_no;
}
