// What a channel has still to send, in memory: a few chunks of each customer, taken in turns. Whoever has lately had less than
// its share is a newcomer and gets a few parts out at once, so that a message never waits behind others' backlogs; whoever has
// more stands in line for turns of a good size, because a transaction that touches few chunks costs little.

import { type Chunk, type ChunkNumbers, type StoredChunk, textOf } from '../../../domain/chunk/chunk.js';
import type { ChunkState } from '../../../domain/chunk/chunk-state.js';
import { PART } from '../../../domain/chunk/chunk-state.js';
import { type PartWalk, startWalk, walkOn } from '../../../domain/chunk/part-walk.js';
import type { CustomerId } from '../../../domain/id.js';
import { formatReference } from '../../../domain/message/part-reference.js';
import { type Alphabet, type Parts, splitIntoParts } from '../../../domain/message/parts.js';
import { isEach } from '../../../domain/request/payload.js';
import { queuedAt, type Sendable } from '../parts/part-state.js';

export interface Turns {
  add(stored: StoredChunk): void;
  /** All unsent parts of a chunk that does not wait for its turn. */
  cut(stored: StoredChunk): Sendable[];
  /** Gives parts back that were taken and not sent; they are the first to go again. */
  giveBack(sendables: readonly Sendable[]): void;
  /** The next parts, at most `count`. */
  take(count: number): Sendable[];
  /** How many parts of newcomers wait where others stand in line; more than `most` are not counted. */
  countNewcomers(most: number): number;
  /** The next parts of newcomers, at most `count`. */
  takeNewcomers(count: number): Sendable[];
  /** The other parts of a number whose receipt is there already are not sent. */
  drop(chunk: Chunk, index: number): void;
  /** Forgets what is not yet taken of one customer, or of everybody. */
  clear(customerId?: CustomerId): void;
  /** How many parts wait, of one customer or of everybody. */
  size(customerId?: CustomerId): number;
  /** The one bucket that parts wait of; undefined when there are none or several. */
  onlyBucket(): number | undefined;
}

/** How much goes out at once of whoever has just come, and in a turn of whoever has more. */
const FIRST_PARTS = 10;
const TURN_PARTS = 100;
/** Who takes half of its share or less stays a newcomer; an equal share of everything would make newcomers of all. */
const SHARE_WEIGHT = 2;
/** How much ahead of its share a newcomer may be, and how much of what it had beyond is remembered. */
const NEWCOMER_LEAD = SHARE_WEIGHT * FIRST_PARTS;
const MAX_LEAD = 2 * NEWCOMER_LEAD;
const MAX_LEADS_KEPT = 10_000;

interface Backlog {
  readonly bucket: number;
  readonly returned: Sendable[];
  readonly chunks: Cursor[];
  waiting: number;
}

/** A chunk being worked through, number by number and part by part. */
interface Cursor extends PartWalk {
  readonly chunk: Chunk;
  readonly state: ChunkState;
  readonly sender: string;
  readonly alphabet: Alphabet;
  readonly templateCode: string | undefined;
  readonly dropped: Set<number>;
  texts: { index: number; parts: Parts } | undefined;
}

