// Builds the delivery events of a part: intent, answer, reports.

import type { Report, SubmitOutcome } from '../../../channels/channel.js';
import type { DeliveryEvent } from '../../../domain/outcome/delivery-event.js';
import type { Lease } from '../../../store/channel/channel-lease.js';
import { type AnswerKind, isAcceptanceCommitted, type PartPosition } from './part-state.js';
import type { Instead } from './recheck.js';

const INTENDED = { kind: 'intended' } as const;
const NOT_ACCEPTED = { kind: 'not_accepted' } as const;
const ANSWERED = {
  accepted: { kind: 'accepted' },
  refused: { kind: 'refused' },
  declined: { kind: 'declined' },
  unknown: { kind: 'unknown' },
  withdrawn: { kind: 'withdrawn' },
} as const satisfies Record<AnswerKind, DeliveryEvent['event']>;

export interface Answer {
  readonly kind: AnswerKind;
  readonly messageId?: string;
  readonly code?: string;
  /** The channel that the number moves to. */
  readonly failoverChannel?: bigint | undefined;
}

/** `failoverChannel` returns the next channel for the number, if there is one; after a refusal, if the code allows it. */
export function answerOf(outcome: SubmitOutcome, failoverChannel: (code?: string) => bigint | undefined): Answer {
  switch (outcome.kind) {
    case 'accepted':
      return { kind: 'accepted', messageId: outcome.messageId };
    case 'unknown':
      return { kind: 'unknown', code: outcome.code };
    case 'refused': {
      const to = failoverChannel(outcome.code);
      return { kind: to === undefined ? 'refused' : 'declined', code: outcome.code, failoverChannel: to };
    }
    case 'throttled':
    case 'unsent':
      // If the carrier declined another part of the message, this withdrawal may let the number fail over.
      return { kind: 'withdrawn', failoverChannel: failoverChannel() };
  }
}

/** `instead`: what happens to the number if nothing of it was sent, because it may no longer be sent. */
export function intentEventOf(position: PartPosition, lease: Lease, instead?: Instead): DeliveryEvent {
  const intent = eventOf(position, lease, INTENDED);
  if (instead === undefined) return intent;
  const { chunk, index, channelId } = intent;
  return { ...intent, instead: { chunk, index, part: 1, channelId, ...instead } };
}

export function answerEventOf(position: PartPosition, lease: Lease, answer: Answer): DeliveryEvent {
  const { kind, messageId, code, failoverChannel } = answer;
  return eventOf(position, lease, ANSWERED[kind], { messageId, code, failoverChannel });
}

/** An answer that arrives after its part was recorded as unknown. A refusal resolves the part as not accepted, without failover. */
export function lateAnswerEventOf(
  position: PartPosition,
  lease: Lease,
  outcome: Extract<SubmitOutcome, { kind: 'accepted' | 'refused' }>,
): DeliveryEvent {
  return outcome.kind === 'accepted'
    ? eventOf(position, lease, ANSWERED.accepted, { messageId: outcome.messageId })
    : eventOf(position, lease, NOT_ACCEPTED, { code: outcome.code });
}

export function reportEventOf(position: PartPosition, lease: Lease, report: Report, reportId?: bigint): DeliveryEvent {
  const { messageId, status, code, doneAt } = report;
  const event = { kind: 'reported', status, ...(isAcceptanceCommitted(position) && { isAnswered: true }) } as const;
  return eventOf(position, lease, event, { messageId, code, doneAt, reportId });
}

function eventOf(
  { chunk, index, part, submittedAt }: PartPosition,
  { channelId }: Lease,
  event: DeliveryEvent['event'],
  details?: Pick<DeliveryEvent, 'messageId' | 'code' | 'failoverChannel' | 'doneAt' | 'reportId'>,
): DeliveryEvent {
  return { chunk, index, part, event, channelId, submittedAt, ...details };
}
