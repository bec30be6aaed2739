// When parts are taken, and how many: as many as there is room for and the pace allows, in batches that are worth a transaction.

import { groupBy } from '../../domain/group-by.js';
import type { Wake } from '../wake.js';
import type { Pacer } from './pacer.js';
import type { Room } from './room.js';
import type { Sendable, Turns } from './turns.js';

export interface PumpOptions {
  readonly window: number;
  readonly turns: Turns;
  readonly room: Room;
  readonly pacer: Pacer;
  readonly wake: Wake;
  readonly isOpen: () => boolean;
  /** Parts of one bucket, for which there is room. */
  readonly send: (sendables: readonly Sendable[]) => void;
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

export function makePump({ window, turns, room, pacer, wake, isOpen, send }: PumpOptions): Pump {
  let gathering: NodeJS.Timeout | undefined;
  let pausing: NodeJS.Timeout | undefined;
  let isStopped = false;

  const countWanted = (): number => Math.min(room.free(turns.onlyBucket()), turns.size());

  const run = (): void => {
    if (isStopped || !isOpen()) return;
    const wanted = countWanted();
    if (wanted <= 0) return;
    const allowed = pacer.take(wanted);
    if (allowed < wanted) runAtPace();
    if (allowed === 0) return;
    const taken = turns.take(allowed);
    room.take(taken);
    for (const sendables of groupBy(taken, ({ flight }) => flight.chunk.bucket).values()) send(sendables);
    if (turns.size() < window) wake.rouse('dispatch');
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
      // Half a window is a batch worth a transaction, and so is all there is.
      if (wanted >= window / 2 || wanted === turns.size()) return run();
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
