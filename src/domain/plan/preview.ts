// What a send would come to: the plan that preparing would make, counted and priced for eyes.

import { priceOf, textOf } from '../chunk/chunk.js';
import { type Alphabet, type Encoding, splitIntoParts } from '../message/parts.js';
import { type Money, moneyFromMillionths, ZERO } from '../money/money.js';
import type { Receipt } from '../record/records.js';
import type { Plan } from './plan.js';

/** How many rejected numbers are named; all are counted. */
const MAX_REJECTIONS = 100;
/** How many of the texts are shown. */
const MAX_SAMPLES = 10;

export interface FirmShare {
  readonly firm: string;
  readonly numbers: number;
  readonly parts: number;
  readonly unitPrice: Money;
  readonly price: Money;
}

export interface Sample {
  readonly seq: number;
  readonly phone: string;
  readonly text: string;
  readonly encoding: Encoding;
  readonly parts: number;
  readonly price: Money;
}

export interface Preview {
  readonly sendable: number;
  readonly rejected: number;
  readonly parts: number;
  readonly price: Money;
  /** One for each price of a firm, in the order in which their first numbers come. */
  readonly firms: readonly FirmShare[];
  readonly rejections: readonly Receipt[];
  readonly samples: readonly Sample[];
}

export function previewPlan({ chunks, rejected, price }: Plan, alphabetOf: (channelId: bigint) => Alphabet): Preview {
  const firms = new Map<string, FirmShare>();
  for (const { firm, unitPrice, numbers } of chunks) {
    const key = `${firm} ${unitPrice}`;
    const share = firms.get(key) ?? { firm, numbers: 0, parts: 0, unitPrice, price: ZERO };
    const parts = share.parts + numbers.parts.reduce((sum, count) => sum + count, 0);
    const priced = moneyFromMillionths(unitPrice * BigInt(parts));
    firms.set(key, { ...share, numbers: share.numbers + numbers.seq.length, parts, price: priced });
  }
  const shares = [...firms.values()];
  return {
    sendable: shares.reduce((sum, share) => sum + share.numbers, 0),
    rejected: rejected.length,
    parts: shares.reduce((sum, share) => sum + share.parts, 0),
    price,
    firms: shares,
    rejections: rejected.slice(0, MAX_REJECTIONS),
    samples: takeSamples(chunks, alphabetOf),
  };
}

/** The first numbers of the request that can be sent. Each chunk has its own in order, so no more than these are looked at. */
function takeSamples(chunks: Plan['chunks'], alphabetOf: (channelId: bigint) => Alphabet): Sample[] {
  const first = chunks.flatMap((chunk) =>
    chunk.numbers.seq.slice(0, MAX_SAMPLES).map((seq, index) => ({ seq, index, chunk })),
  );
  const chosen = first.sort((one, other) => one.seq - other.seq).slice(0, MAX_SAMPLES);
  return chosen.map(({ seq, index, chunk }) => {
    const text = textOf(chunk.numbers, index);
    const { encoding, parts } = splitIntoParts(text, alphabetOf(chunk.channelId));
    const phone = chunk.numbers.phone[index] ?? '';
    return { seq, phone, text, encoding, parts: parts.length, price: priceOf(chunk, index) };
  });
}
