// Answers that cannot be written, because something is wrong with their task, are set aside: nobody waits for them, they are
// tried again with a growing pause, and the operator sees them.

import type { CustomerId, TaskId } from '../../domain/id.js';
import type { Happening } from '../../domain/settlement.js';
import { type Lease, LeaseLostError } from '../../store/channel-lease.js';
import type { Recorder } from './recorder.js';

export interface SetAside {
  readonly customerId: CustomerId;
  readonly taskId: TaskId;
  readonly happenings: number;
  readonly reason: string;
  readonly tries: number;
}

export interface Aside {
  /** Calls back when they are written after all. */
  put(happenings: readonly Happening[], lease: Lease, error: unknown, written?: () => void): void;
  list(): readonly SetAside[];
}

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 5 * 60_000;

export function makeAside({ add, signal }: { readonly add: Recorder['add']; readonly signal: AbortSignal }): Aside {
  const kept = new Map<readonly Happening[], SetAside>();
  const timers = new Set<NodeJS.Timeout>();
  signal.addEventListener('abort', () => {
    for (const timer of timers) clearTimeout(timer);
  });

  const tryAgain = (happenings: readonly Happening[], lease: Lease, written: () => void, tries: number): void => {
    add(happenings, lease, ({ failed }) => {
      kept.delete(happenings);
      const left = happenings.filter((happening) => failed.has(happening));
      if (left.length > 0) keep(left, lease, failed.get(left[0] as Happening), written, tries + 1);
      else written();
    });
  };

  const keep = (
    happenings: readonly Happening[],
    lease: Lease,
    error: unknown,
    written: () => void,
    tries: number,
  ): void => {
    // The successor of a lost lease finds the intents and says what is known of them.
    const [first] = happenings;
    if (first === undefined || error instanceof LeaseLostError || signal.aborted) return;
    const { customerId, taskId } = first.chunk;
    const reason = error instanceof Error ? error.message : String(error);
    kept.set(happenings, { customerId, taskId, happenings: happenings.length, reason, tries });
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1));
    const timer = setTimeout(() => {
      timers.delete(timer);
      tryAgain(happenings, lease, written, tries);
    }, pause);
    timers.add(timer);
  };

  return {
    put: (happenings, lease, error, written = () => {}) => keep(happenings, lease, error, written, 1),
    list: () => [...kept.values()],
  };
}
