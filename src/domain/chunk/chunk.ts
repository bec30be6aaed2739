// A chunk: up to 500 numbers of one task on one channel, with everything needed to send them. The unit of dispatch.

import type { TaskId } from '../id.js';
import type { Variables } from '../message/template.js';
import { type Money, moneyFromMillionths } from '../money/money.js';
import type { Tenant } from '../tenant.js';
import { type ChunkState, newChunkState } from './chunk-state.js';

/** In columns, so that 500 numbers take few objects. */
export interface ChunkNumbers {
  readonly seq: readonly number[];
  /** As the customer wrote it. */
  readonly phone: readonly string[];
  /** E.164 digits; also the number's phone key. */
  readonly to: readonly string[];
  /** One text for all, or one each. */
  readonly text: string | readonly string[];
  /** The parts that each number was priced for. */
  readonly parts: readonly number[];
  /** Each text is one submission, however many parts it has. Otherwise each part is one. */
  readonly whole?: true;
  /** For channels that send template variables instead of the text: one set for all, or one each. */
  readonly variables?: Variables | readonly Variables[];
  /** The id of that template. */
  readonly templateId?: string;
}

export interface ChunkKey extends Tenant {
  readonly taskId: TaskId;
  readonly chunkNo: number;
}

export interface NewChunk extends ChunkKey {
  readonly channelId: bigint;
  readonly serviceAccountId: bigint;
  readonly firm: string;
  readonly unitPrice: Money;
  /** Unsent parts are not sent after this; null: no limit. */
  readonly expiresAt: Date | null;
  /** The channels that refused its numbers before. */
  readonly tried: readonly bigint[];
  readonly numbers: ChunkNumbers;
}

/** The part of a chunk that never changes. */
export interface Chunk extends NewChunk {
  /** Its place in the channel's queue; zero if it is not queued. */
  readonly queueNo: bigint;
  readonly offsets: Uint32Array;
  /** Unique over all customers. */
  readonly key: string;
  readonly taskKey: string;
}

/** A chunk with its state. */
export interface StoredChunk {
  readonly chunk: Chunk;
  readonly state: ChunkState;
  /** When intents were last committed. */
  readonly intendedAt: Date | null;
}

export function textOf(numbers: ChunkNumbers, index: number): string {
  return typeof numbers.text === 'string' ? numbers.text : (numbers.text[index] ?? '');
}

/** How many submissions the number takes. */
export function submissionsOf({ parts, whole }: Pick<ChunkNumbers, 'parts' | 'whole'>, index: number): number {
  return whole === true ? 1 : (parts[index] ?? 1);
}

/** The submissions of all numbers, in their order. */
export function allSubmissions(numbers: ChunkNumbers): readonly number[] {
  return numbers.whole === true ? numbers.parts.map(() => 1) : numbers.parts;
}

export function priceOf(chunk: Pick<Chunk, 'unitPrice' | 'numbers'>, index: number): Money {
  return moneyFromMillionths(chunk.unitPrice * BigInt(chunk.numbers.parts[index] ?? 0));
}

export function taskKeyOf({ customerId, taskId }: Pick<ChunkKey, 'customerId' | 'taskId'>): string {
  return `${customerId}/${taskId}`;
}

export function chunkKeyOf(key: Omit<ChunkKey, 'bucket'>): string {
  return `${key.customerId}/${key.taskId}/${key.chunkNo}`;
}

/** A new chunk in the queue, with all parts unsent. */
export function openChunk(chunk: NewChunk, queueNo: bigint): StoredChunk {
  const state = newChunkState(allSubmissions(chunk.numbers));
  // Field by field: adding fields to a spread takes microseconds each.
  const opened = {
    bucket: chunk.bucket,
    customerId: chunk.customerId,
    taskId: chunk.taskId,
    chunkNo: chunk.chunkNo,
    channelId: chunk.channelId,
    serviceAccountId: chunk.serviceAccountId,
    firm: chunk.firm,
    unitPrice: chunk.unitPrice,
    expiresAt: chunk.expiresAt,
    tried: chunk.tried,
    numbers: chunk.numbers,
    queueNo,
    offsets: state.offsets,
    key: chunkKeyOf(chunk),
    taskKey: taskKeyOf(chunk),
  };
  return { chunk: opened, state, intendedAt: null };
}
