// The dispatcher sends the parts of a channel that this process owns. The intent to send a part is committed before the channel gets it:
// after a crash the part counts as unknown, never as unsent, and is not sent again.

import { setMaxListeners } from 'node:events';
import type { Lease } from '../../../store/channel/channel-lease.js';
import type { RecordMode } from '../../settle/entry.js';
import type { Wake } from '../../wake.js';
import type { PartLifecycle } from '../parts/part-lifecycle.js';
import type { Sendable } from '../parts/part-state.js';
import type { ChannelWindow } from '../parts/window.js';
import type { ClassTurns } from './class-turns.js';
import { createExpressSend, type ExpressSend } from './express-send.js';
import type { Loader } from './loader.js';
import type { TimedPartQueue } from './part-queue.js';
import { createPump } from './pump.js';
import { type SubmissionOptions, submitParts } from './submission.js';

export interface DispatchOptions extends SubmissionOptions {
  readonly lease: Lease;
  readonly lifecycle: PartLifecycle;
  readonly window: ChannelWindow;
  readonly turns: ClassTurns;
  readonly queue: TimedPartQueue;
  readonly loader: Loader;
  readonly wake: Wake;
  /** The lease is lost, or something failed unexpectedly: this process must close the channel. */
  readonly onFault: (error: unknown) => void;
}

export interface Dispatcher {
  readonly express: ExpressSend;
  /** Resolves when everything on the wire is answered and recorded. */
  stop(): Promise<void>;
}

const POLL_MS = 1000;
/** A part that is throttled this often is withdrawn: its task may have been cancelled or paused meanwhile. */
const MAX_ATTEMPTS = 3;

export function startDispatcher(options: DispatchOptions): Dispatcher {
  const { channel, lifecycle, window, turns, pacer, loader } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  // Every submission listens to it, and there may be a window of them.
  setMaxListeners(0, signal);
  const underWay = new Set<Promise<void>>();
  const isUp = () => channel.health().state !== 'down';

  const track = (work: Promise<void>): void => {
    const tracked: Promise<void> = work.catch(options.onFault).finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  };

  /** Commits the intents of these parts, then submits those that are granted. */
  const send = async (parts: readonly Sendable[], mode: RecordMode): Promise<void> => {
    const open = options.queue.holdClosed(parts);
    if (open.length > 0) await lifecycle.commitIntents(open, mode, submitSoon);
  };

  /** One submission for all parts whose intents were committed together. */
  const granted: Sendable[] = [];
  const submitGranted = (): void => track(submitIntended(granted.splice(0)));
  const submitSoon = (parts: readonly Sendable[]): void => {
    if (granted.length === 0 && parts.length > 0) process.nextTick(submitGranted);
    for (const part of parts) granted.push(part);
  };

  /** Submits parts whose intents are committed, and again those that are throttled. */
  const submitIntended = async (intended: readonly Sendable[]): Promise<void> => {
    let toSubmit = intended;
    for (let attempt = 1; toSubmit.length > 0; attempt++) {
      const throttled = await submitParts(options, toSubmit, attempt < MAX_ATTEMPTS, signal);
      await waitForPace(throttled.length);
      toSubmit = throttled;
    }
  };

  /** Waits until the pacer has let this many parts pass. */
  const waitForPace = async (count: number): Promise<void> => {
    for (let left = count; left > 0 && !signal.aborted; left -= pacer.take(left)) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(5, pacer.delayMs())));
    }
  };

  const pump = createPump({ ...options, isOpen: isUp, send: (parts, mode) => track(send(parts, mode)) });
  window.onFree(pump.runSoon);

  const load = async (): Promise<void> => {
    if (!isUp()) return;
    try {
      await loader.load();
    } finally {
      // Also when nothing was read: this restarts a channel that is up again.
      pump.run();
    }
  };

  const running = runLoader(options, signal, load);

  const express = createExpressSend({
    ...options,
    isOpen: () => !signal.aborted && isUp(),
    send: submitSoon,
  });

  return {
    express,
    async stop() {
      stopping.abort();
      pump.stop();
      loader.stop();
      turns.clear();
      await running;
      while (underWay.size > 0) await Promise.all(underWay);
      await lifecycle.stop();
    },
  };
}

async function runLoader(
  { wake, log }: DispatchOptions,
  signal: AbortSignal,
  load: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    const since = wake.count('dispatch');
    try {
      await load();
    } catch (error) {
      log.warn({ err: error }, 'reading the dispatch queue failed and will be retried');
    }
    await wake.wait('dispatch', since, POLL_MS, signal);
  }
}
