// When parts are taken, and how many: as many as there is room for and the pace allows, in batches that are worth a transaction.

import { groupBy } from '../../../domain/group-by.js';
import { NO_BUCKET, type Wake } from '../../wake.js';
import type { Room } from '../parts/window.js';
import { READ_BELOW_WINDOWS } from './loader.js';
import type { Pacer } from './pacer.js';
import type { Sendable, Turns } from './turns.js';

export interface PumpOptions {
  readonly window: number;
  readonly turns: Turns;
  readonly room: Room;
  readonly pacer: Pacer;
  readonly wake: Wake;
  readonly isOpen: () => boolean;
  /** Parts of one bucket, for which there is room; beside what is under way, or with what comes next. */
  readonly send: (sendables: readonly Sendable[], isBeside: boolean) => void;
}

export interface Pump {
  /** Takes what may go. */
  run(): void;
  /** There is more room: it is used at once where it is worth it, else with what comes next. */
  runSoon(): void;
  stop(): void;
}

/** Answers come back one by one; the room they leave is used together, but not after longer than this. */
const GATHER_MS = 4;

export function createPump({ window, turns, room, pacer, wake, isOpen, send }: PumpOptions): Pump {
  let gathering: NodeJS.Timeout | undefined;
  let pausing: NodeJS.Timeout | undefined;
  let isStopped = false;

  const countWanted = (): number => Math.min(room.free(turns.onlyBucket()), turns.size());

  /** A few messages of newcomers wait for nobody. Many are better off in the batches of the others. */
  const sendNewcomers = (): void => {
    const free = room.freeForNewcomers();
    const wanted = turns.countNewcomers(free);
    if (wanted === 0 || wanted > free) return;
    const taken = turns.takeNewcomers(pacer.take(wanted));
    room.takeForNewcomers(taken);
    for (const sendables of byBucket(taken)) send(sendables, true);
  };

  const run = (): void => {
    if (isStopped || !isOpen()) return;
    sendNewcomers();
    const wanted = countWanted();
    if (wanted <= 0) return;
    const allowed = pacer.take(wanted);
    if (allowed < wanted) runAtPace();
    if (allowed === 0) return;
    const taken = turns.take(allowed);
    room.take(taken);
    for (const sendables of byBucket(taken)) send(sendables, false);
    // Whoever reads the queue is to go on, and there is no news of any bucket.
    if (turns.size() < READ_BELOW_WINDOWS * window) wake.notifyLocal('dispatch', NO_BUCKET);
  };

  const runAtPace = (): void => {
    pausing ??= setTimeout(
      () => {
        pausing = undefined;
        run();
      },
      Math.max(1, pacer.delayMs()),
    );
  };

  return {
    run,
    runSoon() {
      if (isStopped) return;
      const wanted = countWanted();
      if (wanted <= 0) return;
      // Half of the room is a batch worth a transaction, and so is all there is.
      if (wanted >= room.size / 2 || wanted === turns.size()) return run();
      gathering ??= setTimeout(() => {
        gathering = undefined;
        run();
      }, GATHER_MS);
    },
    stop() {
      isStopped = true;
      clearTimeout(gathering);
      clearTimeout(pausing);
    },
  };
}

function byBucket(sendables: readonly Sendable[]): Iterable<readonly Sendable[]> {
  return groupBy(sendables, ({ flight }) => flight.chunk.bucket).values();
}
