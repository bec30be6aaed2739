// Inbound messages: those of a customer, and those that nobody claims.

import type { CustomerId, TaskId } from '../domain/id.js';
import type { AnySql, Sql } from './connect.js';

export interface NewUplink {
  readonly customerId: CustomerId;
  readonly channelId: bigint;
  readonly serviceAccountId: bigint;
  readonly taskId: TaskId | null;
  readonly phone: string;
  readonly phoneKey: string;
  readonly firm: string | null;
  readonly content: string;
}

/** Stores an uplink and, in the same transaction, what its sender wishes by it. */
export async function insertUplink(sql: Sql, uplink: NewUplink, wish: 'stop' | 'start' | undefined): Promise<void> {
  const { customerId, phoneKey, phone } = uplink;
  await sql.begin(async (tx) => {
    await tx`
      insert into uplink (customer_id, uplink_id, phone_key, service_account_id, channel_id, task_id, phone, firm, content)
      values (${customerId}, (floor(extract(epoch from clock_timestamp()) * 1000)::bigint << 20)
          | (nextval('history_seq') & 1048575),
        ${phoneKey}, ${uplink.serviceAccountId}, ${uplink.channelId}, ${uplink.taskId}, ${phone}, ${uplink.firm},
        ${uplink.content})`;
    if (wish === 'stop') {
      await tx`
        insert into opt_out (customer_id, phone_key, phone, source) values (${customerId}, ${phoneKey}, ${phone}, 'uplink')
        on conflict do nothing`;
    } else if (wish === 'start') {
      await tx`delete from opt_out where customer_id = ${customerId} and phone_key = ${phoneKey}`;
    }
  });
}

export async function insertUnclaimedUplink(
  sql: AnySql,
  uplink: { readonly channelId: bigint; readonly from: string; readonly to: string; readonly text: string },
): Promise<void> {
  await sql`
    insert into unclaimed_uplink (channel_id, sender, recipient, content)
    values (${uplink.channelId}, ${uplink.from}, ${uplink.to}, ${uplink.text})`;
}

export interface LastMessage {
  readonly customerId: CustomerId;
  readonly taskId: TaskId;
  readonly phone: string;
  readonly firm: string;
  readonly submitId: bigint;
}

/** The latest part that each of these customers sent to a number. */
export async function readLastMessages(
  sql: AnySql,
  customerIds: readonly CustomerId[],
  phoneKey: string,
): Promise<LastMessage[]> {
  const found = await Promise.all(
    customerIds.map(
      (customerId) => sql<LastMessage[]>`
        select customer_id as "customerId", task_id as "taskId", phone, firm, submit_id as "submitId" from submit
        where customer_id = ${customerId} and phone_key = ${phoneKey} order by submit_id desc limit 1`,
    ),
  );
  return found.flat();
}
