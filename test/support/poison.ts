// A customer whose rows the database refuses, as it would with something wrong in them, and what the operator sees of it.

import type { SetAside } from '@postrider/client';
import { onTestFinished } from 'vitest';
import type { Service, ServiceCustomer } from './service.js';
import { until } from './until.js';

/** Refuses what is written of one customer in a table, unless it is so. Returns what mends it. */
export async function poison(
  { sql }: Pick<Service, 'sql'>,
  table: string,
  { customerNo }: Pick<ServiceCustomer, 'customerNo'>,
  isSo = 'false',
): Promise<() => Promise<void>> {
  const [row] = await sql<{ id: bigint }[]>`
    select customer_id as id from customer where customer_no = ${customerNo}`;
  const name = `poison_${table}`;
  await sql.unsafe(
    `alter table ${table} add constraint ${name} check (customer_id <> ${row?.id} or ${isSo}) not valid`,
  );
  const heal = async () => void (await sql.unsafe(`alter table ${table} drop constraint if exists ${name}`));
  onTestFinished(heal);
  return heal;
}

/** The quarantine as operators see it, once it is as wished. */
export async function awaitQuarantine(
  { operator }: Pick<Service, 'operator'>,
  isSo: (items: readonly SetAside[]) => boolean,
): Promise<readonly SetAside[]> {
  let items: readonly SetAside[] = [];
  await until(
    () => `other items than ${JSON.stringify(items)}`,
    async () => {
      ({ items } = await operator.setAside().page());
      return isSo(items);
    },
  );
  return items;
}
