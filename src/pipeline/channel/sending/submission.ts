// Submits parts to the channel, and passes its outcomes to the part lifecycle.

import type { Channel, SubmitOutcome } from '../../../channels/channel.js';
import type { Log } from '../../../domain/log.js';
import type { PartLifecycle } from '../parts/part-lifecycle.js';
import type { Sendable } from '../parts/part-state.js';
import type { Pacer } from './pacer.js';
import type { TimedPartQueue } from './part-queue.js';

export interface SubmissionOptions {
  readonly channel: Channel;
  readonly lifecycle: Pick<PartLifecycle, 'submit' | 'retry' | 'answer'>;
  readonly pacer: Pacer;
  readonly log: Log;
  readonly observe: (outcome: SubmitOutcome) => void;
  readonly queue: Pick<TimedPartQueue, 'isOpen'>;
}

/** Returns the throttled parts that keep their intent and are submitted again. Without `mayRetry`, throttled parts are withdrawn. */
export async function submitParts(
  options: SubmissionOptions,
  parts: readonly Sendable[],
  mayRetry: boolean,
  signal: AbortSignal,
): Promise<Sendable[]> {
  const { channel, lifecycle, pacer } = options;
  const unanswered = new Map(parts.map((sendable) => [sendable.part, sendable]));
  const throttled: Sendable[] = [];

  const onOutcome = (sendable: Sendable, outcome: SubmitOutcome): void => {
    options.observe(outcome);
    pacer.answered(outcome.kind === 'throttled');
    // A part with an expiry is withdrawn instead: its next intent checks the time.
    const isRetryAllowed = mayRetry && outcome.part.validUntil === undefined && !signal.aborted;
    if (outcome.kind === 'throttled' && isRetryAllowed) {
      lifecycle.retry(sendable);
      throttled.push(sendable);
    } else lifecycle.answer(sendable, outcome);
  };

  // Before the check of the hours: only a part that is on the wire can be answered, even as unsent.
  lifecycle.submit(parts);
  // The hours of a class may have ended since the check before the commit, or during a throttle.
  for (const sendable of parts) {
    if (options.queue.isOpen(sendable.position.chunk)) continue;
    unanswered.delete(sendable.part);
    pacer.refund(1);
    lifecycle.answer(sendable, { part: sendable.part, kind: 'unsent' });
  }
  if (unanswered.size === 0) return throttled;
  try {
    for await (const outcome of channel.submit([...unanswered.keys()], signal)) {
      const sendable = unanswered.get(outcome.part);
      if (sendable === undefined) continue;
      unanswered.delete(outcome.part);
      onOutcome(sendable, outcome);
    }
  } catch (error) {
    options.log.error({ err: error }, 'the channel failed in the middle of a submission');
  }
  // A part without an outcome may have been sent.
  for (const [part, sendable] of unanswered) onOutcome(sendable, { part, kind: 'unknown', code: 'no_outcome' });
  return throttled;
}
