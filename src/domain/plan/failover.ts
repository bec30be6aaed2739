// Failover: chooses the next channel of a refused number, and builds the chunk in which numbers move there. A refused part was
// certainly not accepted, so no number is sent twice; unknown numbers never fail over.

import { type Chunk, type ChunkNumbers, type NewChunk, textOf } from '../chunk/chunk.js';
import { countParts } from '../message/parts.js';
import { isEach } from '../request/payload.js';
import type { RoutableChannel } from './routing.js';

/** How many channels a number may try after the one that refused it first. */
const MAX_MORE_TRIES = 2;

/**
 * The next channel, in a circle by channel id, that serves the firm, has not refused the number before and splits its text into as
 * many parts as were priced. Undefined: the refusal is final.
 */
export function chooseFailoverChannel(
  { firm, tried, numbers }: Pick<Chunk, 'firm' | 'tried' | 'numbers'>,
  index: number,
  refusing: Pick<RoutableChannel, 'channelId' | 'alphabet' | 'isWhole'>,
  usable: readonly RoutableChannel[],
): bigint | undefined {
  if (tried.length >= MAX_MORE_TRIES) return undefined;
  const { channelId: refusedBy } = refusing;
  let first: bigint | undefined;
  let next: bigint | undefined;
  for (const channel of usable) {
    const { channelId, firms } = channel;
    if (channelId === refusedBy || tried.includes(channelId) || !firms.includes(firm)) continue;
    if (!isAlike(channel, refusing) && !keepsParts(numbers, index, channel)) continue;
    if (first === undefined || channelId < first) first = channelId;
    if (channelId > refusedBy && (next === undefined || channelId < next)) next = channelId;
  }
  return next ?? first;
}

type Form = Pick<RoutableChannel, 'alphabet' | 'isWhole'>;

/** Whether both channels split texts alike, into parts and into submissions. */
export function isAlike(one: Form, other: Form): boolean {
  return one.alphabet === other.alphabet && one.isWhole === other.isWhole;
}

/**
 * Whether all numbers of a chunk have as many parts on this channel as were priced, and as many submissions as are stored. Other
 * channels cannot be used, because the price is frozen and the submissions are stored.
 */
export function keepAllParts({ numbers }: Pick<Chunk, 'numbers'>, form: Form): boolean {
  return numbers.seq.every((_, index) => keepsParts(numbers, index, form));
}

function keepsParts(numbers: ChunkNumbers, index: number, { alphabet, isWhole }: Form): boolean {
  const parts = countParts(textOf(numbers, index), alphabet);
  if (parts !== numbers.parts[index]) return false;
  return parts === 1 || isWhole === numbers.whole;
}

/** Numbers of one chunk that move to another channel together. */
export interface NumberMove {
  readonly from: Chunk;
  readonly to: bigint;
  /** The channels that refused them. */
  readonly tried: readonly bigint[];
  /** Whether they are queued at once, or wait with the rest of their task. */
  readonly isQueued: boolean;
  readonly indices: number[];
}

/** The new chunk of these numbers. */
export function cutMoved({ from, to, tried, indices }: NumberMove, chunkNo: number): NewChunk {
  const { bucket, customerId, taskId, serviceAccountId, firm, unitPrice, expiresAt } = from;
  const place = { bucket, customerId, taskId, chunkNo, channelId: to };
  return { ...place, serviceAccountId, firm, unitPrice, expiresAt, tried, numbers: pick(from.numbers, indices) };
}

function pick(numbers: ChunkNumbers, indices: readonly number[]): ChunkNumbers {
  const { seq, phone, to, text, parts, variables, ...common } = numbers;
  return {
    ...common,
    seq: indices.map((index) => seq[index] ?? 0),
    phone: indices.map((index) => phone[index] ?? ''),
    to: indices.map((index) => to[index] ?? ''),
    text: typeof text === 'string' ? text : indices.map((index) => text[index] ?? ''),
    parts: indices.map((index) => parts[index] ?? 0),
    ...(variables !== undefined && {
      variables: isEach(variables) ? indices.map((index) => variables[index] ?? {}) : variables,
    }),
  };
}
