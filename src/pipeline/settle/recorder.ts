// Shared transactions. What happens in a bucket while a transaction for it is under way goes into the next one together,
// whoever it happens to: alone it is written at once, under load in batches that grow by themselves. One at a time and
// bucket: what is committed in one is behind everything that was recorded before it.

import { setTimeout as sleep } from 'node:timers/promises';
import { groupBy } from '../../domain/group-by.js';
import type { Happening } from '../../domain/happening.js';
import { type Lease, LeaseLostError } from '../../store/channel-lease.js';
import type { Sql } from '../../store/connect.js';
import { isClosedHere, isDatabaseAway, isRetryable } from '../../store/retry.js';
import { splitApart } from '../work-apart.js';
import { type Aside, makeAside } from './aside.js';
import { type SettleLimits, settle } from './settle.js';

/** How the happenings of one call ended. What is in neither set is committed. */
export interface Settled {
  /** Intents that were not granted: those parts must not be sent. */
  readonly refused: ReadonlySet<Happening>;
  /** What could not be written, and why: something is wrong with it, or the lease it was obtained under is lost. */
  readonly failed: ReadonlyMap<Happening, unknown>;
}

export interface Recorder {
  /** Happenings of one bucket, applied in the order of the calls. */
  add(happenings: readonly Happening[], lease: Lease | undefined, settled: (outcome: Settled) => void): void;
  /** The same in a transaction of their own: what has failed before must not fail others again. */
  addApart(happenings: readonly Happening[], lease: Lease | undefined, settled: (outcome: Settled) => void): void;
  /** The same as a promise, of any buckets, for whoever has few. Rejects when any of them failed. */
  record(happenings: readonly Happening[], lease?: Lease): Promise<ReadonlySet<Happening>>;
  /** Resolves when everything that was added so far in this bucket is committed, or could not be. */
  flush(bucket: number): Promise<void>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
  /** What could not be written and is tried again. */
  readonly aside: Aside;
}

export interface RecorderOptions {
  readonly sql: Sql;
  readonly limits: SettleLimits;
  /** Buckets whose transactions run at the same time. */
  readonly concurrency: number;
  readonly onCommit?: (happenings: number) => void;
  /** Ends the patience with a database that is away. */
  readonly signal: AbortSignal;
}

class EarlyReportError extends Error {
  override readonly name = 'EarlyReportError';
  override readonly message = 'the answer to the part of this report is not recorded yet';
}

interface Entry {
  readonly happenings: readonly Happening[];
  readonly lease: Lease | undefined;
  readonly settled: (outcome: Settled) => void;
  readonly isApart: boolean;
}

interface Outcome extends Settled {
  readonly refused: Set<Happening>;
  readonly failed: Map<Happening, unknown>;
}

/** Keeps a transaction, and the locks it holds, short. */
const MAX_HAPPENINGS = 2000;
const GATHER_MS = 4;
const MAX_TRIES = 8;
const MAX_PAUSE_MS = 1000;

