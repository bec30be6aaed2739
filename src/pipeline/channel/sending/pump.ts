// The pump decides when parts are taken from the queue, and how many: as many as the window and the rate allow, in batches that are
// large enough for a transaction.

import { groupBy } from '../../../domain/group-by.js';
import type { RecordMode } from '../../settle/entry.js';
import { NO_BUCKET, type Wake } from '../../wake.js';
import type { Sendable } from '../parts/part-state.js';
import type { ChannelWindow } from '../parts/window.js';
import type { ClassTurns } from './class-turns.js';
import type { Loader } from './loader.js';
import type { Pacer } from './pacer.js';

export interface PumpOptions {
  readonly window: ChannelWindow;
  readonly turns: ClassTurns;
  readonly loader: Pick<Loader, 'wantsMore'>;
  readonly pacer: Pacer;
  readonly wake: Wake;
  readonly isOpen: () => boolean;
  /** Sends parts of one bucket. Their slots in the window are taken. */
  readonly send: (parts: readonly Sendable[], mode: RecordMode) => void;
}

export interface Pump {
  /** Sends as many parts as allowed. */
  run(): void;
  /** Slots in the window became free: sends at once if the batch is large enough, else after a short delay. */
  runSoon(): void;
  stop(): void;
}

/** Answers arrive one by one: how long to wait until more slots are free. */
const GATHER_MS = 4;

export function createPump({ window, turns, loader, pacer, wake, isOpen, send }: PumpOptions): Pump {
  let gatherTimer: NodeJS.Timeout | undefined;
  let paceTimer: NodeJS.Timeout | undefined;
  let isStopped = false;

  /** Only parts of the same bucket may reuse a slot (`window.ts`). */
  const countWanted = (): number => Math.min(window.free(turns.nextBucket()), turns.size());

  /**
   * The turns may yield fewer parts than they count: a newcomer gets one short turn, whatever it has waiting, and the other parts of a
   * refused number are skipped only when they are reached.
   */
  const refundMissing = (allowed: number, taken: readonly Sendable[]): void => {
    if (taken.length < allowed) pacer.refund(allowed - taken.length);
  };

  /**
   * Sends a few parts of newcomers, and of classes ahead of less urgent ones, at once, in a separate transaction (`class-turns.ts`). What
   * does not fit into the reserved slots goes into the batches with all others.
   */
  const sendNewcomers = (): void => {
    const wanted = turns.countNewcomers(window.freeForNewcomers());
    if (wanted === 0) return;
    const allowed = pacer.take(wanted);
    const taken = turns.takeNewcomers(allowed);
    refundMissing(allowed, taken);
    window.takeForNewcomers(taken);
    for (const parts of byBucket(taken)) send(parts, 'concurrent');
  };

  const run = (): void => {
    if (isStopped || !isOpen()) return;
    sendNewcomers();
    const waiting = turns.size();
    // A take serves the rotation of one bucket.
    while (sendNext());
    if (turns.size() < waiting && loader.wantsMore()) wake.notifyLocal('dispatch', NO_BUCKET);
  };

  /** False if nothing more can be taken now. */
  const sendNext = (): boolean => {
    const waiting = turns.size();
    const wanted = countWanted();
    if (wanted <= 0) return false;
    const allowed = pacer.take(wanted);
    if (allowed < wanted) runWhenPaced();
    if (allowed === 0) return false;
    const taken = turns.take(allowed);
    refundMissing(allowed, taken);
    window.take(taken);
    for (const parts of byBucket(taken)) send(parts, 'batched');
    // The size can shrink without a take: the other parts of a refused number are dropped.
    return turns.size() < waiting;
  };

  /** Runs again when the rate allows the next part. */
  const runWhenPaced = (): void => {
    paceTimer ??= setTimeout(
      () => {
        paceTimer = undefined;
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
      // Half of the window is enough, and so is everything that waits.
      if (wanted >= window.size / 2 || wanted === turns.size()) return run();
      gatherTimer ??= setTimeout(() => {
        gatherTimer = undefined;
        run();
      }, GATHER_MS);
    },
    stop() {
      isStopped = true;
      clearTimeout(gatherTimer);
      clearTimeout(paceTimer);
    },
  };
}

function byBucket(sendables: readonly Sendable[]): Iterable<readonly Sendable[]> {
  return groupBy(sendables, ({ position }) => position.chunk.bucket).values();
}
