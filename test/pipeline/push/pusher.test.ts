// The loop of push beside one customer whose endpoints never answer. Polls are switched off: only what wakes the loop starts a call.

import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../../src/domain/entities/webhook-events.js';
import { asCustomerId } from '../../../src/domain/id.js';
import { type PusherOptions, startPusher } from '../../../src/pipeline/push/pusher.js';
import type { Sources } from '../../../src/pipeline/push/sources.js';
import { startWake, type Wake } from '../../../src/pipeline/wake.js';
import type { Snapshot } from '../../../src/store/snapshot/snapshot.js';
import type { Span } from '../../../src/store/webhook/webhook-history.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { findLockWaits } from '../../support/lock-waits.js';
import { until } from '../../support/until.js';

const NEVER_MS = 3_600_000;
const [BAD, GOOD, LOCKED] = [asCustomerId(1n), asCustomerId(2n), asCustomerId(3n)];
const EVENTS: readonly WebhookEvent[] = ['receipts', 'uplinks', 'task.finished'];
const BAD_ENDPOINTS = 10;

let database: TestDatabase;
let wake: Wake;
let pusher: { stop(): Promise<void> };
/** The URLs of calls, in their order. */
const calls: string[] = [];

/** Each number up to the head is an event. */
async function readNumbers(_tenant: unknown, { after, until: head }: Span) {
  if (head <= after) return undefined;
  return { last: head, data: {}, items: 1, hasRoom: true, at: new Date() };
}
const sources = Object.fromEntries(WEBHOOK_EVENTS.map((event) => [event, readNumbers])) as Sources;

async function addEndpoint(customerId: bigint, webhookId: bigint, url: string, events: readonly WebhookEvent[]) {
  await database.sql`
    insert into webhook (customer_id, webhook_id, url, events, status, secret_sealed, verified_at)
    values (${customerId}, ${webhookId}, ${url}, ${[...events]}, 'active', '\\x00', now())`;
  for (const event of events) {
    await database.sql`
      insert into webhook_cursor (customer_id, webhook_id, event, position) values (${customerId}, ${webhookId}, ${event}, 0)`;
  }
}

/** The history of a customer grows by one, as recording makes it grow. */
async function record(customerId: bigint): Promise<void> {
  await database.sql`update account set record_id = record_id + 1 where customer_id = ${customerId}`;
  await database.sql`
    update webhook_cursor set due_at = now() where customer_id = ${customerId} and due_at is null`;
  wake.notifyLocal('push', 0);
}

beforeAll(async () => {
  database = await createTestDatabase();
  const { sql } = database;
  for (const customerId of [BAD, GOOD, LOCKED]) await sql`insert into account (customer_id) values (${customerId})`;
  for (let no = 1; no <= BAD_ENDPOINTS; no++) await addEndpoint(BAD, BigInt(no), 'https://bad.test/', EVENTS);
  await addEndpoint(GOOD, 100n, 'https://good.test/', ['receipts']);
  await addEndpoint(LOCKED, 200n, 'https://locked.test/', ['receipts']);
  wake = await startWake({ sql, listen: false, warn: () => {} });
  const options: PusherOptions = {
    sql,
    wake,
    log: pino({ level: 'silent' }),
    pollMs: NEVER_MS,
    snapshot: () => ({ buckets: () => [0] }) as unknown as Snapshot,
    sealer: { keyId: '', seal: () => Buffer.alloc(0), open: () => Buffer.from('whsec_c2VjcmV0'), deriveKeys: () => [] },
    sources,
    poster: {
      post: (url, _headers, _body, signal) => {
        calls.push(url);
        if (!url.includes('bad')) return Promise.resolve({ status: 204, error: null, latencyMs: 1, body: '' });
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
      close: () => undefined,
    },
    observer: { attempt: () => undefined, disabled: () => undefined },
    now: Date.now,
    random: () => 0,
  };
  pusher = startPusher(options);
});
afterAll(async () => {
  await pusher.stop();
  await wake.stop();
  await database.drop();
});

const countCalls = (name: string) => calls.filter((url) => url.includes(name)).length;

test('an account that is locked costs no connection, and its cursor stays due until it is free', async () => {
  const { sql } = database;
  const isDue = async () =>
    (await sql`select 1 as due from webhook_cursor where customer_id = ${LOCKED} and due_at is not null`).length > 0;
  await sql.begin(async (tx) => {
    await record(LOCKED);
    await tx`select 1 as one from account where customer_id = ${LOCKED} for update`;
    await until('the event is pushed', () => countCalls('locked') === 1);
    // Meanwhile another customer gets its events, and its cursor retires.
    await record(GOOD);
    await until('another is pushed', () => countCalls('good') === 1);
    expect(await findLockWaits(sql, 'webhook_cursor')).toEqual([]);
    expect(await isDue()).toBe(true);
  });
  wake.notifyLocal('push', 0);
  await until('the cursor retires', async () => !(await isDue()));
});

test('cursors of one customer beyond its share of the pool do not delay the looks for others', async () => {
  await record(BAD);
  await until('the customer has as many calls as it may', () => countCalls('bad') === 8);
  for (let no = 1; no <= 3; no++) {
    const before = countCalls('good');
    await record(GOOD);
    await until('the other is pushed', () => countCalls('good') > before);
  }
  expect(countCalls('bad')).toBe(8);
});
