// The service is killed around the one transaction that accepts a message, freezes its price and means to send it: before its
// commit, in it, and behind it. What is left must be what it always was: nothing, or an accepted task that is never sent twice.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, expect, onTestFailed, test } from 'vitest';
import {
  checkBooks,
  countUnknown,
  createChannels,
  createPhones,
  createSender,
  type Sender,
} from '../support/campaign.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { buildCode } from '../support/service-process.js';
import { type SpawnedCentre, type SpawnedService, spawnCentre, spawnService } from '../support/spawned.js';
import { tell } from '../support/tell.js';
import { until } from '../support/until.js';

const LIMIT_MS = 120_000;
const [PHONE = ''] = createPhones(1, 77_000_000);
const E164 = `86${PHONE}`;

const closers: (() => Promise<unknown>)[] = [];

beforeAll(buildCode);
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Place {
  readonly database: TestDatabase;
  readonly centre: SpawnedCentre;
  readonly service: SpawnedService;
  readonly sender: Sender;
}

async function start(): Promise<Place> {
  const database = await createTestDatabase();
  closers.push(database.drop);
  const centre = await spawnCentre(['--answer-ms', '5', '--receipt-ms', '50']);
  closers.push(() => centre.end('SIGKILL'));
  const service = await startNode(database);
  const config = { host: '127.0.0.1', port: centre.port, system_id: 'test', password: 'secret', window: 50 };
  const channels = await createChannels(service.url, [{ name: 'SMPP', kind: 'smpp', config }]);
  const sender = await createSender(service.url, channels, { name: 'Few' });
  // What runs for the first time: the channel is up, and the message below takes the express lane.
  await send(sender, service, 'first', createPhones(1, 76_000_000));
  await until('the first message is delivered', async () => (await stageOf(database, 'first')) === 'completed');
  return { database, centre, service, sender };
}

async function startNode(database: TestDatabase): Promise<SpawnedService> {
  const service = await spawnService({ databaseUrl: database.url });
  closers.push(() => service.end('SIGKILL'));
  onTestFailed(() => tell(service.log()));
  return service;
}

function send(sender: Sender, service: SpawnedService, name: string, phones: readonly string[] = [PHONE]) {
  const flags = { auto_freeze: true, auto_submit: true };
  const request = { template_no: sender.templateNo, phones, client_request_id: name, ...flags };
  return sender.at(service.url, 1).send(request);
}

async function stageOf({ sql }: TestDatabase, name: string): Promise<string | undefined> {
  const [row] = await sql<{ stage: string }[]>`select stage from task where request_key = ${`c:${name}`}`;
  return row?.stage;
}

/** Backends of the service that wait for a lock. */
async function countWaiting({ sql, address }: TestDatabase): Promise<number> {
  const [row] = await sql<{ waiting: number }[]>`
    select count(*)::int as waiting from pg_stat_activity
    where datname = ${address.database} and application_name = 'postrider' and wait_event_type = 'Lock'`;
  return row?.waiting ?? 0;
}

async function countTasks({ sql }: TestDatabase): Promise<number> {
  const [row] = await sql<{ tasks: number }[]>`select count(*)::int as tasks from task`;
  return row?.tasks ?? 0;
}

/** How often the message centre has accepted the number, now and a little later. */
async function countAccepted(centre: SpawnedCentre): Promise<number> {
  await sleep(500);
  return (await centre.counts()).by_destination[E164] ?? 0;
}

test(
  'killed before the commit: nothing is stored, and the request can be made again',
  async () => {
    const { database, centre, service, sender } = await start();
    let answered: Promise<unknown> = Promise.resolve();
    await database.sql.begin(async (tx) => {
      await tx`lock table chunk in share mode`;
      answered = send(sender, service, 'again').catch((error: unknown) => error);
      await until('the transaction waits for the table', async () => (await countWaiting(database)) > 0);
      await service.end('SIGKILL');
    });
    expect(await answered).toBeInstanceOf(Error);
    await until('the transaction has ended', async () => (await countWaiting(database)) === 0);
    expect(await countTasks(database)).toBe(1);
    expect(await countAccepted(centre)).toBe(0);
    const next = await startNode(database);
    await send(sender, next, 'again');
    await until('it is delivered', async () => (await stageOf(database, 'again')) === 'completed', 30_000);
    expect(await countAccepted(centre)).toBe(1);
    await checkBooks(database.sql, 2);
  },
  LIMIT_MS,
);

test(
  'killed in the commit, which is carried out: the message is accepted, unknown, and never sent',
  async () => {
    const { database, centre, service, sender } = await start();
    const { sql } = database;
    // A commit that waits until this test lets it go.
    await sql.unsafe(`
      create function wait_for_test() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock_shared(77); return null; end $$;
      create constraint trigger commit_waits after insert on chunk deferrable initially deferred
        for each row execute function wait_for_test()`);
    let answered: Promise<unknown> = Promise.resolve();
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(77)`;
      answered = send(sender, service, 'in-commit').catch((error: unknown) => error);
      await until('the commit waits', async () => (await countWaiting(database)) > 0);
      await service.end('SIGKILL');
    });
    expect(await answered).toBeInstanceOf(Error);
    await until('it is committed', async () => (await countTasks(database)) === 2);
    const [written] = await sql`
      select t.xmin = c.xmin as "isOne", encode(c.part_states, 'hex') as states
      from task t join chunk c on c.task_id = t.task_id where t.request_key = 'c:in-commit'`;
    expect(written).toEqual({ isOne: true, states: '01' });
    const next = await startNode(database);
    await until('the next owner knows', async () => (await countUnknown(sql)) === 1, 30_000);
    const repeated = await send(sender, next, 'in-commit');
    expect(repeated).toMatchObject({ stage: 'submit_unknown', counts: { unknown: 1 } });
    expect(await countAccepted(centre)).toBe(0);
  },
  LIMIT_MS,
);

test(
  'killed behind the commit, with the part on the wire: the message is unknown, and sent once',
  async () => {
    const { database, centre, service, sender } = await start();
    // It takes what it is sent into its buffers and answers nothing.
    centre.signal('SIGSTOP');
    await send(sender, service, 'on-the-wire');
    // On a busy machine it may have taken the normal path.
    await until('it is handed over', async () => (await stageOf(database, 'on-the-wire')) === 'submitting');
    // Long enough for the part to have left.
    await sleep(200);
    await service.end('SIGKILL');
    centre.signal('SIGCONT');
    const next = await startNode(database);
    await until('it is known again', async () => (await stageOf(database, 'on-the-wire')) !== 'submitting', 30_000);
    await send(sender, next, 'on-the-wire');
    expect(await countAccepted(centre)).toBe(1);
  },
  LIMIT_MS,
);
