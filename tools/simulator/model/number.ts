// What the model knows of one number: what was asked, sent, answered, reported and recorded, and what its money must have done.

import type { CarrierAnswer, Handed, NumberAsked, ReceiptRow, SubmitRow } from './facts.js';

/** One submission of one part to a carrier. */
export interface Submission {
  readonly channel: number;
  readonly handed: Handed;
  /** Undefined: not answered yet, or its sender is gone. */
  answer: CarrierAnswer | undefined;
  /** Of a refusal. */
  code: string | undefined;
  /** It was refused with a code for failover, while the customer had a channel that the number had not tried. */
  hadWay: boolean;
  /** What it learnt after the answer was lost. */
  lateAnswer: 'accepted' | 'refused' | undefined;
}

export interface PartBook {
  readonly submissions: Submission[];
  /** The submit records, in their order. */
  readonly records: SubmitRow[];
  /** When its record became unknown. */
  unknownSince: number | undefined;
  /** Reports, as `channel status`. */
  readonly reports: Set<string>;
  /** Their codes, by status. */
  readonly codes: Map<string, Set<string>>;
  /** Recorded final reports, as `channel status`, and the commit of each. */
  readonly deliveries: Map<string, number>;
}

export interface NumberBook {
  readonly seq: number;
  /** Undefined for one that is rejected without being priced. */
  price: bigint | undefined;
  /** How many parts its text has. */
  readonly length: number;
  readonly parts: Map<number, PartBook>;
  /** An intent for a part was committed. */
  hasBegun: boolean;
  hasOptedOut: boolean;
  /** How many parts its records say that it has. */
  submissions: number | undefined;
  receipt: ReceiptRow | undefined;
  /** When all its parts were accepted. */
  acceptedAt: number | undefined;
  charged: bigint;
  released: bigint;
  refunded: bigint;
}

export function openNumber({ seq, price, parts: length }: NumberAsked): NumberBook {
  return {
    seq,
    price,
    length,
    parts: new Map(),
    hasBegun: false,
    hasOptedOut: false,
    submissions: undefined,
    receipt: undefined,
    acceptedAt: undefined,
    charged: 0n,
    released: 0n,
    refunded: 0n,
  };
}

export function partOf(number: NumberBook, part: number): PartBook {
  let book = number.parts.get(part);
  if (book === undefined) {
    book = {
      submissions: [],
      records: [],
      unknownSince: undefined,
      reports: new Set(),
      codes: new Map(),
      deliveries: new Map(),
    };
    number.parts.set(part, book);
  }
  return book;
}

/** The state in `counts`. A number counts as handed over when all its parts are. */
export function stateOf(number: NumberBook): string {
  if (number.receipt !== undefined) return number.receipt.result;
  if (number.submissions === undefined) return 'unsent';
  let isUnknown = false;
  for (let part = 1; part <= number.submissions; part++) {
    const status = number.parts.get(part)?.records.at(-1)?.status;
    if (status === undefined || status === 'rejected') return 'unsent';
    if (status === 'unknown') isUnknown = true;
  }
  return isUnknown ? 'unknown' : 'awaiting';
}

export function isAccepted(number: NumberBook): boolean {
  if (number.submissions === undefined) return false;
  for (let part = 1; part <= number.submissions; part++) {
    if (number.parts.get(part)?.records.at(-1)?.status !== 'accepted') return false;
  }
  return true;
}

/**
 * The reports that a part may get. Where the answers to several parts of a message were lost, no message id says which of them a report
 * is about, and each may get those of the others.
 */
export function reportsOn(number: NumberBook, part: PartBook): ReadonlySet<string> {
  return new Set(notToldApart(number, part).flatMap(({ reports }) => [...reports]));
}

/** The recorded reports among which those on this part must be. */
export function deliveriesOf(number: NumberBook, part: PartBook): ReadonlySet<string> {
  return new Set(notToldApart(number, part).flatMap(({ deliveries }) => [...deliveries.keys()]));
}

function notToldApart(number: NumberBook, part: PartBook): readonly PartBook[] {
  return wasLost(part) ? [...number.parts.values()].filter(wasLost) : [part];
}

/** Whether an answer was lost, so that a report may be taken for that on another part. */
export function wasLost({ submissions, unknownSince }: PartBook): boolean {
  return unknownSince !== undefined || submissions.some(({ answer }) => answer === 'lost' || answer === undefined);
}

/** Whether a report with this status came for a part, on a channel that has not refused the part. */
export function wasReported(number: NumberBook, part: PartBook, status: string): boolean {
  for (const report of reportsOn(number, part)) {
    const { records } = part;
    const [channel, reported] = report.split(' ');
    const isRefused = records.some((each) => String(each.channel) === channel && each.status === 'rejected');
    if (reported === status && !isRefused) return true;
  }
  return false;
}
