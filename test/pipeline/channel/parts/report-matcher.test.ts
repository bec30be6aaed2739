// Reports that are ahead of what is known of their part: while its answer is waited for, and while the loss of the answer
// is being recorded. Upstreams that do not repeat our reference name the part by its number alone.

import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Channel, Feedback, Report } from '../../../../src/channels/channel.js';
import { asTaskId } from '../../../../src/domain/id.js';
import type { DeliveryEvent } from '../../../../src/domain/outcome/delivery-event.js';
import { createPartMemory } from '../../../../src/pipeline/channel/parts/part-memory.js';
import { createQueuedPosition, type Sendable } from '../../../../src/pipeline/channel/parts/part-state.js';
import { createReportMatcher, type ReportMatcher } from '../../../../src/pipeline/channel/parts/report-matcher.js';
import { type FeedbackHandler, startFeedback } from '../../../../src/pipeline/channel/reports/feedback.js';
import { createStoredParts, readUnmatched } from '../../../../src/pipeline/channel/reports/stored-parts.js';
import type { Recorder } from '../../../../src/pipeline/settle/recorder.js';
import { createSnapshotView } from '../../../../src/store/snapshot/view.js';
import { createTestDatabase, type TestDatabase } from '../../../support/database.js';
import { ownChannels } from '../../../support/fences.js';
import { createMoves, createReportLifecycle } from '../../../support/model/channel-parts.js';
import { chunkOf } from '../../../support/model/chunk-of.js';

let database: TestDatabase;
let matcher: ReportMatcher;
let feedback: FeedbackHandler;
let listener: (feedback: Feedback) => void;
let recorded: DeliveryEvent[];
let acknowledged: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  const { sql } = database;
  await sql`
    insert into channel (channel_no, name, kind, firms, status, config, version)
    values ('H1', 'Here', 'simulator', '{}', 'active', '{}', 1)`;
  await ownChannels(sql, [1n]);
});
afterAll(() => database.drop());

const recorder: Recorder = {
  async record(deliveryEvents) {
    recorded.push(...deliveryEvents);
    return { refused: new Set(), failed: new Map() };
  },
  runExclusive: (_bucket, run) => void run(),
  waiting: () => 0,
  flush: async () => {},
  idle: async () => {},
};

beforeEach(async () => {
  recorded = [];
  acknowledged = [];
  await database.sql`delete from unmatched_report`;
  await start();
});

/** As a process does that knows nothing but what is stored. */
async function start(): Promise<void> {
  const lease = { channelId: 1n, token: 1n };
  const deps = {
    sql: database.sql,
    snapshot: createSnapshotView,
    lease,
    recorder,
    messageIdFormat: 'auto',
    now: Date.now,
  } as const;
  const memory = createPartMemory(100_000);
  const stored = createStoredParts(deps);
  const waiting = await readUnmatched(deps, 100);
  matcher = createReportMatcher({ channelId: 1n, messageIdFormat: 'auto', memory, stored, unmatched: waiting });
  const channel: Channel = {
    window: 10,
    submit: () => expect.fail('nothing is sent here'),
    onFeedback: (to) => {
      listener = to;
    },
    health: () => ({ state: 'up', sessions: 1 }),
    close: async () => {},
  };
  feedback = startFeedback({
    sql: database.sql,
    snapshot: () => createSnapshotView(),
    region: 'CN',
    lease,
    channel,
    matcher,
    lifecycle: createReportLifecycle(matcher, recorder),
    stored,
    memory,
    recorder,
    log: pino({ level: 'silent' }),
    now: Date.now,
    claimReport: () => false,
    observe: () => {},
  });
}

const TO = '8613800138000';

function createPart(seq: number, to = TO): Sendable {
  const numbers = { seq: [seq], phone: [to.slice(2)], to: [to], text: 'Hello', parts: [1] };
  const chunk = chunkOf({ taskId: asTaskId(7n), numbers });
  const text = { text: 'Hello', encoding: 'gsm7', part: 1, parts: 1 } as const;
  return {
    part: { reference: `1.7.${seq}.1`, message: `1.7.${seq}`, to, from: '1069', ...text },
    position: { ...createQueuedPosition(chunk, 0, 1), submittedAt: Date.now() },
  };
}

const moves = createMoves(() => matcher);

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
const countUnmatched = async () => (await database.sql`select 1 from unmatched_report`).length;

test.each(['abc-1', '1234567890'])(
  'a report (%s) before its answer is given up waits, and is taken up then',
  async (id) => {
    const part = createPart(1);
    moves.submit(part);
    report(id);
    await feedback.idle();
    expect([recorded, acknowledged, await countUnmatched()]).toEqual([[], [id], 1]);
    moves.lose(part);
    moves.recordLoss(part);
    await feedback.idle();
    expect(recorded).toMatchObject([{ event: { kind: 'reported', status: 'delivered' }, messageId: id }]);
    // The unmatched report goes with the transaction that settles it.
    expect(recorded[0]?.reportId).toBeTypeOf('bigint');
  },
);

