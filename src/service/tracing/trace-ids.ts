import { createHash } from 'node:crypto';
import type { TaskId } from '../../domain/id.js';

export interface TraceIds {
  readonly traceId: string;
  /** Of the span `accept`, the parent of all others. */
  readonly rootSpanId: string;
  /** From 0 to 1, the same in every process: below the ratio of traced tasks, the task is traced. */
  readonly draw: number;
}

/** Derived from the id of the task, so that every process finds the trace of a task without storing anything. */
export function traceIdsOf(taskId: TaskId): TraceIds {
  const hash = createHash('sha256').update(`postrider task ${taskId}`).digest();
  return {
    traceId: hash.toString('hex', 0, 16),
    rootSpanId: hash.toString('hex', 16, 24),
    draw: hash.readUInt32BE(24) / 2 ** 32,
  };
}

/** The caller's span, from a `traceparent` header of the W3C; undefined where it is not one. */
export function parseTraceparent(header: string | undefined): { traceId: string; spanId: string } | undefined {
  const [, version, traceId = '', spanId = ''] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/.exec(header ?? '') ?? [];
  if (version === undefined || version === 'ff' || /^0*$/.test(traceId) || /^0*$/.test(spanId)) return undefined;
  return { traceId, spanId };
}
