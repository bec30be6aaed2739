// The chunks that a channel has loaded, a few per customer, taken in fair turns. A customer that recently used less than its share is a
// newcomer and gets a few parts out at once, so that a message never waits behind the backlog of others. The others wait in rotation for
// larger turns: a transaction over few chunks is cheap. A transaction covers one bucket, so a take serves the rotation of one bucket.

import { type Chunk, type ChunkNumbers, type StoredChunk, textOf } from '../../../domain/chunk/chunk.js';
import type { ChunkState } from '../../../domain/chunk/chunk-state.js';
import { PART } from '../../../domain/chunk/chunk-state.js';
import { type PartWalk, startWalk, walkOn } from '../../../domain/chunk/part-walk.js';
import type { CustomerId } from '../../../domain/id.js';
import { type Alphabet, type Parts, splitIntoParts } from '../../../domain/message/parts.js';
import { formatReference } from '../../../domain/record/part-reference.js';
import { isEach } from '../../../domain/request/payload.js';
import { createQueuedPosition, type Sendable } from '../parts/part-state.js';
import { type CustomerQueue, createCustomerQueue, type QueuedCustomer } from './customer-queue.js';

export interface Turns {
  add(stored: StoredChunk): void;
  /** All unsent parts of a chunk that is not added. */
  unsentPartsOf(stored: StoredChunk): Sendable[];
  /** Returns parts that were taken and not sent. They are taken first. */
  putBack(sendables: readonly Sendable[]): void;
  /** The next parts, at most `count`. Fewer, although more wait, where the next parts are of another bucket. */
  take(count: number): Sendable[];
  /** How many parts of newcomers wait, if others wait in rotation. Stops counting above `most`, so it may return more. */
  countNewcomers(most: number): number;
  /** The next parts of newcomers, at most `count`. */
  takeNewcomers(count: number): Sendable[];
  /** Skips the other parts of a number that was refused. */
  drop(chunk: Chunk, index: number): void;
  /** Removes what is not taken yet, of one customer or of all. */
  clear(customerId?: CustomerId): void;
  /** At most how many parts wait, of one customer or of all: those of dropped numbers count until the customer has no more chunks. */
  size(customerId?: CustomerId): number;
  /** The bucket of all parts of the next take; undefined if nothing waits, or if it may have parts of several buckets. */
  nextBucket(): number | undefined;
}

/** Parts in one turn of a newcomer. */
const NEWCOMER_PARTS = 10;
/** Parts in one turn of a customer in rotation. */
const TURN_PARTS = 100;
/**
 * Parts count double, so that customers stay newcomers only up to half of their share. Counted once, customers with equal use would all be
 * newcomers.
 */
const SHARE_WEIGHT = 2;
/** A customer that is further ahead of its share is not a newcomer. */
const NEWCOMER_LEAD = SHARE_WEIGHT * NEWCOMER_PARTS;
/** A longer lead is not remembered: after a burst a customer becomes a newcomer again soon. */
const MAX_LEAD = 2 * NEWCOMER_LEAD;
const MAX_LEADS_KEPT = 10_000;

interface Backlog {
  readonly bucket: number;
  /** Parts that were put back: they are taken first. */
  readonly returned: Sendable[];
  readonly chunks: Cursor[];
  /** At most how many parts wait: those of dropped numbers are included. */
  waiting: number;
}

/** Iterates over a chunk, number by number and part by part. */
interface Cursor extends PartWalk {
  readonly chunk: Chunk;
  readonly state: ChunkState;
  readonly sender: string;
  readonly alphabet: Alphabet;
  readonly templateCode: string | undefined;
  /** The indices of numbers whose other parts are skipped. */
  readonly dropped: Set<number>;
  /** The text of the last number, split into parts. */
  split: { readonly index: number; readonly text: Parts } | undefined;
}

