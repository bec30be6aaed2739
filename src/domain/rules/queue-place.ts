// Places in the queue of a channel. Each class of a customer has a range of places, so one index finds the customers of a queue, their
// classes, and the next chunks of each, whatever the backlog of the others.

import type { CustomerId } from '../id.js';
import type { MessageClass } from './message-class.js';

/** One class of one customer: what is queued in order on a channel. */
export type QueueKey = bigint & { readonly __brand: 'QueueKey' };

/** Chunks from before there were classes have places in the first range: they are notices. */
const RANGES = ['notice', 'otp', 'promotion'] as const satisfies readonly MessageClass[];
const RANGE_NO = { notice: 0n, otp: 1n, promotion: 2n } as const satisfies Record<MessageClass, bigint>;
/** A range has room for more places than an account ever counts. */
export const RANGE_BITS = 60;
const KEY_BITS = 2n;

/** The place of a class with this number of the account's sequence. */
export function placeOf(messageClass: MessageClass, sequence: bigint): bigint {
  return (RANGE_NO[messageClass] << BigInt(RANGE_BITS)) + sequence;
}

export function classOfPlace(place: bigint): MessageClass {
  return RANGES[Number(place >> BigInt(RANGE_BITS))] ?? 'notice';
}

export function queueKeyOf(customerId: CustomerId, messageClass: MessageClass): QueueKey {
  return ((customerId << KEY_BITS) + RANGE_NO[messageClass]) as QueueKey;
}

/** All queues of a customer. */
export function queueKeysOf(customerId: CustomerId): QueueKey[] {
  return RANGES.map((messageClass) => queueKeyOf(customerId, messageClass));
}

export function customerOfQueue(key: QueueKey): CustomerId {
  return (key >> KEY_BITS) as CustomerId;
}

export function classOfQueue(key: QueueKey): MessageClass {
  return RANGES[Number(key & 3n)] ?? 'notice';
}

/** The places of a queue: greater than the one, less than the other. */
export function placesOf(key: QueueKey): { readonly after: bigint; readonly before: bigint } {
  const range = RANGE_NO[classOfQueue(key)];
  return { after: range << BigInt(RANGE_BITS), before: (range + 1n) << BigInt(RANGE_BITS) };
}