export function makeRecorder(options: RecorderOptions): Recorder {
  const waiting = new Map<number, Entry[]>();
  /** Where each of them has its place, or waits for one. */
  const busy = new Map<number, Gate>();
  const gathering = new Map<number, NodeJS.Timeout>();
  const idlers: (() => void)[] = [];
  // On a cluster the machine of a bucket may be away while the others work: those that failed share a place of their own.
  const working = makeGate(options.concurrency);
  const failing = makeGate(1);

  const startWhatCan = (): void => {
    for (const bucket of waiting.keys()) {
      if (!busy.has(bucket) && !gathering.has(bucket)) void run(bucket);
    }
    if (waiting.size === 0 && busy.size === 0) for (const resolve of idlers.splice(0)) resolve();
  };

  /** Answers and reports come one by one and can wait for their like; an intent has a channel waiting for it. */
  const gather = (bucket: number, isUrgent: boolean): void => {
    const timer = gathering.get(bucket);
    if (isUrgent && timer !== undefined) {
      clearTimeout(timer);
      gathering.delete(bucket);
    } else if (!isUrgent && timer === undefined && !waiting.has(bucket)) {
      const start = () => {
        gathering.delete(bucket);
        startWhatCan();
      };
      gathering.set(bucket, setTimeout(start, GATHER_MS));
    }
  };

  const run = async (bucket: number): Promise<void> => {
    busy.set(bucket, working);
    await working.enter();
    // What is being handled in this turn of the event loop still joins the batch.
    await new Promise((resolve) => setImmediate(resolve));
    const queue = waiting.get(bucket) ?? [];
    const batch = takeBatch(queue);
    // Set anew at the end of the map, so that buckets take turns.
    waiting.delete(bucket);
    if (queue.length > 0) waiting.set(bucket, queue);
    try {
      const outcome: Outcome = { refused: new Set(), failed: new Map() };
      await settleEntries(bucket, batch, outcome);
      for (const entry of batch) entry.settled(outcome);
    } finally {
      busy.get(bucket)?.leave();
      busy.delete(bucket);
      startWhatCan();
    }
  };

  /** Between two tries the place is somebody else's. */
  const pause = async (bucket: number, ms: number): Promise<void> => {
    busy.get(bucket)?.leave();
    busy.set(bucket, failing);
    await sleep(ms);
    await failing.enter();
  };

  /** What was obtained under a lost lease fails alone; the others of the batch go on without it. */
  const settleEntries = async (bucket: number, batch: readonly Entry[], outcome: Outcome): Promise<void> => {
    const happenings = batch.flatMap((entry) => entry.happenings);
    if (happenings.length === 0) return;
    try {
      await settleApart(bucket, happenings, leasesOf(batch), outcome);
    } catch (error) {
      const groups = [...groupBy(batch, leaseKeyOf).values()];
      if (groups.length > 1) for (const group of groups) await settleEntries(bucket, group, outcome);
      else for (const happening of happenings) outcome.failed.set(happening, error);
    }
  };

  /**
   * A poisoned customer, task or report holds nobody back: what cannot be written together is written in ever smaller
   * groups. A group knows whether it was part of a try whose commit may have gone through.
   */
  const settleApart = async (
    bucket: number,
    happenings: readonly Happening[],
    leases: readonly Lease[],
    outcome: Outcome,
    tries = { made: 0 },
  ): Promise<void> => {
    try {
      await settleTogether(bucket, happenings, leases, outcome, tries);
    } catch (error) {
      if (error instanceof LeaseLostError) throw error;
      // The last try was refused as a whole; only those before it are in doubt.
      const made = tries.made - 1;
      const groups = splitUp(happenings);
      if (groups.length > 1) {
        for (const group of groups) await settleApart(bucket, group, leases, outcome, { made });
        return;
      }
      await splitApart(stepsOf(happenings), error, {
        work: (steps) => settleTogether(bucket, steps.flat(), leases, outcome, { made }),
        failed(steps, reason) {
          if (reason instanceof LeaseLostError) throw reason;
          for (const happening of steps.flat()) outcome.failed.set(happening, reason);
        },
      });
    }
  };

  const settleTogether = async (
    bucket: number,
    happenings: readonly Happening[],
    leases: readonly Lease[],
    outcome: Outcome,
    tries: { made: number },
  ): Promise<void> => {
    const { refusedIntents, earlyReports } = await settleWithRetries(bucket, happenings, leases, tries);
    for (const happening of refusedIntents) outcome.refused.add(happening);
    for (const happening of earlyReports) outcome.failed.set(happening, new EarlyReportError());
  };

  const settleWithRetries = async (
    bucket: number,
    happenings: readonly Happening[],
    leases: readonly Lease[],
    tries: { made: number },
  ): ReturnType<typeof settle> => {
    for (let attempt = 1; ; attempt++) {
      const isRetry = tries.made > 0;
      tries.made += 1;
      try {
        const settled = await settle(options.sql, bucket, happenings, leases, options.limits, isRetry);
        options.onCommit?.(happenings.length);
        return settled;
      } catch (error) {
        // What the upstream answered must not be forgotten while the database is away, however long that takes.
        const patient = isDatabaseAway(error) && !options.signal.aborted;
        if (!isRetryable(error) || isClosedHere(error) || (attempt >= MAX_TRIES && !patient)) throw error;
        await pause(bucket, Math.min(MAX_PAUSE_MS, 10 * 2 ** attempt));
      }
    }
  };

  const addEntry = (entry: Entry): void => {
    const [first] = entry.happenings;
    if (first === undefined) entry.settled({ refused: new Set(), failed: new Map() });
    else enqueue(first.chunk.bucket, entry, first.event.kind === 'intended');
  };

  const add: Recorder['add'] = (happenings, lease, settled) => addEntry({ happenings, lease, settled, isApart: false });

  const enqueue = (bucket: number, entry: Entry, isUrgent: boolean): void => {
    gather(bucket, isUrgent);
    const queue = waiting.get(bucket);
    if (queue === undefined) waiting.set(bucket, [entry]);
    else queue.push(entry);
    startWhatCan();
  };

  const recordIn = (happenings: readonly Happening[], lease: Lease | undefined): Promise<ReadonlySet<Happening>> =>
    new Promise((resolve, reject) => {
      add(happenings, lease, ({ refused, failed }) => {
        const own = happenings.find((happening) => failed.has(happening));
        if (own === undefined) resolve(refused);
        else reject(failed.get(own));
      });
    });

  return {
    add,
    addApart: (happenings, lease, settled) => addEntry({ happenings, lease, settled, isApart: true }),
    async record(happenings, lease) {
      const groups = [...groupBy(happenings, ({ chunk }) => chunk.bucket).values()];
      const refused = await Promise.all(groups.map((group) => recordIn(group, lease)));
      return new Set(refused.flatMap((set) => [...set]));
    },
    flush: (bucket) =>
      new Promise((resolve) => {
        // Entries are settled in order: an empty one is reached when all before it are done.
        const empty = { happenings: [], lease: undefined, settled: () => resolve(), isApart: false };
        if (waiting.has(bucket) || busy.has(bucket)) enqueue(bucket, empty, true);
        else resolve();
      }),
    idle: () =>
      new Promise((resolve) => {
        idlers.push(resolve);
        startWhatCan();
      }),
    aside: makeAside(),
  };
}

