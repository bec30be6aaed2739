// All that the rules judge, gathered from the outside when everything has come to rest: the history, what the API shows to
// each customer, the journals of the message centres, and a few internals that no API shows.

import type { Account, Batch, DeliveryRecord, LedgerEntry, Receipt, SubmitRecord, TaskDetail } from '@postrider/client';
import { formatNo } from '../../src/domain/id.js';
import { auditAll } from '../../src/store/money/audit-money.js';
import type { Imbalance } from '../../src/store/money/audit-run.js';
import type { Sql } from '../../src/store/sql.js';
import { type History, OLD_SNAPSHOT } from './history.js';
import type { SentRequest } from './load/action.js';
import { isOfCrowd } from './load/crowd.js';
import type { CampaignCustomer } from './load/customers.js';
import { isOfRuled } from './load/ruled.js';
import { type RuledView, viewRuled } from './ruled-view.js';
import { SESSIONS } from './world/carriers.js';
import type { JournalEntry } from './world/centre.js';
import type { Arrival } from './world/receiver.js';
import { HELD, type World } from './world.js';

/** What one customer sees in the end. */
export interface CustomerView {
  readonly customer: CampaignCustomer;
  readonly account: Account;
  readonly tasks: readonly TaskDetail[];
  readonly batches: readonly Batch[];
  readonly receipts: readonly Receipt[];
  readonly submits: readonly SubmitRecord[];
  readonly deliveries: readonly DeliveryRecord[];
  /** Oldest first. */
  readonly ledger: readonly LedgerEntry[];
}

/** A message of the crowd, and how many records it has. */
export interface CrowdTask {
  readonly taskNo: string;
  readonly phone: string;
  readonly stage: string;
  readonly receipts: number;
  readonly submits: number;
  readonly accepted: number;
  readonly reports: number;
}

/** What was found while work went on, and is true at any moment. */
export interface RunningEvidence {
  readonly history: History;
  readonly customers: readonly CampaignCustomer[];
  readonly sent: readonly SentRequest[];
  readonly accepted: readonly JournalEntry[];
  /** The same of the crowd. */
  readonly crowdAccepted: readonly JournalEntry[];
  /** The same of the customer with sending rules. */
  readonly ruledAccepted: readonly JournalEntry[];
  readonly imbalances: readonly Imbalance[];
  /** What customers got by webhook. */
  readonly arrivals: readonly Arrival[];
}

export interface Evidence extends RunningEvidence {
  readonly views: readonly CustomerView[];
  readonly ruled: RuledView;
  readonly acknowledged: ReadonlySet<string>;
  /** Ids of reports that are kept because their part is not known. */
  readonly keptFor: ReadonlySet<string>;
  /** Tasks of which nothing more is sent, because they were cancelled or their time was up. */
  readonly ended: ReadonlySet<string>;
  readonly crowd: readonly CrowdTask[];
  /** What should have been at rest and was not. */
  readonly unrest: readonly string[];
  /** Owners of channels that are none of the processes that run. */
  readonly strangers: readonly string[];
  /** Nodes that do not say that they are ready although everything is well. */
  readonly unready: readonly string[];
  /** How many parts may have lost their answers by what was done. */
  readonly lossAllowance: number;
}

export async function gatherRunning(
  world: World,
  history: History,
  sent: readonly SentRequest[],
): Promise<RunningEvidence> {
  const journal = world.centres.flatMap((centre) => centre.accepted());
  const accepted = journal.filter(({ to }) => !isOfCrowd(to) && !isOfRuled(to));
  const crowdAccepted = journal.filter(({ to }) => isOfCrowd(to));
  const ruledAccepted = journal.filter(({ to }) => isOfRuled(to));
  const { customers, receiver, database } = world;
  const imbalances = await auditAll(database.sql);
  const { arrivals } = receiver;
  return { history, customers, sent, accepted, crowdAccepted, ruledAccepted, imbalances, arrivals };
}

