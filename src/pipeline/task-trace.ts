// The steps of tasks, for tracing. Without tracing there is no `TaskTrace`, and nothing is read or computed for it.

import type { Chunk } from '../domain/chunk/chunk.js';
import type { DeliveryEvent } from '../domain/outcome/delivery-event.js';
import type { Task, TaskKey } from '../domain/task/task.js';

/** Steps are reported after their commit, with the time at which they began, in milliseconds since the epoch. */
export interface TaskTrace {
  now(): number;
  /** `traceparent` is the header of the request. */
  accepted(task: Task, startMs: number, traceparent: string | undefined): void;
  prepared(tasks: readonly TaskKey[], startMs: number): void;
  /** Chunks whose intents were committed together with them. */
  submitted(chunks: readonly Chunk[], startMs: number): void;
  /** The events that one transaction has written. */
  settled(events: readonly DeliveryEvent[], startMs: number): void;
}
