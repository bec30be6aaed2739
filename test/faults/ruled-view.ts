// What the customer with every sending rule sees.

import type { Receipt, SubmitRecord, TaskDetail } from '@postrider/client';
import type { Sql } from '../../src/store/sql.js';
import { type RuledCustomer, UNFILED_CHANNEL } from './load/ruled.js';

/** What the customer sees in the end, and what went where it must not. */
export interface RuledView {
  readonly customer: RuledCustomer;
  readonly tasks: readonly TaskDetail[];
  readonly receipts: readonly Receipt[];
  readonly submits: readonly SubmitRecord[];
  /** Parts on the channel that requires a filing. */
  readonly unfiled: number;
}

export async function viewRuled(customer: RuledCustomer, url: string, sql: Sql): Promise<RuledView> {
  const client = customer.at(url);
  const tasks: TaskDetail[] = [];
  for await (const { task_no } of client.tasks()) tasks.push(await client.task(task_no));
  const receipts: Receipt[] = [];
  for await (const receipt of client.receipts()) receipts.push(receipt);
  const submits: SubmitRecord[] = [];
  for await (const submit of client.submits()) submits.push(submit);
  const [row] = await sql<{ parts: number }[]>`
    select count(*)::int as parts from submit join channel using (channel_id) where channel.name = ${UNFILED_CHANNEL}`;
  return { customer, tasks, receipts, submits, unfiled: row?.parts ?? 0 };
}