interface Gate {
  enter(): Promise<void>;
  leave(): void;
}

/** Lets so many in at a time, in the order in which they came. */
function makeGate(places: number): Gate {
  const queue: (() => void)[] = [];
  let free = places;
  return {
    enter: () =>
      new Promise((resolve) => {
        if (free === 0) return queue.push(resolve);
        free -= 1;
        resolve();
      }),
    leave() {
      const next = queue.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}

function takeBatch(queue: Entry[]): Entry[] {
  let size = 0;
  let count = 0;
  for (const entry of queue) {
    const isAlone = entry.isApart || queue[0]?.isApart;
    if (count > 0 && (isAlone || size + entry.happenings.length > MAX_HAPPENINGS)) break;
    size += entry.happenings.length;
    count += 1;
  }
  return queue.splice(0, count);
}

/** By customer, then by task. */
function splitUp(happenings: readonly Happening[]): Happening[][] {
  const byCustomer = groupBy(happenings, ({ chunk }) => chunk.customerId);
  if (byCustomer.size > 1) return [...byCustomer.values()];
  return [...groupBy(happenings, ({ chunk }) => chunk.taskKey).values()];
}

/**
 * What of one task can be written apart, in order: each report by itself, because what it says comes from outside; what we
 * did and were answered between two of them only together.
 */
function stepsOf(happenings: readonly Happening[]): Happening[][] {
  const steps: Happening[][] = [];
  let wasReport = true;
  for (const happening of happenings) {
    const isReport = happening.event.kind === 'reported';
    const last = isReport || wasReport ? undefined : steps.at(-1);
    if (last === undefined) steps.push([happening]);
    else last.push(happening);
    wasReport = isReport;
  }
  return steps;
}

/** By channel and token: what was begun under an old lease of a channel must not pass under a new one. */
function leaseKeyOf({ lease }: Entry): string {
  return lease === undefined ? '' : `${lease.channelId}/${lease.token}`;
}

function leasesOf(batch: readonly Entry[]): Lease[] {
  const leases = new Map<string, Lease>();
  for (const entry of batch) if (entry.lease !== undefined) leases.set(leaseKeyOf(entry), entry.lease);
  return [...leases.values()];
}
