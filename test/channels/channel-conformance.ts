// What every channel must do with any carrier. The carrier knows the test numbers: the last four digits
// choose the fate of a number.
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Feedback, OpenChannel, Part, Report, SubmitOutcome, UplinkMessage } from '../../src/channels/channel.js';
import type { DriverDeps } from '../../src/channels/driver.js';
import { messageKeyOf, reportKeysOf } from '../../src/domain/message/message-id.js';
import { type Alphabet, splitIntoParts } from '../../src/domain/message/parts.js';
import type { MessageCentre } from '../../tools/message-centre/message-centre.js';
import type { CommonOptions } from '../../tools/message-centre/options.js';

export interface ConformanceSubject {
  readonly channel: OpenChannel;
  /** Texts go whole, so that no part is one of several. */
  readonly isWhole?: boolean;
  /** False where reports cannot tell a message that expired from another that was not delivered. */
  readonly hasExpiry?: boolean;
  /** For carriers with logins. */
  readonly sessions?: {
    readonly centre: MessageCentre;
    /** How many logins there are, of either side, when all sessions are open. */
    readonly logins: number;
    /** Opens the channel once more, with the same configuration. */
    reopen(): OpenChannel;
  };
  /** Stops the carrier of the channel. */
  stop(): Promise<void>;
}

/** What a test changes of the carrier. */
export interface CentreChanges extends Partial<CommonOptions> {
  /** Time after which the carrier sends again what was not answered. */
  readonly redeliverMs?: number;
}

/** How a driver is opened for the suite, by name: one entry for each way of configuring it that behaves differently. */
export type ConformanceSubjects = Readonly<
  Record<string, (deps: DriverDeps, changes?: CentreChanges) => Promise<ConformanceSubject>>
>;

const ACCEPTED = { '9001': 'delivered', '9002': 'undelivered', '9006': 'expired' } as const;

