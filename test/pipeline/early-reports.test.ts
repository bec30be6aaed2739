// Reports that are ahead of what is known of their part: while its answer is waited for, and while the loss of the answer
// is being recorded. Upstreams that do not repeat our reference name the part by its number alone.

import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Channel, Feedback, Part, Report } from '../../src/channels/channel.js';
import { asCustomerId, asTaskId } from '../../src/domain/id.js';
import { ZERO } from '../../src/domain/money.js';
import { type FeedbackDesk, startFeedback } from '../../src/pipeline/feedback.js';
import { type Flight, type FlightDirectory, makeFlightDirectory } from '../../src/pipeline/flight.js';
import type { Recorder } from '../../src/pipeline/recorder.js';
import type { Happening } from '../../src/pipeline/settlement.js';
import { createSnapshotView } from '../../src/store/snapshot/view.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let directory: FlightDirectory;
let desk: FeedbackDesk;
let listener: (feedback: Feedback) => void;
let recorded: Happening[];
let acknowledged: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  const { sql } = database;
  await sql`
    insert into channel (channel_no, name, kind, firms, status, config, version)
    values ('H1', 'Here', 'simulator', '{}', 'active', '{}', 1)`;
  await sql`insert into channel_lease (channel_id, owner, token, expires_at) values (1, 'this test', 1, 'infinity')`;
});
afterAll(() => database.drop());

const recorder: Recorder = {
  add(_customerId, happenings, _lease, settled) {
    recorded.push(...happenings);
    settled(undefined, new Set());
  },
  async record(_customerId, happenings) {
    recorded.push(...happenings);
    return new Set();
  },
  flush: async () => {},
  idle: async () => {},
};

beforeEach(async () => {
  recorded = [];
  acknowledged = [];
  directory = makeFlightDirectory(100);
  await database.sql`delete from orphan_delivery`;
  const channel: Channel = {
    window: 10,
    submit: () => expect.fail('nothing is sent here'),
    onFeedback: (to) => {
      listener = to;
    },
    health: () => ({ state: 'up', sessions: 1 }),
    close: async () => {},
  };
  desk = await startFeedback({
    sql: database.sql,
    snapshot: () => createSnapshotView(),
    region: 'CN',
    lease: { channelId: 1n, token: 1n },
    channel,
    messageIdFormat: 'auto',
    directory,
    recorder,
    log: pino({ level: 'silent' }),
    now: Date.now,
    observe: () => {},
  });
});

const TO = '8613800138000';

function makeFlight(seq: number): { part: Part; flight: Flight } {
  const numbers = { seq: [seq], phone: ['13800138000'], to: [TO], text: 'Hello', parts: [1] };
  const key = { customerId: asCustomerId(1n), taskId: asTaskId(7n), chunkNo: 1, jobId: 1n, channelId: 1n };
  const chunk = { ...key, serviceAccountId: 1n, firm: 'cmcc', unitPrice: ZERO, numbers, offsets: Uint32Array.of(0, 1) };
  const flight = { chunk, index: 0, part: 1, submittedAt: Date.now() };
  const reference = `1.7.${seq}.1`;
  const text = { text: 'Hello', encoding: 'gsm7', part: 1, parts: 1 } as const;
  return { part: { reference, message: `1.7.${seq}`, to: TO, from: '1069', ...text }, flight };
}

function report(messageId: string, more: Partial<Report> = {}): void {
  const ack = () => void acknowledged.push(messageId);
  listener({
    kind: 'report',
    messageId,
    status: 'delivered',
    code: 'DELIVRD',
    phone: TO,
    ack,
    nack: () => {},
    ...more,
  });
}

const seqs = () => recorded.map(({ chunk, index }) => chunk.numbers.seq[index]);
const orphans = async () => (await database.sql`select 1 from orphan_delivery`).length;

test.each(['abc-1', '1234567890'])(
  'a report (%s) before its answer is given up waits, and is taken up then',
  async (id) => {
    const { part, flight } = makeFlight(1);
    directory.takeOff(part);
    report(id);
    await desk.idle();
    expect([recorded, acknowledged, await orphans()]).toEqual([[], [id], 1]);
    directory.land(part);
    directory.loseAnswer(part, flight);
    desk.onLost(part, flight);
    await desk.idle();
    expect(recorded).toMatchObject([{ event: { kind: 'reported', status: 'delivered' }, messageId: id }]);
    // The kept report goes with the transaction that settles it.
    expect(recorded[0]?.orphanId).toBeTypeOf('bigint');
  },
);

test('a report while the loss is being recorded finds its part', async () => {
  const { part, flight } = makeFlight(1);
  directory.loseAnswer(part, flight);
  report('abc-1');
  await desk.idle();
  expect([seqs(), await orphans()]).toEqual([[1], 0]);
});

test('our own reference tells parts to one number apart, its absence leaves them to the operator', async () => {
  const [one, two] = [makeFlight(1), makeFlight(2)];
  for (const { part, flight } of [one, two]) directory.loseAnswer(part, flight);
  report('abc-1', { reference: two.part.reference });
  report('abc-2');
  await desk.idle();
  expect([seqs(), await orphans()]).toEqual([[2], 1]);
});

test('two reports to one number are not guessed about', async () => {
  const { part, flight } = makeFlight(1);
  directory.takeOff(part);
  report('abc-1');
  report('abc-2');
  await desk.idle();
  directory.land(part);
  desk.onLost(part, flight);
  await desk.idle();
  expect([seqs(), await orphans()]).toEqual([[], 2]);
});

test('a report from before the part left is not about it', async () => {
  report('abc-1');
  await desk.idle();
  const { part, flight } = makeFlight(1);
  flight.submittedAt = Date.now() + 1000;
  desk.onLost(part, flight);
  await desk.idle();
  expect([seqs(), await orphans()]).toEqual([[], 1]);
});

test('reports that came one after another before the answer are all taken up', async () => {
  const { part, flight } = makeFlight(1);
  directory.takeOff(part);
  report('abc-9', { status: 'intermediate' });
  report('abc-9');
  await desk.idle();
  expect(await orphans()).toBe(2);
  directory.land(part);
  directory.remember('abc-9', flight);
  desk.onAccepted('abc-9');
  await desk.idle();
  expect(recorded.map(({ event }) => event)).toEqual([
    { kind: 'reported', status: 'intermediate' },
    { kind: 'reported', status: 'delivered' },
  ]);
});