export async function gather(
  world: World,
  history: History,
  sent: readonly SentRequest[],
  found: Pick<Evidence, 'unrest' | 'unready'>,
): Promise<Evidence> {
  const url = world.nodes.find(({ roles }) => roles.includes('api'))?.url() ?? '';
  const views: CustomerView[] = [];
  for (const customer of world.customers) views.push(await viewOf(customer, url));
  const { sql } = world.database;
  return {
    ...(await gatherRunning(world, history, sent)),
    ...found,
    views,
    ruled: await viewRuled(world.ruled, url, sql),
    acknowledged: new Set(world.centres.flatMap((centre) => [...centre.acknowledged()])),
    keptFor: await readKept(sql),
    ended: await readEnded(sql),
    crowd: await readCrowd(sql),
    strangers: await readStrangers(sql, world),
    lossAllowance: allowLosses(world, history),
  };
}

async function viewOf(customer: CampaignCustomer, url: string): Promise<CustomerView> {
  const client = customer.at(url);
  const tasks: TaskDetail[] = [];
  for await (const { task_no } of client.tasks()) tasks.push(await client.task(task_no));
  const all = async <T>(listing: AsyncIterable<T>): Promise<T[]> => {
    const items: T[] = [];
    for await (const item of listing) items.push(item);
    return items;
  };
  return {
    customer,
    account: await client.account(),
    tasks,
    batches: await all(client.batches()),
    receipts: await all(client.receipts()),
    submits: await all(client.submits()),
    deliveries: await all(client.deliveries()),
    ledger: (await all(client.ledgers())).reverse(),
  };
}

async function readCrowd(sql: Sql): Promise<CrowdTask[]> {
  const rows = await sql<(Omit<CrowdTask, 'taskNo' | 'phone'> & { taskId: bigint; requestKey: string })[]>`
    select t.task_id as "taskId", t.request_key as "requestKey", t.stage,
      (select count(*)::int from receipt r where r.customer_id = t.customer_id and r.task_id = t.task_id) as receipts,
      (select count(*)::int from submit s where s.customer_id = t.customer_id and s.task_id = t.task_id) as submits,
      (select count(*)::int from submit s where s.customer_id = t.customer_id and s.task_id = t.task_id
        and s.status = 'accepted') as accepted,
      (select count(*)::int from delivery_report d where d.customer_id = t.customer_id and d.task_id = t.task_id) as reports
    from task t join customer c using (customer_id) where c.name like 'crowd-%'`;
  return rows.map(({ taskId, requestKey, ...task }) => ({
    ...task,
    taskNo: formatNo('T', taskId),
    phone: requestKey.slice(-11),
  }));
}

async function readEnded(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql<{ taskId: bigint }[]>`select task_id as "taskId" from task where ending is not null`;
  return new Set(rows.map(({ taskId }) => formatNo('T', taskId)));
}

async function readKept(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql<{ phone: string | null }[]>`select phone from unmatched_report`;
  return new Set(rows.flatMap(({ phone }) => phone ?? []));
}

async function readStrangers(sql: Sql, { nodes }: World): Promise<string[]> {
  const rows = await sql<{ owner: string }[]>`
    select f.owner from channel_fence f join channel_heartbeat h using (channel_id, token) where h.expires_at > now()`;
  const running = new Set(nodes.map((node) => String(node.pid())));
  return rows.map(({ owner }) => owner).filter((owner) => !running.has(owner.split(':')[1] ?? ''));
}

/** A fault loses at most a window of answers on each session of each channel that it touches. */
function allowLosses({ centres, receiver }: World, history: History): number {
  const window = HELD * SESSIONS;
  const touching = history
    .faults()
    .filter(({ name, target }) => name !== 'missed' && target !== receiver.name && target !== OLD_SNAPSHOT)
    .reduce((sum, { target }) => sum + (target.startsWith('centre') ? 1 : centres.length), 0);
  const own = centres.reduce((sum, centre) => sum + centre.ownCuts(), 0);
  return window * touching + HELD * own;
}
