// Reports as they come in: one that is read before the answer to its part, because the two came in one breath, is settled
// without asking the database, which knows nothing of the part yet; and one that cannot be looked up leaves the others alone.

import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel, Feedback, Part, Report } from '../../../../src/channels/channel.js';
import type { DeliveryEvent } from '../../../../src/domain/outcome/delivery-event.js';
import { createPartMemory } from '../../../../src/pipeline/channel/parts/part-memory.js';
import { createQueuedPosition, type Sendable } from '../../../../src/pipeline/channel/parts/part-state.js';
import { createReportMatcher } from '../../../../src/pipeline/channel/parts/report-matcher.js';
import { startFeedback } from '../../../../src/pipeline/channel/reports/feedback.js';
import { createStoredParts } from '../../../../src/pipeline/channel/reports/stored-parts.js';
import type { Recorder } from '../../../../src/pipeline/settle/recorder.js';
import { EarlyReportError } from '../../../../src/pipeline/settle/settle-batch.js';
import { createSnapshotView } from '../../../../src/store/snapshot/view.js';
import { createTestDatabase, type TestDatabase } from '../../../support/database.js';
import { ownChannels } from '../../../support/fences.js';
import { createMoves, createReportLifecycle } from '../../../support/model/channel-parts.js';
import { chunkOf } from '../../../support/model/chunk-of.js';
import { until } from '../../../support/until.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.sql`
    insert into channel (channel_no, name, kind, firms, status, config, version)
    values ('H1', 'Here', 'simulator', '{}', 'active', '{}', 1)`;
  await ownChannels(database.sql, [1n]);
});
afterAll(() => database.drop());

const to = '8613800138000';
const chunk = chunkOf();
const part: Part = { reference: '1.2.1.1', to, from: '1069', text: 'Hello', encoding: 'gsm7', part: 1, parts: 1 };
const createPart = (): Sendable => ({ part, position: createQueuedPosition(chunk, 0, 1) });

/**
 * A feedback handler whose statements are counted, and the events it records. The database refuses to look up `refused`. The answer to
 * the part of the first `early` reports is not recorded yet.
 */
function openFeedback(refused = 'nothing', early = 0) {
  const asked: number[] = [];
  const sql = new Proxy(database.sql, {
    apply(target, self, values) {
      asked.push(Date.now());
      const isRefused = values.some((value) => typeof value === 'string' && value.includes(refused));
      if (isRefused) return Promise.reject(new Error(`what is this: ${refused}`));
      return Reflect.apply(target, self, values);
    },
  });
  let listener: (feedback: Feedback) => void = () => {};
  const channel = {
    onFeedback(added: typeof listener) {
      listener = added;
    },
  } as Channel;
  const settled: DeliveryEvent[] = [];
  const record: Recorder['record'] = async (deliveryEvents) => {
    const isEarly = settled.length < early;
    settled.push(...deliveryEvents);
    const failed = isEarly ? deliveryEvents.map((each) => [each, new EarlyReportError()] as const) : [];
    return { refused: new Set(), failed: new Map(failed) };
  };
  const memory = createPartMemory(1e6);
  const lease = { channelId: 1n, token: 1n };
  const recorder = { record, flush: async () => {} } as unknown as Recorder;
  const stored = createStoredParts({
    sql,
    snapshot: createSnapshotView,
    lease,
    recorder,
    messageIdFormat: 'auto',
    now: Date.now,
  });
  const matcher = createReportMatcher({ channelId: 1n, messageIdFormat: 'auto', memory, stored });
  const feedback = startFeedback({
    sql,
    snapshot: createSnapshotView,
    region: 'CN',
    lease,
    channel,
    matcher,
    lifecycle: createReportLifecycle(matcher, recorder),
    stored,
    memory,
    recorder,
    log: pino({ level: 'silent' }),
    claimReport: () => false,
    now: Date.now,
    observe: () => {},
  });
  asked.length = 0;
  return { asked, settled, moves: createMoves(() => matcher), feedback, report: (report: Report) => listener(report) };
}

function createReport(acknowledged: string[], messageId = 'm1', nack = () => {}): Report {
  const ack = () => void acknowledged.push(messageId);
  return { kind: 'report', messageId, phone: to, status: 'delivered', code: 'DELIVRD', ack, nack };
}

test('a report ahead of its answer is settled by what is known a moment later', async () => {
  const { asked, settled, moves, feedback, report } = openFeedback();
  const acknowledged: string[] = [];
  const sendable = createPart();
  moves.submit(sendable);
  report(createReport(acknowledged));
  moves.accept(sendable, 'm1');
  await feedback.idle();
  expect(settled.map(({ event, messageId }) => [event.kind, messageId])).toEqual([['reported', 'm1']]);
  expect([acknowledged, asked]).toEqual([['m1'], []]);
});

test('a report of a part that is not in memory is looked up in the database', async () => {
  const { asked, settled, feedback, report } = openFeedback();
  report(createReport([]));
  await feedback.idle();
  expect(settled).toEqual([]);
  expect(asked.length).toBeGreaterThan(0);
});

test('one that cannot be looked up is given back alone', async () => {
  await database.sql`delete from unmatched_report`;
  const { feedback, report } = openFeedback('poison');
  const acknowledged: string[] = [];
  const givenBack: string[] = [];
  for (const messageId of ['a', 'b', 'poison', 'c', 'd']) {
    report(createReport(acknowledged, messageId, () => void givenBack.push(messageId)));
  }
  await feedback.idle();
  expect([acknowledged, givenBack]).toEqual([['a', 'b', 'c', 'd'], ['poison']]);
  const kept = await database.sql`select message_id as id from unmatched_report order by report_id`;
  expect(kept.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
});

test('one that cannot be kept is given back alone', async () => {
  await database.sql`delete from unmatched_report`;
  await database.sql`alter table unmatched_report add constraint poison check (message_id <> 'c')`;
  const { feedback, report } = openFeedback();
  const acknowledged: string[] = [];
  const givenBack: string[] = [];
  for (const messageId of ['a', 'b', 'c', 'd']) {
    report(createReport(acknowledged, messageId, () => void givenBack.push(messageId)));
  }
  await feedback.idle();
  expect([acknowledged.sort(), givenBack]).toEqual([['a', 'b', 'd'], ['c']]);
  await database.sql`alter table unmatched_report drop constraint poison`;
});

test('a report that is stored because its answer is not recorded is retried after all others are done', async () => {
  const { settled, moves, feedback, report } = openFeedback('nothing', 1);
  const acknowledged: string[] = [];
  const sendable = createPart();
  moves.submit(sendable);
  moves.accept(sendable, 'm1');
  report(createReport(acknowledged));
  await feedback.idle();
  expect([acknowledged, settled.length]).toEqual([['m1'], 1]);
  await until('it is retried', () => settled.length === 2);
  await feedback.stop();
});
