// What a channel has still to send, in memory: a few chunks of each customer, taken in turns.

import type { Part } from '../channels/channel.js';
import type { ChunkState } from '../domain/chunk-state.js';
import { PART } from '../domain/chunk-state.js';
import type { CustomerId } from '../domain/id.js';
import { type Parts, splitIntoParts } from '../domain/parts.js';
import type { Chunk, StoredChunk } from '../store/chunk.js';
import { textOf } from '../store/chunk.js';
import { type Flight, formatReference } from './flight.js';

export interface Sendable {
  readonly part: Part;
  readonly flight: Flight;
}

export interface DispatchQueue {
  add(stored: StoredChunk): void;
  /** Gives parts back that were taken and not sent; they are the first to go again. */
  giveBack(sendables: readonly Sendable[]): void;
  /** The next parts, at most `count`, of as many customers as there are: none waits for another's backlog. */
  take(count: number): Map<CustomerId, Sendable[]>;
  /** The other parts of a number whose receipt is there already are not sent. */
  drop(chunk: Chunk, index: number): void;
  /** Forgets everything that is not yet taken. */
  clear(): void;
  /** How many parts wait. */
  size(): number;
  /** The one customer that parts wait of; undefined when there are none or several. */
  onlyCustomer(): CustomerId | undefined;
}

interface Backlog {
  readonly returned: Sendable[];
  readonly chunks: Cursor[];
}

/** A chunk being worked through, number by number and part by part. */
interface Cursor {
  readonly chunk: Chunk;
  readonly state: ChunkState;
  readonly sender: string;
  readonly dropped: Set<number>;
  at: number;
  index: number;
  texts: { index: number; parts: Parts } | undefined;
}

export function makeDispatchQueue(senderOf: (serviceAccountId: bigint) => string): DispatchQueue {
  // The order of the map is the order of turns.
  const backlogs = new Map<CustomerId, Backlog>();
  const open = new Map<string, Cursor>();
  let waiting = 0;

  const backlogOf = (customerId: CustomerId): Backlog => {
    const known = backlogs.get(customerId);
    if (known !== undefined) return known;
    const fresh = { returned: [], chunks: [] };
    backlogs.set(customerId, fresh);
    return fresh;
  };

  const takeFrom = (backlog: Backlog, count: number): Sendable[] => {
    const taken = backlog.returned.splice(0, count);
    while (taken.length < count) {
      const [cursor] = backlog.chunks;
      if (cursor === undefined) break;
      const next = nextOf(cursor);
      if (next !== undefined) taken.push(next);
      else {
        backlog.chunks.shift();
        open.delete(keyOf(cursor.chunk));
      }
    }
    return taken;
  };

  return {
    add({ chunk, state }) {
      const sender = senderOf(chunk.serviceAccountId);
      const cursor = { chunk, state, sender, dropped: new Set<number>(), at: 0, index: 0, texts: undefined };
      backlogOf(chunk.customerId).chunks.push(cursor);
      open.set(keyOf(chunk), cursor);
      waiting += countUnsent(state);
    },
    giveBack(sendables) {
      for (const sendable of sendables) backlogOf(sendable.flight.chunk.customerId).returned.push(sendable);
      waiting += sendables.length;
    },
    take(count) {
      const taken = new Map<CustomerId, Sendable[]>();
      let left = count;
      while (left > 0 && backlogs.size > 0) {
        const share = Math.max(1, Math.floor(left / backlogs.size));
        for (const [customerId, backlog] of [...backlogs]) {
          if (left <= 0) break;
          const parts = takeFrom(backlog, Math.min(share, left));
          left -= parts.length;
          if (parts.length > 0) taken.set(customerId, [...(taken.get(customerId) ?? []), ...parts]);
          // To the end of the turns, or out of them.
          backlogs.delete(customerId);
          if (backlog.chunks.length > 0 || backlog.returned.length > 0) backlogs.set(customerId, backlog);
        }
      }
      waiting = backlogs.size === 0 ? 0 : Math.max(0, waiting - (count - left));
      return taken;
    },
    drop(chunk, index) {
      open.get(keyOf(chunk))?.dropped.add(index);
    },
    clear() {
      backlogs.clear();
      open.clear();
      waiting = 0;
    },
    size: () => waiting,
    onlyCustomer() {
      const [customerId] = backlogs.size === 1 ? backlogs.keys() : [];
      return customerId;
    },
  };
}

function keyOf(chunk: Chunk): string {
  return `${chunk.customerId} ${chunk.taskId} ${chunk.chunkNo}`;
}

function countUnsent(state: ChunkState): number {
  let count = 0;
  for (const byte of state.partStates) if (byte === PART.unsent) count += 1;
  return count;
}

function nextOf(cursor: Cursor): Sendable | undefined {
  const { chunk, state } = cursor;
  const { offsets, partStates, results } = state;
  while (cursor.at < partStates.length) {
    const at = cursor.at;
    cursor.at += 1;
    while ((offsets[cursor.index + 1] ?? Number.POSITIVE_INFINITY) <= at) cursor.index += 1;
    const { index } = cursor;
    if (partStates[at] !== PART.unsent || results[index] !== 0 || cursor.dropped.has(index)) continue;
    return makeSendable(cursor, chunk, index, at - (offsets[index] ?? 0) + 1);
  }
  return undefined;
}

function makeSendable(cursor: Cursor, chunk: Chunk, index: number, part: number): Sendable {
  const { customerId, taskId, numbers } = chunk;
  const isCommon = typeof numbers.text === 'string';
  if (cursor.texts === undefined || (!isCommon && cursor.texts.index !== index)) {
    cursor.texts = { index, parts: splitIntoParts(textOf(numbers, index)) };
  }
  const { encoding, parts } = cursor.texts.parts;
  const seq = numbers.seq[index] ?? 0;
  return {
    part: {
      reference: formatReference({ customerId, taskId, seq, part }),
      message: `${customerId}.${taskId}.${seq}`,
      to: numbers.to[index] ?? '',
      from: cursor.sender,
      text: parts[part - 1] ?? '',
      encoding,
      part,
      parts: parts.length,
    },
    flight: { chunk, index, part, submittedAt: 0 },
  };
}
