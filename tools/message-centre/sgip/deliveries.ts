// What an SGIP message centre sends to its clients: reports, and replies from handsets. A repeat has the sequence number of
// the first, so each delivery carries its own.
import { randomInt } from 'node:crypto';
import type { Body } from '#src/channels/sgip/pdu.js';
import { createSequence, formatSequence, type SgipSequence } from '#src/channels/sgip/sequence.js';
import type { Fate } from '../fate.js';
import type { Delivery, Submitted } from '../protocol.js';

/** `1`, an area code and a digit: a gateway. */
const NODE = 101001;

export interface SgipSubmitted extends Submitted {
  readonly sequence: SgipSequence;
  /** The handset as the client spelled it. */
  readonly handset: string;
}

export type SgipDelivery = Delivery & { readonly sequence: SgipSequence } & (
    | { readonly command: 'report'; readonly body: Body<'report'> }
    | { readonly command: 'deliver'; readonly body: Body<'deliver'> }
  );

/** Counts on from a number that no earlier run has used lately. */
export function createSequenceMaker(): () => SgipSequence {
  let counter = randomInt(1, 0x40000000);
  return () => {
    counter += 1;
    return createSequence(NODE, Date.now(), counter);
  };
}

const STATES: Readonly<Record<Fate['state'], { state: number; error_code: number }>> = {
  DELIVRD: { state: 0, error_code: 0 },
  UNDELIV: { state: 2, error_code: 29 },
  EXPIRED: { state: 2, error_code: 25 },
};

export function buildReceipt(
  { sequence: submit, handset }: SgipSubmitted,
  account: string,
  sequence: SgipSequence,
  state: Fate['state'],
): SgipDelivery {
  const body = {
    submit_sequence: formatSequence(submit),
    report_type: 0,
    user_number: handset,
    ...STATES[state],
    reserve: '',
  };
  return { kind: 'receipt', account, sequence, command: 'report', body };
}

export function buildReply(
  { handset, from }: SgipSubmitted,
  account: string,
  sequence: SgipSequence,
  text: string,
): SgipDelivery {
  const body = {
    user_number: handset,
    sp_number: from,
    tp_pid: 0,
    tp_udhi: 0,
    message_coding: 0,
    message_content: Buffer.from(text, 'latin1'),
    reserve: '',
  };
  return { kind: 'uplink', account, sequence, command: 'deliver', body };
}

/** A report as a broken gateway sends it. It still says which message it is about, and its outcome. */
export function poisonReceipt(delivery: SgipDelivery, random: () => number): SgipDelivery {
  if (delivery.command !== 'report') return delivery;
  const { body } = delivery;
  const kinds: readonly Partial<Body<'report'>>[] = [
    { user_number: `+${body.user_number}` },
    { user_number: ` ${body.user_number} ` },
    { user_number: body.user_number.replace(/^86/, '') },
    { reserve: '\x01\x1b\xff\xfe' },
    { report_type: 255 },
  ];
  return { ...delivery, body: { ...body, ...kinds[Math.floor(random() * kinds.length)] } };
}
