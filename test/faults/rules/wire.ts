// What the message centres saw against what the platform says: nothing twice, nothing invented, nothing forgotten.

import { fateOf, losesAnswer } from '../load/phones.js';
import { type FinalRule, findRepeated, isRefusal, nationalOf, type RunningRule } from './rule.js';
import { listTraces } from './traces.js';

const partOnce: RunningRule = {
  name: 'no destination got a part twice',
  check: ({ accepted, crowdAccepted }) =>
    findRepeated([...accepted, ...crowdAccepted], ({ to, part }) => `part ${part} to ${to}`),
};

const partKey = (phone: string, part: number): string => `${nationalOf(phone)}#${part}`;

const acceptedIsTrue: FinalRule = {
  name: 'what is said to be accepted reached the message centre, and what reached it is not said to be refused',
  check({ accepted, views }) {
    const arrived = new Set(accepted.map(({ to, part }) => partKey(to, part)));
    const rows = views.flatMap(({ submits }) => submits);
    // A part that one channel refused may have arrived by another: the refusals come first, to be overwritten.
    const inOrder = [...rows.filter(isRefusal), ...rows.filter((row) => !isRefusal(row))];
    const said = new Map(inOrder.map((row) => [partKey(row.phone, row.part), row]));
    for (const [key, { status, task_no }] of said) {
      if (status === 'accepted' && !arrived.has(key)) return `${key} of ${task_no} is accepted and never arrived`;
    }
    for (const key of arrived) {
      const row = said.get(key);
      if (row === undefined) return `${key} arrived and has no submit record`;
      if (isRefusal(row)) return `${key} arrived and reads refused (${row.code})`;
    }
    return undefined;
  },
};

const reportOnce: FinalRule = {
  name: 'the same report of a part is recorded once',
  check: ({ views }) =>
    findRepeated(
      views.flatMap(({ deliveries }) => deliveries).filter(({ status }) => status !== 'intermediate'),
      ({ task_no, seq, part, status }) => `${task_no}/${seq}#${part} ${status}`,
    ),
};

/** SGIP and the message centre over HTTP have one state for expired and undelivered; the others say which, in seven letters. */
const saysWhich = (code: string | null) => /^[A-Z]{7}/.test(code ?? '');

/** The message centre never says of these anything else. */
const FATE_RESULTS: Readonly<Record<string, readonly string[]>> = {
  '9001': ['delivered', 'expired', 'rejected'],
  '9002': ['undelivered', 'expired', 'rejected'],
  '9003': ['rejected'],
  '9005': ['rejected'],
  '9006': ['expired', 'rejected'],
  '9007': ['expired', 'rejected'],
};

const reportsBelong: FinalRule = {
  name: 'a report settles the number it is about',
  check({ views }) {
    for (const { phone, result, task_no, code } of views.flatMap(({ receipts }) => receipts)) {
      const fate = fateOf(phone) ?? '';
      if (fate === '9006' && result === 'undelivered' && !saysWhich(code)) continue;
      const possible = FATE_RESULTS[fate];
      if (possible?.includes(result) === false) return `${phone} of ${task_no} reads ${result} (${code})`;
    }
    return undefined;
  },
};

const deliveredArrived: FinalRule = {
  name: 'a delivered number reached the message centre, all parts of it',
  check({ accepted, views }) {
    const arrived = new Set(accepted.map(({ to, part }) => partKey(to, part)));
    const whole = new Set(accepted.flatMap(({ to, isWhole }) => (isWhole ? [nationalOf(to)] : [])));
    for (const { phone, parts, result, task_no } of views.flatMap(({ receipts }) => receipts)) {
      if (result !== 'delivered' || whole.has(nationalOf(phone))) continue;
      for (let part = 1; part <= parts; part++) {
        if (!arrived.has(partKey(phone, part)))
          return `${partKey(phone, part)} of ${task_no} is delivered and never arrived`;
      }
    }
    return undefined;
  },
};

const acknowledgedReportsKept: FinalRule = {
  name: 'a report that was acknowledged is kept',
  check(evidence) {
    const { accepted, acknowledged, keptFor, views } = evidence;
    const recorded = new Set(views.flatMap(({ deliveries }) => deliveries).map((row) => partKey(row.phone, row.part)));
    const kept = new Set([...keptFor].map(nationalOf));
    for (const { to, part, message_id } of accepted) {
      const isKept = recorded.has(partKey(to, part)) || kept.has(nationalOf(to));
      if (!acknowledged.has(message_id) || isKept) continue;
      return `the report of ${partKey(to, part)} (${message_id}) is gone${listTraces(evidence, to)}`;
    }
    return undefined;
  },
};

const unknownBounded: FinalRule = {
  name: 'numbers are unknown only where an answer was lost, at most a window for each cut',
  check({ views, lossAllowance }) {
    const lost = views
      .flatMap(({ submits }) => submits)
      .filter(({ status, code, phone }) => (status === 'unknown' || code === 'not_accepted') && !losesAnswer(phone));
    return lost.length <= lossAllowance ? undefined : `${lost.length} parts, and the faults explain ${lossAllowance}`;
  },
};

export const WIRE_RULES = {
  running: [partOnce],
  final: [acceptedIsTrue, reportOnce, reportsBelong, deliveredArrived, acknowledgedReportsKept, unknownBounded],
};
