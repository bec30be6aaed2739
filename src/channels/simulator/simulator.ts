// An upstream without a carrier: it answers, delivers and replies automatically, at the rates and delays of its
// configuration, or as a test number says.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, ChannelHealth, Feedback, Outstanding, Part, ReportStatus, SubmitOutcome } from '../channel.js';
import type { SimulatorConfig } from './config.js';

/** The outcome of one part. */
interface Fate {
  readonly answer: 'accepted' | 'refused' | 'lost';
  /** Undefined: no report ever comes. */
  readonly report?: Exclude<ReportStatus, 'intermediate'>;
  /** The handset's reply after the message is delivered. */
  readonly reply?: string;
}

const TEST_FATES: ReadonlyMap<string, Fate> = new Map<string, Fate>([
  ['9001', { answer: 'accepted', report: 'delivered' }],
  ['9002', { answer: 'accepted', report: 'undelivered' }],
  ['9003', { answer: 'refused' }],
  ['9004', { answer: 'lost', report: 'delivered' }],
  ['9005', { answer: 'lost' }],
  ['9006', { answer: 'accepted', report: 'expired' }],
  ['9007', { answer: 'accepted' }],
  ['9008', { answer: 'accepted', report: 'delivered', reply: 'OK' }],
  ['9009', { answer: 'accepted', report: 'delivered', reply: 'STOP' }],
]);

/** 13800139001 to 13800139009 with their country code: whole numbers, so that any other range completes. */
const LISTED = /^861380013(?=900[1-9]$)/;

const REPORT_CODES: Record<Exclude<ReportStatus, 'intermediate'>, string> = {
  delivered: 'DELIVRD',
  undelivered: 'UNDELIV',
  expired: 'EXPIRED',
  rejected: 'REJECTD',
};

/** A lost answer is visible only if the receipt comes noticeably later. */
const LATE_RECEIPT_MS = 1000;
/** A person needs a moment to reply. */
const REPLY_MS = 100;
const RETRY_MS = 1000;
const WINDOW = 100;

export interface SimulatorDeps {
  readonly now: () => number;
  readonly random: () => number;
}

export function openSimulator(config: SimulatorConfig, deps: SimulatorDeps): Channel {
  const closing = new AbortController();
  const timers = new Set<NodeJS.Timeout>();
  const prefix = `${deps.now().toString(36)}${Math.floor(deps.random() * 2 ** 32).toString(36)}`;
  const since = new Date(deps.now());
  let counter = 0;
  let listener: (feedback: Feedback) => void = () => {};

  const drawFate = (to: string): Fate => {
    const isTestNumber = config.test_numbers === 'listed' ? LISTED.test(to) : config.test_numbers;
    const fixed = isTestNumber ? TEST_FATES.get(to.slice(-4)) : undefined;
    if (fixed !== undefined) return fixed;
    if (deps.random() < config.reject_rate) return { answer: 'refused' };
    const lost = deps.random() < config.unknown_rate;
    // Half of the lost answers are taken for refusals.
    if (lost && deps.random() < 0.5) return { answer: 'lost' };
    const report = deps.random() < config.deliver_rate ? 'delivered' : 'undelivered';
    return { answer: lost ? 'lost' : 'accepted', report };
  };

  const after = (ms: number, run: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      run();
    }, ms);
    timers.add(timer);
  };

  const report = (part: Outstanding, fate: Fate): void => {
    if (fate.report === undefined || closing.signal.aborted) return;
    const { messageId, reference, to } = part;
    const doneAt = new Date(deps.now());
    const common = { kind: 'report', messageId, reference, phone: to, status: fate.report, doneAt } as const;
    listener({ ...common, code: REPORT_CODES[fate.report], ack: () => {}, nack: () => retryReport(part, fate) });
    // One reply a message, not one a part.
    const { reply: text } = fate;
    if (text !== undefined && part.isLast) after(REPLY_MS, () => reply(part, text));
  };

  const reply = (part: Outstanding, text: string): void => {
    const { reference, to: from, from: to } = part;
    const nack = () => after(RETRY_MS, () => reply(part, text));
    listener({ kind: 'uplink', from, to, text, reference, ack: () => {}, nack });
  };

  const retryReport = (part: Outstanding, { answer, report: status }: Fate): void => {
    if (status !== undefined && !closing.signal.aborted)
      after(RETRY_MS, () => report(part, { answer, report: status }));
  };

  const answer = (part: Part, reports: [Outstanding, Fate][]): SubmitOutcome => {
    const fate = drawFate(part.to);
    counter += 1;
    const messageId = `${prefix}${counter.toString(36)}`;
    const { to, from, reference } = part;
    const outstanding = { messageId, reference, to, from, isLast: part.part === part.parts };
    if (fate.answer === 'refused') return { part, kind: 'refused', code: 'REFUSED' };
    if (fate.answer === 'lost') {
      after(config.receipt_ms + LATE_RECEIPT_MS, () => report(outstanding, fate));
      return { part, kind: 'unknown', code: 'ANSWER_LOST' };
    }
    reports.push([outstanding, fate]);
    return { part, kind: 'accepted', messageId };
  };

  return {
    window: WINDOW,
    async *submit(parts, signal) {
      if (config.answer_ms > 0) {
        const ended = AbortSignal.any([signal, closing.signal]);
        await sleep(config.answer_ms, undefined, { signal: ended }).catch(() => undefined);
      }
      if (signal.aborted || closing.signal.aborted) {
        for (const part of parts) yield { part, kind: 'unsent' };
        return;
      }
      const reports: [Outstanding, Fate][] = [];
      const outcomes = parts.map((part) => answer(part, reports));
      // Reports follow the answers they belong to, a batch with one timer.
      const reportAll = () => {
        for (const [part, fate] of reports) report(part, fate);
      };
      if (reports.length > 0) after(config.receipt_ms, reportAll);
      yield* outcomes;
    },
    onFeedback(to) {
      listener = to;
    },
    resume(parts) {
      for (const part of parts) {
        const fate = drawFate(part.to);
        if (fate.report !== undefined) after(config.receipt_ms, () => report(part, fate));
      }
    },
    health: (): ChannelHealth => ({ state: closing.signal.aborted ? 'down' : 'up', sessions: 1, since }),
    async close() {
      closing.abort();
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