/** Texts are cut by the alphabet of the channel, as they were when they were priced. */
export function createTurns(
  senderOf: (serviceAccountId: bigint) => string,
  alphabet: Alphabet,
  /** What the upstream calls a template. */
  templateCodeOf: (templateId: bigint) => string | undefined = () => undefined,
): Turns {
  const backlogs = new Map<CustomerId, Backlog>();
  // The order of the sets is the order of turns.
  const fresh = new Set<CustomerId>();
  const standing = new Set<CustomerId>();
  const open = new Map<string, Cursor>();
  const buckets = new Map<number, number>();
  /** What an equal share of everything taken so far comes to, and where customers stand that had more than that. */
  let share = 0;
  const had = new Map<CustomerId, number>();
  /** Newcomers had the odd part of the last take. */
  let isOddDue = false;
  let waiting = 0;

  const leadOf = (customerId: CustomerId): number => Math.max(0, (had.get(customerId) ?? 0) - share);

  const charge = (customerId: CustomerId, parts: number): void => {
    had.set(customerId, share + Math.min(MAX_LEAD, leadOf(customerId) + SHARE_WEIGHT * parts));
    if (had.size > MAX_LEADS_KEPT) for (const id of had.keys()) if (leadOf(id) === 0) had.delete(id);
  };

  const backlogOf = ({ customerId, bucket }: Chunk): Backlog => {
    const known = backlogs.get(customerId);
    if (known !== undefined) return known;
    const backlog = { bucket, returned: [], chunks: [], waiting: 0 };
    backlogs.set(customerId, backlog);
    (leadOf(customerId) < NEWCOMER_LEAD ? fresh : standing).add(customerId);
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
    return backlog;
  };

  const remove = (customerId: CustomerId): void => {
    const backlog = backlogs.get(customerId);
    if (backlog === undefined) return;
    backlogs.delete(customerId);
    fresh.delete(customerId);
    standing.delete(customerId);
    waiting -= backlog.waiting;
    for (const { chunk } of backlog.chunks) open.delete(chunk.key);
    const left = (buckets.get(backlog.bucket) ?? 1) - 1;
    if (left > 0) buckets.set(backlog.bucket, left);
    else buckets.delete(backlog.bucket);
  };

  const count = (backlog: Backlog, parts: number): void => {
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
        open.delete(cursor.chunk.key);
      }
    }
    count(backlog, -taken.length);
    return taken;
  };

  /** Serves customers in order until so much is taken; who has more is at the end of the turns afterwards. */
  const serve = (queue: Set<CustomerId>, taken: Sendable[], until: number, most: number): void => {
    for (const customerId of queue) {
      if (taken.length >= until) return;
      const backlog = backlogs.get(customerId);
      queue.delete(customerId);
      if (backlog === undefined) continue;
      const parts = takeFrom(backlog, Math.min(most, until - taken.length));
      for (const sendable of parts) taken.push(sendable);
      charge(customerId, parts.length);
      if (backlog.chunks.length === 0 && backlog.returned.length === 0) remove(customerId);
      else standing.add(customerId);
    }
  };

  /** What everybody's share has grown by. */
  const shareOut = (taken: readonly Sendable[], customers: number): void => {
    share += taken.length / Math.max(1, customers);
  };

  const openCursor = ({ chunk, state }: StoredChunk): Cursor => {
    const sender = senderOf(chunk.serviceAccountId);
    const { templateId } = chunk.numbers;
    const templateCode = templateId === undefined ? undefined : templateCodeOf(BigInt(templateId));
    const fixed = { chunk, state, sender, alphabet, templateCode };
    return { ...fixed, dropped: new Set<number>(), texts: undefined, ...startWalk() };
  };

  return {
    cut(stored) {
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
      open.set(chunk.key, cursor);
      count(backlog, countUnsent(state));
    },
    giveBack(sendables) {
      for (const sendable of sendables) {
        const backlog = backlogOf(sendable.position.chunk);
        backlog.returned.push(sendable);
        count(backlog, 1);
      }
    },
    take(wanted) {
      const taken: Sendable[] = [];
      const customers = backlogs.size;
      const hasLine = standing.size > 0;
      // Newcomers may use half of it, and all of what the others leave. Where one part is taken at a time, that is every other.
      const half = isOddDue ? Math.floor(wanted / 2) : Math.ceil(wanted / 2);
      serve(fresh, taken, hasLine ? half : wanted, FIRST_PARTS);
      isOddDue = hasLine && taken.length > wanted / 2;
      serve(standing, taken, wanted, TURN_PARTS);
      serve(fresh, taken, wanted, FIRST_PARTS);
      shareOut(taken, customers);
      return taken;
    },
    countNewcomers(most) {
      let parts = 0;
      if (standing.size === 0) return parts;
      for (const customerId of fresh) {
        parts += backlogs.get(customerId)?.waiting ?? 0;
        if (parts > most) break;
      }
      return parts;
    },
    takeNewcomers(wanted) {
      const taken: Sendable[] = [];
      const customers = backlogs.size;
      serve(fresh, taken, wanted, FIRST_PARTS);
      shareOut(taken, customers);
      return taken;
    },
    drop(chunk, index) {
      open.get(chunk.key)?.dropped.add(index);
    },
    clear(customerId) {
      for (const id of customerId === undefined ? [...backlogs.keys()] : [customerId]) remove(id);
    },
    size: (customerId) =>
      customerId === undefined ? Math.max(0, waiting) : Math.max(0, backlogs.get(customerId)?.waiting ?? 0),
    onlyBucket() {
      const [bucket] = buckets.size === 1 ? buckets.keys() : [];
      return bucket;
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
  if (cursor.texts === undefined || (!isCommon && cursor.texts.index !== index)) {
    cursor.texts = { index, parts: cutText(numbers, index, cursor.alphabet) };
  }
  const { encoding, parts } = cursor.texts.parts;
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
    position: queuedAt(chunk, index, part),
  };
}

function cutText(numbers: ChunkNumbers, index: number, alphabet: Alphabet): Parts {
  const text = textOf(numbers, index);
  const cut = splitIntoParts(text, alphabet);
  return numbers.whole === true ? { encoding: cut.encoding, parts: [text] } : cut;
}
