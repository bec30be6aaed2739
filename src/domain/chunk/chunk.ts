// Up to 500 numbers of one task on one channel, with all that is needed to send them: the unit of dispatch.

import type { TaskId } from '../id.js';
import type { Variables } from '../message/template.js';
import { type Money, moneyFromMillionths } from '../money/money.js';
import type { Tenant } from '../tenant.js';
import { type ChunkState, newChunkState } from './chunk-state.js';

/** The numbers of a chunk, a column each, so that 500 of them cost a handful of objects. */
export interface ChunkNumbers {
  readonly seq: readonly number[];
  /** As the customer wrote it. */
  readonly phone: readonly string[];
  /** E.164 digits; also the number's phone key. */
  readonly to: readonly string[];
  /** One text for all, or one each. */
  readonly text: string | readonly string[];
  /** What each is priced by. */
  readonly parts: readonly number[];
  /** Each text goes as one submission, whatever its parts; else each part is one. */
  readonly whole?: true;
  /** For channels that send the values of a template instead of its text: one set for all, or one each. */
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
  /** No part of it goes out from then on; null: no such time. */
  readonly expiresAt: Date | null;
  /** The channels that refused its numbers before this one was asked. */
  readonly tried: readonly bigint[];
  readonly numbers: ChunkNumbers;
}

/** What of a chunk never changes once it is on a channel. */
export interface Chunk extends NewChunk {
  /** Its place in the channel's queue; zero once it has left it. */
  readonly queueNo: bigint;
  readonly offsets: Uint32Array;
  /** Of the chunk, and of its task, among all customers. */
  readonly key: string;
  readonly taskKey: string;
}

/** A chunk and how it stands, read whole. */
export interface StoredChunk {
  readonly chunk: Chunk;
  readonly state: ChunkState;
  /** When parts of it were last meant to go out. */
  readonly intendedAt: Date | null;
}

export function textOf(numbers: ChunkNumbers, index: number): string {
  return typeof numbers.text === 'string' ? numbers.text : (numbers.text[index] ?? '');
}

/** How many submissions the number takes. */
export function submissionsOf({ parts, whole }: Pick<ChunkNumbers, 'parts' | 'whole'>, index: number): number {
  return whole === true ? 1 : (parts[index] ?? 1);
}

/** The same of all numbers, in their order. */
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

/** A chunk as it is queued, before any of its parts is sent. */
export function openChunk(chunk: NewChunk, queueNo: bigint): StoredChunk {
  const state = newChunkState(allSubmissions(chunk.numbers));
  const { offsets } = state;
  return {
    chunk: { ...chunk, queueNo, offsets, key: chunkKeyOf(chunk), taskKey: taskKeyOf(chunk) },
    state,
    intendedAt: null,
  };
}