test('a report while the loss is being recorded finds its part', async () => {
  const part = createPart(1);
  moves.lose(part);
  report('abc-1');
  await feedback.idle();
  expect([seqs(), await countUnmatched()]).toEqual([[1], 0]);
});

test('our own reference tells parts to one number apart, its absence leaves them to the operator', async () => {
  const [one, two] = [createPart(1), createPart(2)];
  for (const part of [one, two]) moves.lose(part);
  report('abc-1', { reference: two.part.reference });
  report('abc-2');
  await feedback.idle();
  expect([seqs(), await countUnmatched()]).toEqual([[2], 1]);
});

test('an id that is used for several handsets does not lead to a lost part while the answer to another is being recorded', async () => {
  const [lost, accepted, other] = [createPart(1), createPart(2), createPart(3, '8613900139000')];
  for (const part of [lost, accepted, other]) moves.submit(part);
  moves.lose(lost);
  moves.accept(accepted, '0');
  moves.accept(other, '0');
  report('0');
  await feedback.idle();
  expect([seqs(), await countUnmatched()]).toEqual([[], 1]);
});

test('two reports to one number are not guessed about', async () => {
  const part = createPart(1);
  moves.submit(part);
  report('abc-1');
  report('abc-2');
  await feedback.idle();
  moves.lose(part);
  moves.recordLoss(part);
  await feedback.idle();
  expect([seqs(), await countUnmatched()]).toEqual([[], 2]);
});

test('a report that may be about one of two lost parts is not about the other one when the first is given up', async () => {
  const [one, two] = [createPart(1), createPart(2)];
  for (const part of [one, two]) {
    moves.submit(part);
    moves.lose(part);
  }
  report('abc-1');
  await feedback.idle();
  // Nothing in the database is about the first any more.
  moves.recordLoss(one);
  await feedback.idle();
  await matcher.rematchDue(() => true);
  await feedback.idle();
  expect([seqs(), await countUnmatched()]).toEqual([[], 1]);
});

test('an unmatched report that named another part of ours is not about this one, also after a restart', async () => {
  report('abc-1', { reference: '1.7.9.1' });
  await feedback.idle();
  await start();
  const part = createPart(1);
  part.position.submittedAt = 0;
  moves.submit(part);
  moves.lose(part);
  moves.recordLoss(part);
  await feedback.idle();
  expect([seqs(), await countUnmatched()]).toEqual([[], 1]);
  const named = createPart(9);
  moves.submit(named);
  moves.lose(named);
  moves.recordLoss(named);
  await feedback.idle();
  expect(seqs()).toEqual([9]);
});

test('a report from before the part left is not about it', async () => {
  report('abc-1');
  await feedback.idle();
  const part = createPart(1);
  part.position.submittedAt = Date.now() + 1000;
  moves.recordLoss(part);
  await feedback.idle();
  expect([seqs(), await countUnmatched()]).toEqual([[], 1]);
});

test('reports that came one after another before the answer are all taken up', async () => {
  const part = createPart(1);
  moves.submit(part);
  report('abc-9', { status: 'intermediate' });
  report('abc-9');
  await feedback.idle();
  expect(await countUnmatched()).toBe(2);
  moves.accept(part, 'abc-9');
  await feedback.idle();
  expect(recorded.map(({ event }) => event)).toEqual([
    { kind: 'reported', status: 'intermediate' },
    { kind: 'reported', status: 'delivered' },
  ]);
});

test('an id that reads like another one in another base settles nothing without the number', async () => {
  const part = createPart(1);
  moves.submit(part);
  moves.accept(part, '4096');
  report('1000', { phone: '8613900139000' });
  await feedback.idle();
  expect([seqs(), await countUnmatched()]).toEqual([[], 1]);
  report('1000');
  await feedback.idle();
  expect(seqs()).toEqual([1]);
});

test('a report with an empty id is not about the part with the id 0', async () => {
  const part = createPart(1);
  moves.submit(part);
  moves.accept(part, '0');
  report('');
  await feedback.idle();
  expect([seqs(), await countUnmatched()]).toEqual([[], 1]);
  report('0');
  await feedback.idle();
  expect(seqs()).toEqual([1]);
});

test('the memory of parts stays within its bytes, and keeps the channels apart', async () => {
  const memory = createPartMemory(1000);
  const { position } = createPart(1);
  for (let at = 0; at < 100; at++) memory.remember('1', `id-${at}`, position);
  expect(memory.bytes()).toBeLessThanOrEqual(1000);
  expect([memory.find('1', 'id-0'), memory.find('1', 'id-99'), memory.find('2', 'id-99')]).toEqual([
    undefined,
    position,
    undefined,
  ]);
});
