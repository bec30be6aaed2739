// Which class goes next on a channel: codes before notices before promotions, across customers. A class that waits behind others
// keeps a share, so that none starves. Within a class customers take turns (`turns.ts`).

import { MESSAGE_CLASSES, type MessageClass } from '../../../domain/rules/message-class.js';
import { classOfPlace, classOfQueue, customerOfQueue, type QueueKey } from '../../../domain/rules/queue-place.js';
import type { Sendable } from '../parts/part-state.js';
import type { Turns } from './turns.js';

export interface ClassTurns extends Turns {
  sizeOfClass(messageClass: MessageClass): number;
  sizeOfQueue(queue: QueueKey): number;
  /** Forgets what is not yet taken of one class of a customer. */
  clearQueue(queue: QueueKey): void;
}

/** One part of so many goes to each class that waits while more urgent ones are sent: five of a hundred. */
const PARTS_A_SHARE = 20;

interface Lane {
  readonly messageClass: MessageClass;
  readonly turns: Turns;
  /** What its share has come to and it has not had, in parts of a share. */
  owed: number;
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

  /** Takes from lanes in order of urgency and counts it toward the shares of those that wait. */
  const takeInOrder = (pick: (lane: Lane, taken: Sendable[]) => Sendable[]): Sendable[] => {
    const taken: Sendable[] = [];
    const had = lanes.map((lane) => {
      const parts = pick(lane, taken);
      for (const part of parts) taken.push(part);
      return parts.length;
    });
    settleShares(had, taken.length);
    return taken;
  };

  const settleShares = (had: readonly number[], total: number): void => {
    for (const [at, lane] of lanes.entries()) {
      lane.owed = isWaiting(lane) ? Math.max(0, lane.owed + total - PARTS_A_SHARE * (had[at] ?? 0)) : 0;
    }
  };

  const sumOf = (read: (turns: Turns) => number): number => lanes.reduce((sum, { turns }) => sum + read(turns), 0);

  return {
    add: (stored) => turnsOf(stored.chunk.queueNo).add(stored),
    cut: (stored) => turnsOf(stored.chunk.queueNo).cut(stored),
    giveBack(sendables) {
      for (const sendable of sendables) turnsOf(sendable.position.chunk.queueNo).giveBack([sendable]);
    },
    take(wanted) {
      // What is owed to the classes behind is kept from those before them.
      const keptBehind = (lane: Lane): number =>
        lanes
          .slice(lanes.indexOf(lane) + 1)
          .reduce((sum, { owed, turns }) => sum + Math.min(Math.floor(owed / PARTS_A_SHARE), turns.size()), 0);
      return takeInOrder((lane, taken) => lane.turns.take(Math.max(0, wanted - taken.length - keptBehind(lane))));
    },
    countNewcomers(most) {
      // Whose share is due takes what comes next.
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
        return hasLessUrgent(lane) ? lane.turns.take(most) : lane.turns.takeNewcomers(most);
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
    onlyBucket() {
      const waiting = lanes.filter(isWaiting);
      const [bucket, ...others] = new Set(waiting.map(({ turns }) => turns.onlyBucket()));
      return others.length === 0 ? bucket : undefined;
    },
  };
}
