// Chooses the message class that is sent next on a channel: codes, then notices, then promotions, across customers. A waiting class
// keeps a small share, so that none starves. Within a class customers take turns (`turns.ts`).

import { MESSAGE_CLASSES, type MessageClass } from '../../../domain/rules/message-class.js';
import { classOfPlace, classOfQueue, customerOfQueue, type QueueKey } from '../../../domain/rules/queue-place.js';
import type { Sendable } from '../parts/part-state.js';
import type { Turns } from './turns.js';

export interface ClassTurns extends Turns {
  /** How many parts may be sent ahead of the batches. Unlike that of one class, the count is at most `most`. */
  countNewcomers(most: number): number;
  sizeOfClass(messageClass: MessageClass): number;
  sizeOfQueue(queue: QueueKey): number;
  /** Removes what is not taken yet of one class of a customer. */
  clearQueue(queue: QueueKey): void;
}

/** Each class that waits behind more urgent ones gets one part in this many. */
const PARTS_A_SHARE = 20;

interface Lane {
  readonly messageClass: MessageClass;
  readonly turns: Turns;
  /** The share that it has not used yet; `PARTS_A_SHARE` is one part. */
  owed: number;
}

/** The next parts, of any buckets, at most `most`. */
function takeAll(turns: Turns, most: number): Sendable[] {
  const taken: Sendable[] = [];
  for (let waiting = -1; taken.length < most && turns.size() !== waiting; ) {
    waiting = turns.size();
    for (const part of turns.take(most - taken.length)) taken.push(part);
  }
  return taken;
}

export function createClassTurns(createTurnsOfClass: () => Turns): ClassTurns {
  const lanes = MESSAGE_CLASSES.map((messageClass): Lane => ({ messageClass, turns: createTurnsOfClass(), owed: 0 }));
  const byClass = new Map(lanes.map((lane) => [lane.messageClass, lane]));

  const laneOf = (messageClass: MessageClass): Lane => {
    const lane = byClass.get(messageClass);
    if (lane === undefined) throw new Error(`no such class: ${messageClass}`);
    return lane;
  };
  const turnsOf = (place: bigint): Turns => laneOf(classOfPlace(place)).turns;
  const isWaiting = ({ turns }: Lane): boolean => turns.size() > 0;
  const hasLessUrgent = (lane: Lane): boolean => lanes.slice(lanes.indexOf(lane) + 1).some(isWaiting);

  /** Takes from lanes in order of urgency and updates the shares of waiting lanes. */
  const takeInOrder = (pick: (lane: Lane, taken: Sendable[]) => Sendable[]): Sendable[] => {
    const taken: Sendable[] = [];
    const counts = lanes.map((lane) => {
      const parts = pick(lane, taken);
      for (const part of parts) taken.push(part);
      return parts.length;
    });
    updateShares(counts, taken.length);
    return taken;
  };

  const updateShares = (counts: readonly number[], total: number): void => {
    for (const [at, lane] of lanes.entries()) {
      lane.owed = isWaiting(lane) ? Math.max(0, lane.owed + total - PARTS_A_SHARE * (counts[at] ?? 0)) : 0;
    }
  };

  const sumOf = (read: (turns: Turns) => number): number => lanes.reduce((sum, { turns }) => sum + read(turns), 0);

  return {
    add: (stored) => turnsOf(stored.chunk.queueNo).add(stored),
    unsentPartsOf: (stored) => turnsOf(stored.chunk.queueNo).unsentPartsOf(stored),
    putBack(sendables) {
      for (const sendable of sendables) turnsOf(sendable.position.chunk.queueNo).putBack([sendable]);
    },
    take(wanted) {
      // Leaves room for what is owed to less urgent classes.
      const owedBehind = (lane: Lane): number =>
        lanes
          .slice(lanes.indexOf(lane) + 1)
          .reduce((sum, { owed, turns }) => sum + Math.min(Math.floor(owed / PARTS_A_SHARE), turns.size()), 0);
      // A class that continues with another bucket is not overtaken: the next take continues with it.
      let isCut = false;
      return takeInOrder((lane, taken) => {
        const most = isCut ? 0 : Math.max(0, wanted - taken.length - owedBehind(lane));
        const parts = lane.turns.take(most);
        isCut ||= parts.length < most && isWaiting(lane);
        return parts;
      });
    },
    /**
     * All parts of a class count if less urgent ones wait. A class that does not fit into the reserved slots is left to the batches, and so
     * are the classes after it, so the count is at most `most`.
     */
    countNewcomers(most) {
      // A class whose share is due goes first.
      if (lanes.slice(1).some(({ owed }) => owed >= PARTS_A_SHARE)) return 0;
      let parts = 0;
      for (const lane of lanes) {
        const more = hasLessUrgent(lane) ? lane.turns.size() : lane.turns.countNewcomers(most);
        if (parts + more > most) break;
        parts += more;
      }
      return parts;
    },
    takeNewcomers(wanted) {
      return takeInOrder((lane, taken) => {
        const most = wanted - taken.length;
        return hasLessUrgent(lane) ? takeAll(lane.turns, most) : lane.turns.takeNewcomers(most);
      });
    },
    drop(chunk, index) {
      turnsOf(chunk.queueNo).drop(chunk, index);
    },
    clear(customerId) {
      for (const { turns } of lanes) turns.clear(customerId);
    },
    clearQueue: (queue) => laneOf(classOfQueue(queue)).turns.clear(customerOfQueue(queue)),
    size: (customerId) => sumOf((turns) => turns.size(customerId)),
    sizeOfClass: (messageClass) => laneOf(messageClass).turns.size(),
    sizeOfQueue: (queue) => laneOf(classOfQueue(queue)).turns.size(customerOfQueue(queue)),
    nextBucket() {
      const waiting = lanes.filter(isWaiting);
      const [bucket, ...others] = new Set(waiting.map(({ turns }) => turns.nextBucket()));
      return others.length === 0 ? bucket : undefined;
    },
  };
}
