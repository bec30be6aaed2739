// The window of a channel limits the parts between intent and recorded answer, and with it the parts that are unknown after a crash. A
// large window reserves a few slots for newcomers, so that a message is not delayed by a backlog.

import type { CustomerId } from '../../../domain/id.js';
import { classOfPlace, type QueueKey, queueKeyOf, queueKeysOf } from '../../../domain/rules/queue-place.js';
import type { PartPosition, Sendable } from './part-state.js';

export interface ChannelWindow {
  /** The slots that are not reserved, as many as may be in use now. */
  readonly size: number;
  /** How many parts of this bucket may be sent; undefined: of several buckets. */
  free(bucket: number | undefined): number;
  /** How many parts of newcomers may be sent in reserved slots. */
  freeForNewcomers(): number;
  /** These parts are about to be intended. */
  take(parts: readonly Sendable[]): void;
  takeForNewcomers(parts: readonly Sendable[]): void;
  /** The recorder has the answers of these parts: parts of the same bucket may reuse their slots. */
  reuseAfterCommit(parts: readonly Sendable[]): void;
  /** Whether slots are reused before their answers are committed: more are taken than the window has. */
  reusesSlots(): boolean;
  /** These parts are no longer between intent and recorded answer, or their answer is quarantined: nothing more of its customer is sent. */
  release(parts: readonly Sendable[]): void;
  /** Called whenever slots become free. */
  onFree(listener: () => void): void;
  /** Whether no part of a customer has a slot. */
  isIdle(customerId: CustomerId): boolean;
  /** Whether no part of one class of a customer has a slot. */
  isQueueIdle(queue: QueueKey): boolean;
  /** Resolves when no part has a slot. */
  empty(): Promise<void>;
}

/** Two slots are reserved per this many; a smaller window reserves none. */
const SLOTS_A_RESERVED_PAIR = 64;

/** `accepts`: how many slots beside the reserved ones may be in use now. It may be fewer than are in use already. */
export function createWindow(slots: number, accepts: () => number = () => slots): ChannelWindow {
  const reserved = 2 * Math.floor(slots / SLOTS_A_RESERVED_PAIR);
  /** Newcomers in reserved slots. */
  const inReserved = new Set<PartPosition>();
  /** How many slots of either kind the parts of each queue have. */
  const slotsOf = new Map<QueueKey, number>();
  /** Parts whose slot may be reused. */
  const reusable = new Set<PartPosition>();
  /** How many slots of each bucket may be reused. */
  const reusableIn = new Map<number, number>();
  /** Resolves calls of `empty`. */
  const onceEmpty: (() => void)[] = [];
  /** Slots that are not reserved and are taken. A reused slot counts twice. */
  let taken = 0;
  let notify = (): void => {};

  /** The slots that are not reserved. */
  const size = (): number => Math.min(slots - reserved, accepts());

  const countSlot = ({ chunk: { customerId, queueNo } }: PartPosition, by: 1 | -1): void => {
    const queue = queueKeyOf(customerId, classOfPlace(queueNo));
    const left = (slotsOf.get(queue) ?? 0) + by;
    if (left > 0) slotsOf.set(queue, left);
    else slotsOf.delete(queue);
  };

  const countReusable = ({ chunk }: PartPosition, by: 1 | -1): void =>
    void reusableIn.set(chunk.bucket, (reusableIn.get(chunk.bucket) ?? 0) + by);

  return {
    get size() {
      return size();
    },
    // A slot is reusable in its own bucket only: there its next intent is committed with the answer or after it, so that the window is
    // never exceeded. On one database, with its single bucket, one transaction can record the answers of a whole window and the
    // intents of the next.
    free: (bucket) => size() - taken + (bucket === undefined ? 0 : (reusableIn.get(bucket) ?? 0)),
    freeForNewcomers: () => reserved - inReserved.size,
    take(parts) {
      taken += parts.length;
      for (const { position } of parts) countSlot(position, 1);
    },
    takeForNewcomers(parts) {
      for (const { position } of parts) {
        inReserved.add(position);
        countSlot(position, 1);
      }
    },
    reuseAfterCommit(parts) {
      for (const { position } of parts) {
        // Not reserved slots: the intent of the next newcomer is committed concurrently, perhaps before this answer.
        if (inReserved.has(position)) continue;
        reusable.add(position);
        countReusable(position, 1);
      }
      notify();
    },
    reusesSlots: () => taken > size(),
    release(parts) {
      for (const { position } of parts) {
        if (!inReserved.delete(position)) taken -= 1;
        if (reusable.delete(position)) countReusable(position, -1);
        countSlot(position, -1);
      }
      if (slotsOf.size === 0) for (const resolve of onceEmpty.splice(0)) resolve();
      notify();
    },
    onFree(listener) {
      notify = listener;
    },
    isIdle: (customerId) => !queueKeysOf(customerId).some((queue) => slotsOf.has(queue)),
    isQueueIdle: (queue) => !slotsOf.has(queue),
    async empty() {
      if (slotsOf.size > 0) await new Promise<void>((resolve) => onceEmpty.push(resolve));
    },
  };
}
