// Handing parts to the channel, and what its answers say of them.

import type { Channel, SubmitOutcome } from '../../../channels/channel.js';
import type { Chunk } from '../../../domain/chunk/chunk.js';
import type { Log } from '../../../domain/log.js';
import type { DeliveryEvent } from '../../../domain/outcome/delivery-event.js';
import type { Lease } from '../../../store/channel/channel-lease.js';
import type { ReportMatcher } from '../parts/report-matcher.js';
import type { Pacer } from './pacer.js';
import type { Sendable, Turns } from './turns.js';

export interface SubmissionOptions {
  readonly lease: Lease;
  readonly channel: Channel;
  readonly turns: Turns;
  readonly pacer: Pacer;
  readonly book: ReportMatcher;
  readonly log: Log;
  readonly now: () => number;
  /** The channel that a number of this chunk may try instead; after a refusal, where its code allows it. */
  readonly failoverChannel: (chunk: Chunk, index: number, code?: string) => bigint | undefined;
  readonly observe: (outcome: SubmitOutcome) => void;
  readonly signal: AbortSignal;
  /** What became of a part is to be recorded. */
  readonly onAnswer: (sendable: Sendable, deliveryEvent: DeliveryEvent) => void;
}

/**
 * Hands parts over and passes their answers on, one for each. Returns those that were throttled and go again with the intent
 * they have, if `mayStay` allows it; the others are given back.
 */
export type Submit = (sendables: readonly Sendable[], mayStay: boolean) => Promise<Sendable[]>;

const ACCEPTED = { kind: 'accepted' } as const;
const REFUSED = { kind: 'refused' } as const;
const DECLINED = { kind: 'declined' } as const;
const UNKNOWN = { kind: 'unknown' } as const;
const WITHDRAWN = { kind: 'withdrawn' } as const;

export function createSubmit(options: SubmissionOptions): Submit {
  const { lease, channel, turns, pacer, book, signal } = options;

  const deliveryEventOfOutcome = (sendable: Sendable, outcome: SubmitOutcome): DeliveryEvent => {
    const { part, flight } = sendable;
    switch (outcome.kind) {
      case 'accepted':
        book.accepted(part, flight, outcome.messageId);
        return deliveryEventOf(sendable, lease, ACCEPTED, outcome.messageId);
      case 'refused':
        book.returned(part);
        turns.drop(flight.chunk, flight.index);
        return refusalOf(sendable, outcome.code);
      case 'unknown':
        book.lost(part, flight);
        return deliveryEventOf(sendable, lease, UNKNOWN, undefined, outcome.code);
      case 'throttled':
      case 'unsent':
        book.returned(part);
        // Where another part of its message was declined, this was the last that kept it here.
        return {
          ...deliveryEventOf(sendable, lease, WITHDRAWN),
          failoverChannel: options.failoverChannel(flight.chunk, flight.index),
        };
    }
  };

  const refusalOf = (sendable: Sendable, code: string): DeliveryEvent => {
    const failoverChannel = options.failoverChannel(sendable.flight.chunk, sendable.flight.index, code);
    const event = failoverChannel === undefined ? REFUSED : DECLINED;
    return { ...deliveryEventOf(sendable, lease, event, undefined, code), failoverChannel };
  };

  return async (sendables, mayStay) => {
    const unanswered = new Map(sendables.map((sendable) => [sendable.part, sendable]));
    const submittedAt = options.now();
    for (const { flight, part } of sendables) {
      flight.submittedAt = submittedAt;
      book.submitted(part);
    }
    const throttled: Sendable[] = [];
    const answer = (sendable: Sendable, outcome: SubmitOutcome): void => {
      options.observe(outcome);
      pacer.answered(outcome.kind === 'throttled');
      // What has a time to be sent by is given back instead: whether it may still go is asked with its next intent.
      const stays = mayStay && outcome.part.validUntil === undefined && !signal.aborted;
      if (outcome.kind === 'throttled' && stays) {
        book.returned(outcome.part);
        throttled.push(sendable);
      } else options.onAnswer(sendable, deliveryEventOfOutcome(sendable, outcome));
    };
    try {
      for await (const outcome of channel.submit([...unanswered.keys()], signal)) {
        const sendable = unanswered.get(outcome.part);
        if (sendable === undefined) continue;
        unanswered.delete(outcome.part);
        answer(sendable, outcome);
      }
    } catch (error) {
      options.log.error({ err: error }, 'the channel failed in the middle of a submission');
    }
    // A channel that says nothing of a part leaves it unknown.
    for (const [part, sendable] of unanswered) answer(sendable, { part, kind: 'unknown', code: 'no_outcome' });
    return throttled;
  };
}

export function deliveryEventOf(
  { flight }: Sendable,
  lease: Lease,
  event: DeliveryEvent['event'],
  messageId?: string,
  code?: string,
): DeliveryEvent {
  const { chunk, index, part, submittedAt } = flight;
  return { chunk, index, part, event, channelId: lease.channelId, submittedAt, messageId, code };
}
