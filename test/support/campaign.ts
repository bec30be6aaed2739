// A campaign: customers with money, channels that carry their messages, many numbers, and in the end the books.

import { OperatorClient, PostriderClient, type Task } from '@postrider/client';
import { expect } from 'vitest';
import { auditAll } from '../../src/store/money/audit-money.js';
import type { Sql } from '../../src/store/sql.js';
import { type CentreKind, OPERATOR_TOKEN } from './spawned.js';
import { until } from './until.js';

/** Patient, since what it talks to is killed now and then. */
const PATIENCE = { attempts: 60, firstDelayMs: 20, maxDelayMs: 250, maxRetryAfterMs: 1000 };

export function operatorAt(url: string, attempts = PATIENCE.attempts): OperatorClient {
  return new OperatorClient({ baseUrl: url, token: OPERATOR_TOKEN, retry: { ...PATIENCE, attempts } });
}

export interface ChannelWish {
  readonly name: string;
  readonly kind: 'simulator' | CentreKind;
  readonly config: Readonly<Record<string, unknown>>;
  readonly partsPerSecond?: number;
  readonly failoverCodes?: readonly string[];
}

export interface Sender {
  readonly customerNo: string;
  readonly templateNo: string;
  /** A client of this customer at any process of the service. */
  at(url: string, attempts?: number): PostriderClient;
}

/** Channels that serve every number. */
export async function createChannels(url: string, wishes: readonly ChannelWish[]): Promise<string[]> {
  const operator = operatorAt(url);
  await operator.createFirm({ firm: 'any', prefixes: [] });
  const channelNos: string[] = [];
  for (const { name, kind, config, partsPerSecond, failoverCodes = [] } of wishes) {
    const channel = await operator.createChannel({
      name,
      kind,
      firms: ['any'],
      config,
      parts_per_second: partsPerSecond ?? null,
      failover_codes: failoverCodes,
    });
    channelNos.push(channel.channel_no);
  }
  return channelNos;
}

export interface SenderWish {
  readonly name: string;
  readonly body?: string;
  readonly chargeOn?: 'submit' | 'delivery';
}

/** A customer with more than enough money that may use the channels. */
export async function createSender(url: string, channelNos: readonly string[], wish: SenderWish): Promise<Sender> {
  const operator = operatorAt(url);
  const { customer_no: customerNo } = await operator.createCustomer({
    name: wish.name,
    unit_price: '0.05',
    charge_on: wish.chargeOn ?? 'submit',
    refund_on_failure: true,
    requests_per_second: 100_000,
  });
  for (const channelNo of channelNos) await operator.grantChannel(customerNo, channelNo);
  const account = await operator.createServiceAccount(customerNo, { name: 'Main', sender: '10690000' });
  const template = await operator.createTemplate(customerNo, {
    name: 'Hello',
    body: wish.body ?? 'Hello',
    service_account_no: account.service_account_no,
  });
  await operator.topUp(customerNo, { amount: '1000000', remark: 'Test' });
  const { api_key: apiKey, api_secret: apiSecret } = await operator.createCredential(customerNo);
  return {
    customerNo,
    templateNo: template.template_no,
    at: (baseUrl, attempts = PATIENCE.attempts) =>
      new PostriderClient({ baseUrl, apiKey, apiSecret, retry: { ...PATIENCE, attempts } }),
  };
}

export function createPhones(count: number, first = 0): string[] {
  return Array.from({ length: count }, (_, index) => `138${String(first + index).padStart(8, '0')}`);
}

/** Sends so many numbers in tasks of at most `taskSize`; the numbers of the same `first` are always the same. */
export async function sendNumbers(
  url: string,
  sender: Sender,
  options: { readonly count: number; readonly taskSize?: number; readonly first?: number; readonly name: string },
): Promise<Task[]> {
  const { count, taskSize = 5000, first = 0, name } = options;
  const client = sender.at(url);
  const tasks: Promise<Task>[] = [];
  for (let start = 0; start < count; start += taskSize) {
    const phones = createPhones(Math.min(taskSize, count - start), first + start);
    const flags = { auto_freeze: true, auto_submit: true };
    const request = { template_no: sender.templateNo, phones, client_request_id: `${name}-${start}`, ...flags };
    tasks.push(client.send(request));
  }
  return await Promise.all(tasks);
}

export async function countSubmits(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from submit`;
  return row?.count ?? 0;
}

export async function countUnknown(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from unknown_part`;
  return row?.count ?? 0;
}

/** Waits until every number is sent and has its receipt, or is unknown. */
export async function awaitOutcomes(sql: Sql, numbers: number, limitMs = 120_000): Promise<void> {
  const look = async () => {
    const [row] = await sql<{ total: number; open: number }[]>`
      select coalesce(sum(total), 0)::int as total,
        coalesce(sum(total - rejected - unknown - delivered - undelivered - expired), 0)::int as open from task`;
    return row?.total === numbers && row.open === 0;
  };
  await until(`${numbers} numbers have a receipt or are unknown`, look, limitMs).catch(async (error: Error) => {
    const tasks = await sql`select stage, sum(total)::int as total,
      sum(unknown)::int as unknown, sum(awaiting)::int as awaiting, sum(delivered)::int as delivered from task group by stage`;
    throw new Error(`${error.message}: ${JSON.stringify(tasks)}`);
  });
}

/** What must hold whatever was killed: nothing doubled, nothing lost, every cent accounted for. */
export async function checkBooks(sql: Sql, numbers: number, parts = 1): Promise<void> {
  expect(await auditAll(sql)).toEqual([]);
  const doubled = await sql`
    select task_id, seq, part, count(*)::int as records from submit group by 1, 2, 3 having count(*) > 1 limit 5`;
  expect([...doubled]).toEqual([]);
  expect(await countSubmits(sql)).toBe(numbers * parts);
  const odd = await sql`
    select task_id, stage, total from task where stage not in ('completed', 'submit_unknown')
      or total <> rejected + unknown + delivered + undelivered + expired limit 5`;
  expect([...odd]).toEqual([]);
  const [row] = await sql<{ unknown: number; open: number }[]>`
    select (select count(*)::int from submit where status = 'unknown') as unknown,
      (select coalesce(sum(unknown), 0)::int from task) as open`;
  expect(row?.unknown).toBeGreaterThanOrEqual(row?.open ?? 0);
}

/** Held to the message centre's own counts: it has each number at most once, and each that we know to be accepted. */
export async function checkUpstream(sql: Sql, accepted: Readonly<Record<string, number>>): Promise<void> {
  const doubled = Object.entries(accepted).filter(([, times]) => times > 1);
  expect(doubled).toEqual([]);
  const rows = await sql<{ key: string; status: string }[]>`
    select case when parts > 1 then phone_key || '#' || part else phone_key::text end as key, status from submit`;
  // A number that one channel refused may have been accepted by another.
  const heardOf = new Set(rows.filter(({ status }) => status !== 'rejected').map(({ key }) => key));
  const missing = rows.filter(({ key, status }) => status === 'accepted' && accepted[key] === undefined);
  expect(missing).toEqual([]);
  const unheardOf = Object.keys(accepted).filter((key) => !heardOf.has(key));
  expect(unheardOf).toEqual([]);
}