/** Splits texts by the alphabet of the channel, as when they were priced. */
export function createTurns(
  senderOf: (serviceAccountId: bigint) => string,
  alphabet: Alphabet,
  /** The carrier's code of a template. */
  templateCodeOf: (templateId: bigint) => string | undefined = () => undefined,
): Turns {
  const backlogs = new Map<CustomerId, Backlog>();
  const newcomers = createCustomerQueue();
  const rotation = createCustomerQueue();
  /** By the key of the chunk. */
  const cursors = new Map<string, Cursor>();
  /** How many parts each customer would have taken if all had taken the same. */
  let share = 0;
  /** The weighted parts of customers that are ahead of the share, on the same scale. */
  const usage = new Map<CustomerId, number>();
  /** Newcomers got the larger half of the last take, so the rotation gets it now. */
  let isRotationFavoured = false;
  /** The sum over all customers. */
  let waiting = 0;

  const leadOf = (customerId: CustomerId): number => Math.max(0, (usage.get(customerId) ?? 0) - share);

  const addUsage = (customerId: CustomerId, parts: number): void => {
    usage.set(customerId, share + Math.min(MAX_LEAD, leadOf(customerId) + SHARE_WEIGHT * parts));
    if (usage.size > MAX_LEADS_KEPT) for (const id of usage.keys()) if (leadOf(id) === 0) usage.delete(id);
  };

  const backlogOf = ({ customerId, bucket }: Chunk): Backlog => {
    const known = backlogs.get(customerId);
    if (known !== undefined) return known;
    const backlog = { bucket, returned: [], chunks: [], waiting: 0 };
    backlogs.set(customerId, backlog);
    (leadOf(customerId) < NEWCOMER_LEAD ? newcomers : rotation).add({ customerId, bucket });
    return backlog;
  };

  const remove = (customerId: CustomerId): void => {
    const backlog = backlogs.get(customerId);
    if (backlog === undefined) return;
    backlogs.delete(customerId);
    const customer = { customerId, bucket: backlog.bucket };
    newcomers.delete(customer);
    rotation.delete(customer);
    waiting -= backlog.waiting;
    for (const { chunk } of backlog.chunks) cursors.delete(chunk.key);
  };

  const addWaiting = (backlog: Backlog, parts: number): void => {
    backlog.waiting += parts;
    waiting += parts;
  };

  const takeFrom = (backlog: Backlog, wanted: number): Sendable[] => {
    const taken = backlog.returned.splice(0, wanted);
    while (taken.length < wanted) {
      const [cursor] = backlog.chunks;
      if (cursor === undefined) break;
      const next = nextOf(cursor);
      if (next !== undefined) taken.push(next);
      else {
        backlog.chunks.shift();
        cursors.delete(cursor.chunk.key);
      }
    }
    addWaiting(backlog, -taken.length);
    return taken;
  };

  /** Adds parts of the customer, at most `most`. A customer with more parts goes to the end of the rotation. */
  const serve = (queue: CustomerQueue, customer: QueuedCustomer, taken: Sendable[], most: number): void => {
    const { customerId } = customer;
    const backlog = backlogs.get(customerId);
    queue.delete(customer);
    if (backlog === undefined) return;
    const parts = takeFrom(backlog, most);
    for (const sendable of parts) taken.push(sendable);
    addUsage(customerId, parts.length);
    const isEmpty = backlog.waiting === 0 || (backlog.chunks.length === 0 && backlog.returned.length === 0);
    if (isEmpty) remove(customerId);
    else rotation.add(customer);
  };

  /** Serves newcomers of all buckets, in order, until `taken` has `until` parts. */
  const serveNewcomers = (taken: Sendable[], until: number): void => {
    for (let first = newcomers.first(); first !== undefined && taken.length < until; first = newcomers.first()) {
      serve(newcomers, first, taken, Math.min(NEWCOMER_PARTS, until - taken.length));
    }
  };

  /** Serves the rotation of the bucket whose customer is the first, until `taken` has `until` parts or customers of another bucket are next. */
  const serveRotation = (taken: Sendable[], until: number): void => {
    const bucket = rotation.first()?.bucket;
    while (bucket !== undefined && taken.length < until && rotation.first()?.bucket === bucket) {
      // Not those who are served here, and go to the end.
      let left = rotation.countIn(bucket);
      for (const customerId of rotation.inBucket(bucket)) {
        if (left === 0 || taken.length >= until) break;
        left -= 1;
        serve(rotation, { customerId, bucket }, taken, Math.min(TURN_PARTS, until - taken.length));
      }
    }
  };

  const growShare = (taken: readonly Sendable[], customers: number): void => {
    share += taken.length / Math.max(1, customers);
  };

  const openCursor = ({ chunk, state }: StoredChunk): Cursor => {
    const sender = senderOf(chunk.serviceAccountId);
    const { templateId } = chunk.numbers;
    const templateCode = templateId === undefined ? undefined : templateCodeOf(BigInt(templateId));
    const { at, index, part } = startWalk();
    const dropped = new Set<number>();
    return { chunk, state, sender, alphabet, templateCode, dropped, split: undefined, at, index, part };
  };

  return {
    unsentPartsOf(stored) {
      const cursor = openCursor(stored);
      const sendables: Sendable[] = [];
      for (let next = nextOf(cursor); next !== undefined; next = nextOf(cursor)) sendables.push(next);
      return sendables;
    },
    add(stored) {
      const { chunk, state } = stored;
      const cursor = openCursor(stored);
      const backlog = backlogOf(chunk);
      backlog.chunks.push(cursor);
      cursors.set(chunk.key, cursor);
      addWaiting(backlog, countUnsent(state));
    },
    putBack(sendables) {
      for (const sendable of sendables) {
        const backlog = backlogOf(sendable.position.chunk);
        backlog.returned.push(sendable);
        addWaiting(backlog, 1);
      }
    },
    take(wanted) {
      // Must not change who gets the larger half next.
      if (wanted === 0) return [];
      const taken: Sendable[] = [];
      const customers = backlogs.size;
      const hasRotation = rotation.size > 0;
      // Newcomers may use half, and what the rotation leaves. If one part is taken at a time, that is every other one.
      const half = isRotationFavoured ? Math.floor(wanted / 2) : Math.ceil(wanted / 2);
      serveNewcomers(taken, hasRotation ? half : wanted);
      isRotationFavoured = hasRotation && taken.length > wanted / 2;
      serveRotation(taken, wanted);
      if (rotation.size === 0) serveNewcomers(taken, wanted);
      growShare(taken, customers);
      return taken;
    },
    countNewcomers(most) {
      let parts = 0;
      if (rotation.size === 0) return parts;
      for (const customerId of newcomers) {
        parts += backlogs.get(customerId)?.waiting ?? 0;
        if (parts > most) break;
      }
      return parts;
    },
    takeNewcomers(wanted) {
      const taken: Sendable[] = [];
      const customers = backlogs.size;
      serveNewcomers(taken, wanted);
      growShare(taken, customers);
      return taken;
    },
    drop(chunk, index) {
      cursors.get(chunk.key)?.dropped.add(index);
    },
    clear(customerId) {
      for (const id of customerId === undefined ? [...backlogs.keys()] : [customerId]) remove(id);
    },
    size: (customerId) => (customerId === undefined ? waiting : (backlogs.get(customerId)?.waiting ?? 0)),
    nextBucket() {
      const bucket = (rotation.first() ?? newcomers.first())?.bucket;
      const isMixed = newcomers.bucketCount > 1 || (newcomers.first()?.bucket ?? bucket) !== bucket;
      return isMixed ? undefined : bucket;
    },
  };
}