export function describeChannel(name: string, alphabet: Alphabet, open: () => Promise<ConformanceSubject>): void {
  describe(`the ${name} channel`, () => {
    let subject: ConformanceSubject;
    let channel: OpenChannel;
    let feedback: Feedback[];
    let take: (each: Feedback) => void;

    beforeEach(async () => {
      subject = await open();
      channel = subject.channel;
      feedback = [];
      take = (each) => each.ack();
      channel.onFeedback((each) => {
        feedback.push(each);
        take(each);
      });
      await until(() => channel.health().state === 'up');
    });

    afterEach(async () => {
      await channel.close();
      await subject.stop();
    });

    const reports = () => feedback.filter((each): each is Report => each.kind === 'report');
    const uplinks = () => feedback.filter((each): each is UplinkMessage => each.kind === 'uplink');

    it('has a window and says that it is up', () => {
      expect(channel.window).toBeGreaterThanOrEqual(1);
      expect(channel.window).toBeLessThanOrEqual(100 * channel.health().sessions);
    });

    it('gives one outcome for each part and no other, under ids of their own', async () => {
      const parts = Array.from({ length: 500 }, (_, index) => createPart(alphabet, '9001', { reference: `r${index}` }));
      const outcomes = await submit(channel, parts);
      expect(new Set(outcomes.map(({ part }) => part))).toEqual(new Set(parts));
      expect(outcomes).toHaveLength(parts.length);
      const ids = outcomes.map((outcome) => (outcome.kind === 'accepted' ? outcome.messageId : ''));
      expect(new Set(ids).size).toBe(parts.length);
    });

    it('ends at once where there is nothing to submit', async () => {
      expect(await submit(channel, [])).toEqual([]);
    });

    it('keeps the outcomes of calls at the same time apart', async () => {
      const calls = ['a', 'b', 'c'].map((call) =>
        Array.from({ length: 50 }, (_, index) => createPart(alphabet, '9001', { reference: `${call}${index}` })),
      );
      const answered = await Promise.all(calls.map((parts) => submit(channel, parts)));
      for (const [index, outcomes] of answered.entries()) {
        expect(new Set(outcomes.map(({ part }) => part))).toEqual(new Set(calls[index]));
      }
    });

    it.each(Object.entries(ACCEPTED))(
      'reports %s as %s, under the id it gave and with the number',
      async (digits, status) => {
        const part = createPart(alphabet, digits);
        const [outcome] = await submit(channel, [part]);
        expect(outcome).toMatchObject({ kind: 'accepted' });
        await until(() => reports().length === 1);
        const [report] = reports();
        const told = subject.hasExpiry === false && status === 'expired' ? 'undelivered' : status;
        expect(report).toMatchObject({ status: told, phone: part.to });
        expect(report?.code).not.toBe('');
        const key = outcome?.kind === 'accepted' ? messageKeyOf(outcome.messageId) : '';
        expect(reportKeysOf(report?.messageId ?? '', channel.messageIdFormat)).toContain(key);
      },
    );

    it('tells a refusal with its code', async () => {
      const [outcome] = await submit(channel, [createPart(alphabet, '9003')]);
      expect(outcome?.kind).toBe('refused');
      expect(outcome?.kind === 'refused' && outcome.code).toBeTruthy();
    });

    it('calls a lost answer unknown, and still reports what comes of it', async () => {
      const outcomes = await submit(channel, [createPart(alphabet, '9004'), createPart(alphabet, '9005')]);
      expect(outcomes.map(({ kind }) => kind)).toEqual(['unknown', 'unknown']);
      await until(() => reports().length === 1);
      expect(reports()[0]).toMatchObject({ status: 'delivered', phone: createPart(alphabet, '9004').to });
    });

    it('does not make up a report', async () => {
      const outcomes = await submit(channel, [createPart(alphabet, '9007'), createPart(alphabet, '9001')]);
      expect(outcomes.map(({ kind }) => kind)).toEqual(['accepted', 'accepted']);
      await until(() => reports().length >= 1);
      expect(reports().map(({ phone }) => phone)).toEqual([createPart(alphabet, '9001').to]);
    });

    it.each([
      ['9008', 'OK'],
      ['9009', 'STOP'],
    ])('brings the reply of %s from the handset to the sender', async (digits, text) => {
      const part = createPart(alphabet, digits);
      await submit(channel, [part]);
      await until(() => uplinks().length === 1 && reports().length === 1);
      expect(uplinks()[0]).toMatchObject({ from: part.to, to: part.from, text });
    });

    it('gives a long message an outcome and a report for each submission, and one reply', async () => {
      const long = 'a'.repeat(400);
      const texts = subject.isWhole ? [long] : splitIntoParts(long, alphabet).parts;
      const parts = texts.map((text, index) =>
        createPart(alphabet, '9008', {
          reference: `long-${index}`,
          message: 'long',
          text,
          part: index + 1,
          parts: texts.length,
        }),
      );
      const outcomes = await submit(channel, parts);
      expect(outcomes.map(({ kind }) => kind)).toEqual(texts.map(() => 'accepted'));
      await until(() => reports().length === texts.length && uplinks().length === 1);
      expect(new Set(reports().map(({ messageId }) => messageId)).size).toBe(texts.length);
    });

    it('brings feedback again that could not be stored', async () => {
      take = (each) => (feedback.length <= 2 ? each.nack() : each.ack());
      await submit(channel, [createPart(alphabet, '9001')]);
      await until(() => reports().length === 3);
      expect(new Set(reports().map(({ messageId }) => messageId)).size).toBe(1);
    });

    it('hands over nothing once the signal has aborted', async () => {
      const parts = Array.from({ length: 10 }, (_, index) => createPart(alphabet, '9001', { reference: `r${index}` }));
      const outcomes = await submit(channel, parts, AbortSignal.abort());
      expect(outcomes.map(({ kind }) => kind)).toEqual(new Array(10).fill('unsent'));
      await submit(channel, [createPart(alphabet, '9002')]);
      await until(() => reports().length >= 1);
      expect(reports().map(({ status }) => status)).toEqual(['undelivered']);
    });

    it('accounts for every part when the signal aborts half way', async () => {
      const abort = new AbortController();
      const parts = Array.from({ length: 2_000 }, (_, index) =>
        createPart(alphabet, '9001', { reference: `r${index}` }),
      );
      const outcomes: SubmitOutcome[] = [];
      for await (const outcome of channel.submit(parts, abort.signal)) {
        outcomes.push(outcome);
        abort.abort();
      }
      expect(new Set(outcomes.map(({ part }) => part))).toEqual(new Set(parts));
      const accepted = outcomes.filter(({ kind }) => kind === 'accepted').length;
      expect(accepted + outcomes.filter(({ kind }) => kind === 'unsent').length).toBe(parts.length);
      // On a slow machine a carrier repeats one that is answered late.
      await until(() => new Set(reports().map(({ messageId }) => messageId)).size === accepted);
    });

    it('closes once every submit has ended, takes nothing after, and may be closed again', async () => {
      const submitted = submit(
        channel,
        Array.from({ length: 300 }, (_, index) => createPart(alphabet, '9007', { reference: `r${index}` })),
      );
      await channel.close();
      expect(await submitted).toHaveLength(300);
      expect((await submit(channel, [createPart(alphabet, '9001')])).map(({ kind }) => kind)).toEqual(['unsent']);
      await channel.close();
    });
  });
}

