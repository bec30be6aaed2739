// Test messages: an operator requests one on any node, and the owner of the channel sends it, outside of tasks, queues and money. The
// intent is committed before the channel gets the part, as for every part: it is sent at most once.

import type { Channel, Part, Report, SubmitOutcome } from '../../../channels/channel.js';
import type { ChannelTest } from '../../../domain/entities/channel-test.js';
import type { Log } from '../../../domain/log.js';
import { type MessageIdFormat, messageKeyOf, readReportedKeys } from '../../../domain/message/message-id.js';
import { type Candidate, chooseCandidate } from '../../../domain/message/part-matching.js';
import { type Alphabet, splitIntoParts } from '../../../domain/message/parts.js';
import type { Lease } from '../../../store/channel/channel-lease.js';
import {
  giveUpTests,
  readOpenTests,
  recordTestAnswer,
  recordTestReport,
  type TestAnswer,
  takeUpTests,
} from '../../../store/channel/channel-test.js';
import type { Sql } from '../../../store/sql.js';

export interface TestSendOptions {
  readonly sql: Sql;
  readonly lease: Lease;
  readonly channel: Channel;
  readonly alphabet: Alphabet;
  readonly messageIdFormat: MessageIdFormat;
  readonly log: Log;
}

export interface TestSends {
  /** Sends waiting tests, without awaiting their answers. */
  poll(): Promise<void>;
  /**
   * Returns true if a report is, or may be, about a test message. A report that may belong to an unanswered test is kept until the
   * answer, and passed to `onForeign` if it does not.
   */
  claimReport(report: Report, onForeign: (report: Report) => void): boolean;
  stop(): Promise<void>;
}

/** A test without a final report. */
interface OpenTest {
  readonly testId: bigint;
  readonly reference: string;
  readonly phone: string;
  messageKey: string | undefined;
}

export async function startTestSends(options: TestSendOptions): Promise<TestSends> {
  const { sql, lease, channel, log } = options;
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  const open = new Map<bigint, OpenTest>();
  /** Tests whose answer is awaited. */
  const unanswered = new Map<OpenTest, Promise<void>>();

  const follow = (test: ChannelTest): OpenTest => {
    const { test_id: testId, phone, upstream_message_id: messageId } = test;
    const messageKey = messageId === null ? undefined : messageKeyOf(messageId);
    const followed = { testId, phone, reference: referenceOf(testId), messageKey };
    open.set(testId, followed);
    return followed;
  };

  const track = (work: Promise<void>): void => {
    const guarded = work.catch((err: unknown) => log.warn({ err }, 'a test message could not be recorded'));
    const tracked: Promise<void> = guarded.finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  };

  const send = async (test: ChannelTest): Promise<void> => {
    const followed = follow(test);
    const answer = submit(test);
    const known = answer.then(({ status, messageId }) => {
      if (messageId !== null) followed.messageKey = messageKeyOf(messageId);
      if (status !== 'accepted' && status !== 'unknown') open.delete(test.test_id);
      unanswered.delete(followed);
    });
    unanswered.set(followed, known);
    await known;
    await recordTestAnswer(sql, lease, test.test_id, await answer);
  };

  const submit = async (test: ChannelTest): Promise<TestAnswer> => {
    let answer: TestAnswer = { status: 'unknown', code: 'no_outcome', messageId: null };
    try {
      for await (const outcome of channel.submit([partOf(test, options.alphabet)], stopping.signal))
        answer = answerOf(outcome);
    } catch (err) {
      log.error({ err }, 'the channel failed in the middle of a test message');
    }
    return answer;
  };

  const settle = (test: OpenTest, report: Report): void => {
    const { status, code } = report;
    if (status !== 'intermediate') open.delete(test.testId);
    const storing = recordTestReport(sql, lease, test.testId, { status, code });
    track(
      storing.then(report.ack, (error: unknown) => {
        open.set(test.testId, test);
        report.nack();
        throw error;
      }),
    );
  };

  /** By the rules for all parts, except that a test without an answer is never guessed by its number. */
  const find = ({ reference, messageId, phone }: Report): OpenTest | undefined => {
    if (open.size === 0) return undefined;
    const { exact, guesses } = readReportedKeys(messageId, options.messageIdFormat);
    const candidates = [...open.values()].flatMap((test): Candidate<OpenTest>[] => {
      const { messageKey = '', phone: to } = test;
      if (test.reference === reference) return [{ how: 'reference', to, found: test }];
      if (messageKey !== '' && messageKey === exact) return [{ how: 'exact', to, found: test }];
      return guesses.includes(messageKey) ? [{ how: 'other_spelling', to, found: test }] : [];
    });
    return chooseCandidate(phone, candidates)?.found;
  };

  await giveUpTests(sql, lease);
  for (const test of await readOpenTests(sql, lease)) follow(test);

  return {
    async poll() {
      if (stopping.signal.aborted || channel.health().state === 'down') return;
      for (const test of await takeUpTests(sql, lease)) track(send(test));
    },
    claimReport(report, onForeign) {
      const test = find(report);
      if (test !== undefined) {
        settle(test, report);
        return true;
      }
      const mayBe = [...unanswered].filter(([{ phone }]) => report.phone === undefined || report.phone === phone);
      if (mayBe.length === 0) return false;
      const known = Promise.all(mayBe.map(([, answered]) => answered)).then(() => {
        const late = find(report);
        if (late === undefined) onForeign(report);
        else settle(late, report);
      });
      track(known);
      return true;
    },
    async stop() {
      stopping.abort();
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

function referenceOf(testId: bigint): string {
  return `test.${testId}`;
}

function partOf({ test_id: testId, phone, sender, text }: ChannelTest, alphabet: Alphabet): Part {
  const { encoding } = splitIntoParts(text, alphabet);
  return { reference: referenceOf(testId), to: phone, from: sender, text, encoding, part: 1, parts: 1 };
}

function answerOf(outcome: SubmitOutcome): TestAnswer {
  switch (outcome.kind) {
    case 'accepted':
      return { status: 'accepted', code: null, messageId: outcome.messageId };
    case 'refused':
      return { status: 'rejected', code: outcome.code, messageId: null };
    case 'unknown':
      return { status: 'unknown', code: outcome.code, messageId: null };
    case 'throttled':
      return { status: 'not_sent', code: outcome.code, messageId: null };
    case 'unsent':
      return { status: 'not_sent', code: null, messageId: null };
  }
}
