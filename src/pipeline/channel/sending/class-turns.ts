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

interface ClassShare {
  readonly messageClass: MessageClass;
  readonly turns: Turns;
  /** What it has not used yet of its share; `PARTS_A_SHARE` is one part. */
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
  const shares = MESSAGE_CLASSES.map(
    (messageClass): ClassShare => ({ messageClass, turns: createTurnsOfClass(), owed: 0 }),
  );
  const byClass = new Map(shares.map((share) => [share.messageClass, share]));

  const shareOf = (messageClass: MessageClass): ClassShare => {
    const share = byClass.get(messageClass);
    if (share === undefined) throw new Error(`no such class: ${messageClass}`);
    return share;
  };
  const turnsOf = (place: bigint): Turns => shareOf(classOfPlace(place)).turns;
  const isWaiting = ({ turns }: ClassShare): boolean => turns.size() > 0;
  const hasLessUrgent = (share: ClassShare): boolean => shares.slice(shares.indexOf(share) + 1).some(isWaiting);

  /** Takes from the classes in order of urgency and updates the shares of those that wait. */
  const takeInOrder = (pick: (share: ClassShare, taken: Sendable[]) => Sendable[]): Sendable[] => {
    const taken: Sendable[] = [];
    const counts = shares.map((share) => {
      const parts = pick(share, taken);
      for (const part of parts) taken.push(part);
      return parts.length;
    });
    updateShares(counts, taken.length);
    return taken;
  };

  const updateShares = (counts: readonly number[], total: number): void => {
    for (const [at, share] of shares.entries()) {
      share.owed = isWaiting(share) ? Math.max(0, share.owed + total - PARTS_A_SHARE * (counts[at] ?? 0)) : 0;
    }
  };

  const sumOf = (read: (turns: Turns) => number): number => shares.reduce((sum, { turns }) => sum + read(turns), 0);

  return {
    add: (stored) => turnsOf(stored.chunk.queueNo).add(stored),
    unsentPartsOf: (stored) => turnsOf(stored.chunk.queueNo).unsentPartsOf(stored),
    putBack(sendables) {
      for (const sendable of sendables) turnsOf(sendable.position.chunk.queueNo).putBack([sendable]);
    },
    take(wanted) {
      // Leaves room for what is owed to less urgent classes.
      const owedBehind = (share: ClassShare): number =>
        shares
          .slice(shares.indexOf(share) + 1)
          .reduce((sum, { owed, turns }) => sum + Math.min(Math.floor(owed / PARTS_A_SHARE), turns.size()), 0);
      // A class that continues with another bucket is not overtaken: the next take continues with it.
      let isCut = false;
      return takeInOrder((share, taken) => {
        const most = isCut ? 0 : Math.max(0, wanted - taken.length - owedBehind(share));
        const parts = share.turns.take(most);
        isCut ||= parts.length < most && isWaiting(share);
        return parts;
      });
    },
    /**
     * All parts of a class count if less urgent ones wait. A class that does not fit into the reserved slots is left to the batches, and so
     * are the classes after it, so the count is at most `most`.
     */
    countNewcomers(most) {
      // A class whose share is due goes first.
      if (shares.slice(1).some(({ owed }) => owed >= PARTS_A_SHARE)) return 0;
      let parts = 0;
      for (const share of shares) {
        const more = hasLessUrgent(share) ? share.turns.size() : share.turns.countNewcomers(most);
        if (parts + more > most) break;
        parts += more;
      }
      return parts;
    },
    takeNewcomers(wanted) {
      return takeInOrder((share, taken) => {
        const most = wanted - taken.length;
        return hasLessUrgent(share) ? takeAll(share.turns, most) : share.turns.takeNewcomers(most);
      });
    },
    drop(chunk, index) {
      turnsOf(chunk.queueNo).drop(chunk, index);
    },
    clear(customerId) {
      for (const { turns } of shares) turns.clear(customerId);
    },
    clearQueue: (queue) => shareOf(classOfQueue(queue)).turns.clear(customerOfQueue(queue)),
    size: (customerId) => sumOf((turns) => turns.size(customerId)),
    sizeOfClass: (messageClass) => shareOf(messageClass).turns.size(),
    sizeOfQueue: (queue) => shareOf(classOfQueue(queue)).turns.size(customerOfQueue(queue)),
    nextBucket() {
      const waiting = shares.filter(isWaiting);
      const [bucket, ...others] = new Set(waiting.map(({ turns }) => turns.nextBucket()));
      return others.length === 0 ? bucket : undefined;
    },
  };
}
