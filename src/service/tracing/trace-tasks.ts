// One trace for each task: `accept`, then `prepare`, `submit`, `answer`, `report` and `settle` below it. Spans have numbers of tasks, customers and
// channels, and counts; never a phone number or a text. Steps of many numbers are gathered: at most one span of a kind for each task and channel
// in ten seconds.

import type { Chunk } from '../../domain/chunk/chunk.js';
import { formatNo } from '../../domain/id.js';
import type { DeliveryEvent } from '../../domain/outcome/delivery-event.js';
import type { TaskKey } from '../../domain/task/task.js';
import type { TaskTrace } from '../../pipeline/task-trace.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { SpanSink } from './open-telemetry.js';
import { parseTraceparent, type TraceIds, traceIdsOf } from './trace-ids.js';

type GatheredStep = 'submit' | 'answer' | 'report' | 'settle';

interface GatheredSpan {
  readonly step: GatheredStep;
  readonly task: TaskKey;
  readonly ids: TraceIds;
  readonly channelId: bigint;
  readonly openedMs: number;
  startMs: number;
  endMs: number;
  parts: number;
}

/** A span ends when nothing was added for a second, and after ten in any case. */
const QUIET_MS = 1_000;
const MAX_OPEN_MS = 10_000;
const LOOK_MS = 500;
/** More are exported at once. */
const MAX_GATHERED = 20_000;

const STEPS: Partial<Record<DeliveryEvent['event']['kind'], GatheredStep>> = {
  intended: 'submit',
  accepted: 'answer',
  refused: 'answer',
  declined: 'answer',
  unknown: 'answer',
  reported: 'report',
};

export function traceTasks(options: {
  readonly sink: SpanSink;
  readonly snapshot: () => Snapshot;
  readonly now: () => number;
  /** From 0 to 1: how many tasks are traced. */
  readonly ratio: number;
}): TaskTrace & { stop(): Promise<void> } {
  const { sink, snapshot, now, ratio } = options;
  const gathered = new Map<string, GatheredSpan>();

  const attributesOf = ({ customerId, taskId }: TaskKey) => ({
    'postrider.task_no': formatNo('T', taskId),
    'postrider.customer_no': snapshot().customer(customerId)?.customerNo ?? '',
  });

  const emitGathered = ({ step, task, ids, channelId, startMs, endMs, parts }: GatheredSpan): void => {
    const channelNo = snapshot().channel(channelId)?.channelNo ?? '';
    const attributes = { ...attributesOf(task), 'postrider.channel_no': channelNo, 'postrider.parts': parts };
    sink.emit({ name: step, ids, isRoot: false, startMs, endMs, attributes });
  };

  const emitEnded = (isEnded: (span: GatheredSpan) => boolean): void => {
    for (const [key, span] of gathered) {
      if (!isEnded(span)) continue;
      gathered.delete(key);
      emitGathered(span);
    }
  };

  const gather = (
    step: GatheredStep,
    chunk: Chunk,
    channelId: bigint,
    times: { readonly startMs: number; readonly endMs: number; readonly parts?: number },
  ): void => {
    const { startMs, endMs, parts = 1 } = times;
    const key = `${step} ${chunk.taskKey} ${channelId}`;
    const known = gathered.get(key);
    if (known !== undefined) {
      known.startMs = Math.min(known.startMs, startMs);
      known.endMs = Math.max(known.endMs, endMs);
      known.parts += parts;
      return;
    }
    const ids = traceIdsOf(chunk.taskId);
    if (ids.draw >= ratio) return;
    if (gathered.size >= MAX_GATHERED) emitEnded(() => true);
    gathered.set(key, { step, task: chunk, ids, channelId, openedMs: now(), startMs, endMs, parts });
  };

  const look = (): void => {
    const time = now();
    emitEnded(({ openedMs, endMs }) => time - endMs >= QUIET_MS || time - openedMs >= MAX_OPEN_MS);
  };
  const timer = setInterval(look, LOOK_MS);
  timer.unref();

  return {
    now,
    accepted(task, startMs, traceparent) {
      const ids = traceIdsOf(task.taskId);
      if (ids.draw >= ratio) return;
      const attributes = { ...attributesOf(task), 'postrider.numbers': task.counts.total };
      const link = parseTraceparent(traceparent);
      sink.emit({ name: 'accept', ids, isRoot: true, startMs, endMs: now(), attributes, link });
    },
    prepared(tasks, startMs) {
      const endMs = now();
      for (const task of tasks) {
        const ids = traceIdsOf(task.taskId);
        if (ids.draw >= ratio) continue;
        sink.emit({ name: 'prepare', ids, isRoot: false, startMs, endMs, attributes: attributesOf(task) });
      }
    },
    submitted(chunks, startMs) {
      const endMs = now();
      for (const chunk of chunks) {
        const parts = chunk.numbers.parts.reduce((sum, count) => sum + count, 0);
        gather('submit', chunk, chunk.channelId, { startMs, endMs, parts });
      }
    },
    settled(events, startMs) {
      const endMs = now();
      for (const { event, chunk, channelId, submittedAt } of events) {
        const step = STEPS[event.kind];
        if (step === 'submit') {
          gather(step, chunk, channelId, { startMs, endMs });
          continue;
        }
        // From the submission to the answer, and to the report.
        if (step !== undefined) gather(step, chunk, channelId, { startMs: submittedAt ?? startMs, endMs: startMs });
        gather('settle', chunk, channelId, { startMs, endMs });
      }
    },
    async stop() {
      clearInterval(timer);
      emitEnded(() => true);
      await sink.stop();
    },
  };
}
