// The recorder writes delivery events of all customers of a bucket in shared transactions. Events that arrive during a transaction go into
// the next one, so batches grow under load. In an empty line, intents are written at once; other events wait a few milliseconds for more.
// Each bucket has a line (`bucket-line.ts`). Events of a customer are committed in the order of the calls, and those with `isOrdered` with or
// after all earlier events of the bucket. Events in the mode `concurrent` keep no order. No customer waits for the locked account of another.

import { groupBy } from '../../domain/group-by.js';
import type { CustomerId } from '../../domain/id.js';
import type { DeliveryEvent } from '../../domain/outcome/delivery-event.js';
import type { Lease } from '../../store/channel/channel-lease.js';
import { BucketLine, createWriteGates } from './bucket-line.js';
import { createCommitSlots } from './commit-slots.js';
import { merge, NOTHING_SETTLED, type RecordOptions } from './entry.js';
import type { SettleBatchOptions, Settled } from './settle-batch.js';

export interface Recorder {
  /** Writes delivery events of one bucket. Does not reject: the result says which were refused and which failed. */
  record(deliveryEvents: readonly DeliveryEvent[], options?: RecordOptions): Promise<Settled>;
  /**
   * Runs another transaction of this bucket in the order of its line, while no batch is recorded: it never waits for an account that a batch of this
   * process has locked. It must not throw.
   */
  runExclusive(bucket: number, run: () => Promise<void>): void;
  /** How many delivery events of this bucket wait for their transaction. */
  waiting(bucket: number): number;
  /** Resolves when the batched and isolated events so far of this bucket, or of these customers, are committed, or have failed. */
  flush(bucket: number, customerIds?: ReadonlySet<CustomerId>): Promise<void>;
  /** Resolves when nothing is waiting or being written. */
  idle(): Promise<void>;
}

export interface RecorderOptions extends Omit<SettleBatchOptions, 'pause' | 'slots'> {
  /** Batches, of all buckets, that are written or prepared at the same time. A bucket has at most two. */
  readonly concurrency: number;
}

export function createRecorder({ concurrency, ...options }: RecorderOptions): Recorder {
  const gates = createWriteGates(concurrency);
  const slots = createCommitSlots();
  const lines = new Map<number, BucketLine>();
  /** Transactions outside of the lines. */
  const concurrent = new Set<Promise<Settled>>();
  const onceIdle: (() => void)[] = [];

  const checkIdle = (): void => {
    if (onceIdle.length === 0) return;
    for (const line of lines.values()) if (!line.isIdle) return;
    for (const resolve of onceIdle.splice(0)) resolve();
  };

  const lineOf = (bucket: number): BucketLine => {
    const known = lines.get(bucket);
    if (known !== undefined) return known;
    const line = new BucketLine(bucket, { ...options, slots, gates, onIdle: checkIdle });
    lines.set(bucket, line);
    return line;
  };

  const recordConcurrently = async (
    line: BucketLine,
    deliveryEvents: readonly DeliveryEvent[],
    recordOptions: RecordOptions,
  ): Promise<Settled> => {
    const recording = line.recordConcurrently(deliveryEvents, recordOptions);
    concurrent.add(recording);
    return await recording.finally(() => concurrent.delete(recording));
  };

  return {
    record(deliveryEvents, recordOptions = {}) {
      const bucket = deliveryEvents[0]?.chunk.bucket;
      if (bucket === undefined) return Promise.resolve(NOTHING_SETTLED);
      const line = lineOf(bucket);
      if (recordOptions.mode === 'concurrent') return recordConcurrently(line, deliveryEvents, recordOptions);
      return line.record(deliveryEvents, recordOptions);
    },
    flush: (bucket, customerIds) => lineOf(bucket).flush(customerIds),
    runExclusive: (bucket, run) => lineOf(bucket).runExclusive(run),
    waiting: (bucket) => lines.get(bucket)?.waiting ?? 0,
    async idle() {
      await Promise.all(concurrent);
      await new Promise<void>((resolve) => {
        onceIdle.push(resolve);
        checkIdle();
      });
      // The callers have their outcomes first.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/**
 * Records events of any buckets, and throws the error of one that failed. Returns the refused intents, perhaps with those of other calls in
 * the same batch.
 */
export async function recordAll(
  recorder: Pick<Recorder, 'record'>,
  events: readonly DeliveryEvent[],
  lease?: Lease,
): Promise<ReadonlySet<DeliveryEvent>> {
  const groups = [...groupBy(events, ({ chunk }) => chunk.bucket).values()];
  const { refused, failed } = merge(await Promise.all(groups.map((group) => recorder.record(group, { lease }))));
  for (const event of events) if (failed.has(event)) throw failed.get(event);
  return refused;
}
