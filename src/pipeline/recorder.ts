// Shared transactions. What happens to one customer's parts while a transaction for that customer is under way goes
// into the next one together: alone it is written at once, under load in batches that grow by themselves.

import { setTimeout as sleep } from 'node:timers/promises';
import { groupBy } from '../domain/group-by.js';
import type { CustomerId } from '../domain/id.js';
import { type Lease, LeaseLostError } from '../store/channel-lease.js';
import type { Sql } from '../store/connect.js';
import { isDatabaseAway, isRetryable } from '../store/retry.js';
import { type SettleLimits, settle } from './settle.js';
import type { Happening } from './settlement.js';

/** Told when happenings are committed, with the intents that were not granted; or why they could not be. */
export type Settled = (error: unknown, refused: ReadonlySet<Happening>) => void;

export interface Recorder {
  /** Happenings are applied in the order of the calls. */
  add(customerId: CustomerId, happenings: readonly Happening[], lease: Lease | undefined, settled: Settled): void;
  /** The same as a promise, for whoever has few. */
  record(customerId: CustomerId, happenings: readonly Happening[], lease?: Lease): Promise<ReadonlySet<Happening>>;
  /** Resolves when everything that was added so far for this customer is committed, or could not be. */
  flush(customerId: CustomerId): Promise<void>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

export interface RecorderOptions {
  readonly sql: Sql;
  readonly limits: SettleLimits;
  /** Customers whose transactions run at the same time. */
  readonly concurrency: number;
  readonly onCommit?: (happenings: number) => void;
  /** Ends the patience with a database that is away. */
  readonly signal: AbortSignal;
}

interface Waiting {
  readonly happenings: readonly Happening[];
  readonly lease: Lease | undefined;
  readonly settled: Settled;
}

const NONE: ReadonlySet<Happening> = new Set();

/** Keeps a transaction, and the lock it holds on the account, short. */
const MAX_HAPPENINGS = 1000;
const GATHER_MS = 4;
const MAX_TRIES = 8;
const MAX_PAUSE_MS = 1000;

function leaseKeyOf({ lease }: Waiting): string {
  return lease === undefined ? '' : `${lease.channelId}/${lease.token}`;
}

export function makeRecorder(options: RecorderOptions): Recorder {
  const waiting = new Map<CustomerId, Waiting[]>();
  const busy = new Set<CustomerId>();
  const gathering = new Map<CustomerId, NodeJS.Timeout>();
  const idlers: (() => void)[] = [];

  const startWhatCan = (): void => {
    for (const customerId of waiting.keys()) {
      if (busy.size >= options.concurrency) return;
      if (!busy.has(customerId) && !gathering.has(customerId)) void run(customerId);
    }
    if (waiting.size === 0 && busy.size === 0) for (const resolve of idlers.splice(0)) resolve();
  };

  /** Answers and reports come one by one and can wait for their like; an intent has a channel waiting for it. */
  const gather = (customerId: CustomerId, isUrgent: boolean): void => {
    const timer = gathering.get(customerId);
    if (isUrgent && timer !== undefined) {
      clearTimeout(timer);
      gathering.delete(customerId);
    } else if (!isUrgent && timer === undefined && !waiting.has(customerId)) {
      const start = () => {
        gathering.delete(customerId);
        startWhatCan();
      };
      gathering.set(customerId, setTimeout(start, GATHER_MS));
    }
  };

  const takeBatch = (customerId: CustomerId): Waiting[] => {
    const queue = waiting.get(customerId) ?? [];
    let size = 0;
    let count = 0;
    for (const entry of queue) {
      if (count > 0 && size + entry.happenings.length > MAX_HAPPENINGS) break;
      size += entry.happenings.length;
      count += 1;
    }
    const batch = queue.splice(0, count);
    // Set anew at the end of the map, so that customers take turns.
    waiting.delete(customerId);
    if (queue.length > 0) waiting.set(customerId, queue);
    return batch;
  };

  const run = async (customerId: CustomerId): Promise<void> => {
    busy.add(customerId);
    // What is being handled in this turn of the event loop still joins the batch.
    await new Promise((resolve) => setImmediate(resolve));
    const batch = takeBatch(customerId);
    try {
      await settleBatch(customerId, batch);
    } finally {
      busy.delete(customerId);
      startWhatCan();
    }
  };

  const settleBatch = async (customerId: CustomerId, batch: readonly Waiting[]): Promise<void> => {
    let refused: ReadonlySet<Happening>;
    try {
      refused = await settleWithRetries(customerId, batch);
    } catch (error) {
      // One bad entry (a lost lease, most likely) must not take the others with it; those under one lease share its fate.
      const isLost = error instanceof LeaseLostError;
      const groups = isLost ? [...groupBy(batch, leaseKeyOf).values()] : batch.map((entry) => [entry]);
      if (groups.length === 1) for (const entry of batch) entry.settled(error, NONE);
      else for (const group of groups) await settleBatch(customerId, group);
      return;
    }
    for (const entry of batch) entry.settled(undefined, refused);
  };

  const settleWithRetries = async (
    customerId: CustomerId,
    batch: readonly Waiting[],
  ): Promise<ReadonlySet<Happening>> => {
    const happenings = batch.flatMap((entry) => entry.happenings);
    // By channel and token: what was begun under an old lease of a channel must not pass under a new one.
    const leases = new Map<string, Lease>();
    for (const entry of batch) if (entry.lease !== undefined) leases.set(leaseKeyOf(entry), entry.lease);
    for (let attempt = 1; ; attempt++) {
      try {
        const refused = await settle(options.sql, customerId, happenings, [...leases.values()], options.limits);
        options.onCommit?.(happenings.length);
        return refused;
      } catch (error) {
        // What the upstream answered must not be forgotten while the database is away, however long that takes.
        const patient = isDatabaseAway(error) && !options.signal.aborted;
        if (!isRetryable(error) || (attempt >= MAX_TRIES && !patient)) throw error;
        await sleep(Math.min(MAX_PAUSE_MS, 10 * 2 ** attempt));
      }
    }
  };

  const add: Recorder['add'] = (customerId, happenings, lease, settled) => {
    const entry = { happenings, lease, settled };
    gather(customerId, happenings[0]?.event.kind === 'intended');
    const queue = waiting.get(customerId);
    if (queue === undefined) waiting.set(customerId, [entry]);
    else queue.push(entry);
    startWhatCan();
  };

  return {
    add,
    record: (customerId, happenings, lease) =>
      new Promise((resolve, reject) => {
        const settled: Settled = (error, refused) => (error === undefined ? resolve(refused) : reject(error));
        add(customerId, happenings, lease, settled);
      }),
    flush: (customerId) =>
      new Promise((resolve) => {
        // Entries are settled in order: an empty one is reached when all before it are done.
        if (waiting.has(customerId) || busy.has(customerId)) add(customerId, [], undefined, () => resolve());
        else resolve();
      }),
    idle: () =>
      new Promise((resolve) => {
        idlers.push(resolve);
        startWhatCan();
      }),
  };
}
