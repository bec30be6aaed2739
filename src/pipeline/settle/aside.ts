// Answers that cannot be written, because something is wrong with their task, are set aside: nobody waits for them, they are
// tried again with a growing pause, and the operator sees them.

import type { Happening } from '../../domain/happening.js';
import type { CustomerId } from '../../domain/id.js';
import type { HeldBack } from '../../domain/platform.js';
import { type Lease, LeaseLostError } from '../../store/channel-lease.js';
import type { Recorder } from './recorder.js';

export interface Aside {
  /** Calls back when they are written after all. */
  put(happenings: readonly Happening[], lease: Lease, error: unknown, written?: () => void): void;
  /** A customer of whom nothing can be sent on a channel waits to be tried again. */
  hold(customerId: CustomerId, lease: Lease, error: unknown, tries: number, pauseMs: number): void;
  /** It is tried again, or others look after it. */
  letGo(customerId: CustomerId, lease: Lease): void;
  /** What is tried again, by task; as much as is worth telling. */
  list(): readonly HeldBack[];
}

type Told = Required<HeldBack>;

interface Kept extends Told {
  /** What is told as one. */
  readonly key: string;
}

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 5 * 60_000;
const MAX_TOLD = 100;
const MAX_REASON_CHARACTERS = 500;

export function makeAside({ add, signal }: { readonly add: Recorder['add']; readonly signal: AbortSignal }): Aside {
  const kept = new Map<readonly Happening[], Kept>();
  const held = new Map<string, Told>();
  const timers = new Set<NodeJS.Timeout>();
  signal.addEventListener('abort', () => {
    for (const timer of timers) clearTimeout(timer);
  });

  const tryAgain = (happenings: readonly Happening[], lease: Lease, written: () => void, tries: number): void => {
    add(happenings, lease, ({ failed }) => {
      const since = kept.get(happenings)?.since;
      kept.delete(happenings);
      const left = happenings.filter((happening) => failed.has(happening));
      if (left.length > 0) keep(left, lease, failed.get(left[0] as Happening), written, tries + 1, since);
      else written();
    });
  };

  const keep = (
    happenings: readonly Happening[],
    lease: Lease,
    error: unknown,
    written: () => void,
    tries: number,
    since = new Date().toISOString(),
  ): void => {
    // The successor of a lost lease finds the intents and says what is known of them.
    const [first] = happenings;
    if (first === undefined || error instanceof LeaseLostError || signal.aborted) return;
    const { customerId, taskId, taskKey } = first.chunk;
    const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1));
    kept.set(happenings, {
      key: `${taskKey}/${lease.channelId}`,
      kind: 'record',
      customer_id: String(customerId),
      task_id: String(taskId),
      channel_id: String(lease.channelId),
      parts: happenings.length,
      reason: reasonOf(error),
      tries,
      since,
      next_try_at: timeIn(pauseMs),
    });
    const timer = setTimeout(() => {
      timers.delete(timer);
      tryAgain(happenings, lease, written, tries);
    }, pauseMs);
    timers.add(timer);
  };

  return {
    put: (happenings, lease, error, written = () => {}) => keep(happenings, lease, error, written, 1),
    hold(customerId, lease, error, tries, pauseMs) {
      held.set(heldKeyOf(customerId, lease), {
        kind: 'send',
        customer_id: String(customerId),
        task_id: null,
        channel_id: String(lease.channelId),
        parts: null,
        reason: reasonOf(error),
        tries,
        since: new Date().toISOString(),
        next_try_at: timeIn(pauseMs),
      });
    },
    letGo: (customerId, lease) => void held.delete(heldKeyOf(customerId, lease)),
    list: () => [...held.values(), ...addUp(kept.values())].slice(0, MAX_TOLD),
  };
}

function timeIn(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

function heldKeyOf(customerId: CustomerId, { channelId }: Lease): string {
  return `${customerId}/${channelId}`;
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_REASON_CHARACTERS);
}

/** Answers come one by one, and what is wrong is wrong with their task: it is told once, as what is tried soonest. */
function addUp(entries: Iterable<Kept>): Told[] {
  const byTask = new Map<string, Told>();
  for (const { key, ...entry } of entries) {
    const known = byTask.get(key);
    const soonest = known === undefined || entry.next_try_at < known.next_try_at ? entry : known;
    byTask.set(key, { ...soonest, parts: (known?.parts ?? 0) + (entry.parts ?? 0) });
  }
  return [...byTask.values()];
}