function countUnsent(state: ChunkState): number {
  let count = 0;
  for (const byte of state.partStates) if (byte === PART.unsent) count += 1;
  return count;
}

function nextOf(cursor: Cursor): Sendable | undefined {
  const { chunk, state } = cursor;
  while (walkOn(cursor, state, PART.unsent)) {
    const { index, part } = cursor;
    if (state.results[index] === 0 && !cursor.dropped.has(index)) return createSendable(cursor, chunk, index, part);
  }
  return undefined;
}

function createSendable(cursor: Cursor, chunk: Chunk, index: number, part: number): Sendable {
  const { customerId, taskId, numbers } = chunk;
  const isCommon = typeof numbers.text === 'string';
  if (cursor.split === undefined || (!isCommon && cursor.split.index !== index)) {
    cursor.split = { index, text: splitText(numbers, index, cursor.alphabet) };
  }
  const { encoding, parts } = cursor.split.text;
  const { templateCode } = cursor;
  const { variables } = numbers;
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
      ...(variables !== undefined && { variables: isEach(variables) ? (variables[index] ?? {}) : variables }),
      ...(templateCode !== undefined && { templateCode }),
      ...(chunk.expiresAt !== null && { validUntil: chunk.expiresAt }),
    },
    position: createQueuedPosition(chunk, index, part),
  };
}

function splitText(numbers: ChunkNumbers, index: number, alphabet: Alphabet): Parts {
  const text = textOf(numbers, index);
  const split = splitIntoParts(text, alphabet);
  return numbers.whole === true ? { encoding: split.encoding, parts: [text] } : split;
}
