import type { Stage } from '../domain/stages.js';
import type { TimelineEntry } from '../store/task.js';

/** The timeline with the stages that were entered since, in order; a stage that is the present one adds nothing. */
export function nextTimeline(
  timeline: readonly TimelineEntry[],
  entered: readonly Stage[],
  now: Date,
): TimelineEntry[] {
  const next = [...timeline];
  for (const stage of entered) {
    if (next.at(-1)?.stage !== stage) next.push({ stage, at: now.toISOString() });
  }
  return next;
}
