// A message that an operator sends through one channel to see whether it works.

import { Type } from '@sinclair/typebox';
import { type Alphabet, countParts } from '../message/parts.js';
import { MAX_PHONE_LENGTH } from '../phone/phone.js';
import type { DeliveryStatus } from '../record/records.js';
import { closedObject, line } from './fields.js';

export const TEST_TEXT = 'This is a test of a message channel.';

export const ChannelTestFields = closedObject({
  phone: Type.String({ minLength: 1, maxLength: MAX_PHONE_LENGTH, description: 'Whose handset gets it.' }),
  text: Type.String({ minLength: 1, maxLength: 160, default: TEST_TEXT, description: 'Of one segment.' }),
  sender: Type.Optional(line(20, "The address it comes from; the channel's own where it has one.")),
});

export const TEST_STATUSES = ['queued', 'sending', 'accepted', 'rejected', 'unknown', 'not_sent'] as const;
export type TestStatus = (typeof TEST_STATUSES)[number];

export interface ChannelTest {
  readonly test_id: bigint;
  /** E.164 without the plus sign. */
  readonly phone: string;
  readonly sender: string;
  readonly text: string;
  readonly status: TestStatus;
  readonly code: string | null;
  readonly upstream_message_id: string | null;
  readonly created_by: string;
  readonly created_at: Date;
  readonly submitted_at: Date | null;
  readonly answered_at: Date | null;
  readonly report_status: DeliveryStatus | null;
  readonly report_code: string | null;
  readonly reported_at: Date | null;
}

export function fitsOnePart(text: string, alphabet: Alphabet): boolean {
  return countParts(text, alphabet) === 1;
}

export const CHANNEL_EVENTS = ['opened', 'bound', 'down', 'closed', 'left_out'] as const;
export type ChannelEventName = (typeof CHANNEL_EVENTS)[number];

/** An event of a channel or of one of its sessions. */
export interface ChannelEvent {
  readonly event_no: bigint;
  readonly at: Date;
  /** The process that spoke for the channel. */
  readonly owner: string;
  readonly event: ChannelEventName;
  readonly detail: string;
}
