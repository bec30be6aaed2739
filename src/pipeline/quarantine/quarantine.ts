// The quarantine of a process: customers and tasks whose writes fail. Others continue without them, they are retried with backoff, and
// operators see them. It is in memory only: the tables show what is due, and another process finds it there. `bisect-failures.ts` finds
// what to quarantine, `round-quarantine.ts` holds it for the rounds of the worker, `customer-quarantine.ts` for a channel.

import type { CustomerId, TaskId } from '../../domain/id.js';
import { type QuarantinedItem, tellReason } from '../../domain/platform.js';

export interface QuarantineEntry {
  readonly kind: QuarantinedItem['kind'];
  readonly customerId: CustomerId;
  readonly taskId?: TaskId | undefined;
  readonly channelId?: bigint;
  /** The message parts whose answers wait to be recorded. */
  readonly parts?: number;
  readonly error: unknown;
  /** Consecutive failures. */
  readonly tries: number;
  readonly sinceMs: number;
  readonly nextTryMs: number;
}

export interface Quarantine {
  /** Adds a source of entries. Returns a function that removes it. */
  addSource(entries: () => Iterable<QuarantineEntry>): () => void;
  /** For the operator, no more than a few hundred. */
  list(): readonly QuarantinedItem[];
}

const MAX_LISTED = 200;
const FIRST_BACKOFF_MS = 1000;

export function createQuarantine(): Quarantine {
  const sources = new Set<() => Iterable<QuarantineEntry>>();
  return {
    addSource(entries) {
      sources.add(entries);
      return () => void sources.delete(entries);
    },
    list: () =>
      [...sources].flatMap((entries) => [...entries()].slice(0, MAX_LISTED).map(describe)).slice(0, MAX_LISTED),
  };
}

/** Doubles with each consecutive failure. */
export function backoffMs(tries: number, maxMs: number): number {
  return Math.min(maxMs, FIRST_BACKOFF_MS * 2 ** (tries - 1));
}

function describe({ kind, customerId, taskId, channelId, parts, ...entry }: QuarantineEntry): QuarantinedItem {
  return {
    kind,
    customer_id: String(customerId),
    task_id: taskId === undefined ? null : String(taskId),
    channel_id: channelId === undefined ? null : String(channelId),
    parts: parts ?? null,
    reason: tellReason(entry.error),
    tries: entry.tries,
    since: new Date(entry.sinceMs).toISOString(),
    next_try_at: new Date(entry.nextTryMs).toISOString(),
  };
}
