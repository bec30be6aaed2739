// A stream of receipts is sent in full messages: a call costs the same with ten items as with hundreds.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { WEBHOOK_EVENTS } from '../../../src/domain/entities/webhook-events.js';
import { asCustomerId } from '../../../src/domain/id.js';
import { MAX_ITEMS } from '../../../src/domain/webhook.js';
import { type DeliverDeps, deliver } from '../../../src/pipeline/push/deliver.js';
import type { Sources } from '../../../src/pipeline/push/sources.js';
import type { Span } from '../../../src/store/webhook/webhook-history.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const WEBHOOK_ID = 7n;
const CUSTOMER_ID = asCustomerId(1n);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.sql`insert into account (customer_id) values (${CUSTOMER_ID})`;
  await database.sql`
    insert into webhook (customer_id, webhook_id, url, events, status, secret_sealed, verified_at)
    values (${CUSTOMER_ID}, ${WEBHOOK_ID}, 'https://example.com/', '{receipts}', 'active', '\\x00', now())`;
  await database.sql`
    insert into webhook_cursor (customer_id, webhook_id, event, position, due_at)
    values (${CUSTOMER_ID}, ${WEBHOOK_ID}, 'receipts', 0, now())`;
});
afterAll(() => database.drop());

/** As many receipts as there are numbers up to the head. */
async function readNumbers(_tenant: unknown, { after, until }: Span) {
  const count = Math.min(Number(until - after), MAX_ITEMS);
  if (count === 0) return undefined;
  return { last: after + BigInt(count), data: {}, items: count, hasRoom: count < MAX_ITEMS, at: new Date() };
}

/** One run up to the head; what it pushed, and how it ended. */
async function run(head: bigint) {
  const { sql } = database;
  const unused = async () => undefined;
  const unusedSources = Object.fromEntries(WEBHOOK_EVENTS.map((event) => [event, unused])) as unknown as Sources;
  const sources: Sources = { ...unusedSources, receipts: readNumbers };
  const deps: DeliverDeps = {
    sql,
    snapshot: () => {
      throw new Error('nothing fails here');
    },
    sealer: { keyId: '', seal: () => Buffer.alloc(0), open: () => Buffer.from('whsec_c2VjcmV0'), deriveKeys: () => [] },
    sources,
    poster: { post: async () => ({ status: 204, error: null, latencyMs: 1, body: '' }), close: () => undefined },
    observer: { attempt: () => undefined, disabled: () => undefined },
    now: () => Date.now(),
    random: () => 0,
  };
  const [before] = await sql<{ position: bigint; token: bigint }[]>`select position, token from webhook_cursor`;
  if (before === undefined) throw new Error('no cursor');
  const rest = { messageEnd: null, failures: 0, failingSince: null, event: 'receipts', replayUntil: null } as const;
  const cursor = { bucket: 0, customerId: CUSTOMER_ID, webhookId: WEBHOOK_ID, ...rest, ...before, head };
  await sql`update account set record_id = ${head}`;
  const { signal } = new AbortController();
  const end = await deliver(deps, cursor, { stop: signal, cutOff: signal });
  const attempts = await sql<{ items: number }[]>`delete from webhook_attempt returning items`;
  return { end, pushed: attempts.map(({ items }) => items) };
}

test('what is left over after a full message goes with what comes next, and alone where nothing comes', async () => {
  expect(await run(1020n)).toEqual({ end: 'more', pushed: [500, 500] });
  expect(await run(1520n)).toEqual({ end: 'more', pushed: [500] });
  expect(await run(1520n)).toEqual({ end: 'done', pushed: [20] });
});