/** For the kinds whose carriers have logins. */
export function describeLogins(
  name: string,
  alphabet: Alphabet,
  open: (changes: CentreChanges) => Promise<ConformanceSubject>,
): void {
  describe(`the logins of the ${name} channel`, () => {
    it('open the way for what the carrier kept, and it waits, unanswered, until it is listened to', async () => {
      // The carrier keeps everything for the next login, sends it in one write with the answer to it, and sends nothing twice.
      const subject = await open({ atLoginRate: 1, repeatRefused: false, redeliverMs: 60_000 });
      onTestFinished(subject.stop);
      const { sessions } = subject;
      if (sessions === undefined) throw new Error(`${name} has no logins`);
      const { centre, logins, reopen } = sessions;
      const isOpen = (channel: OpenChannel, times: number) =>
        channel.health().state === 'up' && centre.counts().binds === times * logins;
      const first = subject.channel;
      first.onFeedback(() => {});
      await until(() => isOpen(first, 1));
      const parts = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map((reference) =>
        createPart(alphabet, '9008', { reference }),
      );
      expect((await submit(first, parts)).map(({ kind }) => kind)).toEqual(parts.map(() => 'accepted'));
      await until(() => centre.pending() === 2 * parts.length);
      await first.close();

      const second = reopen();
      onTestFinished(() => second.close());
      await until(() => isOpen(second, 2));
      // What came behind the login has been read when something later is answered.
      const later = createPart(alphabet, '9007', { reference: 'later' });
      expect((await submit(second, [later])).map(({ kind }) => kind)).toEqual(['accepted']);
      const feedback: Feedback[] = [];
      second.onFeedback((each) => {
        feedback.push(each);
        each.ack();
      });
      await until(() => feedback.length === 2 * parts.length);
      expect(feedback.filter(({ kind }) => kind === 'report')).toHaveLength(parts.length);
      await until(() => centre.pending() === 0);
      expect(centre.counts()).toMatchObject({ acknowledged: 2 * parts.length, redelivered: 0, givenUp: 0 });
    });

    it('give back what has no listener when the channel closes', async () => {
      const subject = await open({ atLoginRate: 1, redeliverMs: 60_000 });
      onTestFinished(subject.stop);
      const { sessions } = subject;
      if (sessions === undefined) throw new Error(`${name} has no logins`);
      const { centre, logins, reopen } = sessions;
      const first = subject.channel;
      first.onFeedback(() => {});
      await until(() => first.health().state === 'up' && centre.counts().binds === logins);
      await submit(first, [createPart(alphabet, '9001', {})]);
      await until(() => centre.pending() === 1);
      await first.close();
      const second = reopen();
      await until(() => second.health().state === 'up' && centre.counts().binds === 2 * logins);
      await second.close();
      const third = reopen();
      onTestFinished(() => third.close());
      const feedback: Feedback[] = [];
      third.onFeedback((each) => {
        feedback.push(each);
        each.ack();
      });
      await until(() => centre.pending() === 0);
      expect(feedback).toMatchObject([{ kind: 'report', status: 'delivered' }]);
      expect(centre.counts().acknowledged).toBe(1);
    });
  });
}

function createPart(alphabet: Alphabet, digits: string, over: Partial<Part> = {}): Part {
  return {
    reference: digits,
    to: `861380013${digits}`,
    from: '1069012345',
    text: 'Your parcel has left the depot.',
    encoding: alphabet,
    part: 1,
    parts: 1,
    ...over,
  };
}

async function submit(
  channel: OpenChannel,
  parts: readonly Part[],
  signal: AbortSignal = new AbortController().signal,
): Promise<SubmitOutcome[]> {
  const outcomes: SubmitOutcome[] = [];
  for await (const outcome of channel.submit(parts, signal)) outcomes.push(outcome);
  return outcomes;
}

async function until(condition: () => boolean): Promise<void> {
  const start = performance.now();
  while (!condition()) {
    if (performance.now() - start > 20_000) throw new Error(`never came true: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
