// The Delivers an SMGP message centre sends: reports in the forms that gateways give them, and replies from handsets.
import { randomInt } from 'node:crypto';
import { formatLoginTime, formatReceiveTime, formatReportTime } from '#src/channels/china/beijing-time.js';
import { formatMessageId } from '#src/channels/smgp/message-id.js';
import type { Body } from '#src/channels/smgp/pdu.js';
import { createReport } from '#src/channels/smgp/report.js';
import type { Fate } from '../fate.js';
import type { SmgpOptions } from '../options.js';
import type { Delivery, IdPair, Submitted } from '../protocol.js';

export interface SmgpSubmitted extends Submitted {
  readonly sequence: number;
  /** The handset as the client spelled it. */
  readonly handset: string;
}

export interface SmgpDelivery extends Delivery {
  readonly body: Body<'deliver'>;
}

const NO_TLVS = Buffer.alloc(0);
const ERRORS: Record<Fate['state'], string> = { DELIVRD: '000', EXPIRED: '001', UNDELIV: '006' };

/** No gateway gives an id out twice: the number of this one is drawn when it starts. */
export function createIdMaker(): () => string {
  const gateway = String(randomInt(1_000_000)).padStart(6, '0');
  let sequence = 0;
  return () => {
    sequence += 1;
    return formatMessageId(gateway, formatLoginTime(Date.now()), sequence);
  };
}

/** The other forms that gateways send: no blank after the id and underscores, and an `s` for each blank. */
const FORMS: readonly ((labels: string) => string)[] = [
  (labels) => labels,
  (labels) => labels.trimStart().replaceAll(' date', '_date').replace('text:', 'txt:'),
  (labels) => labels.replaceAll(' date', '_Date').replaceAll(' ', 's'),
];

export function buildReceipt(
  submitted: SmgpSubmitted,
  account: string,
  { ids, outerId, state }: { ids: IdPair; outerId: string; state: Fate['state'] },
  { style, random }: { style: SmgpOptions['receipts']; random: () => number },
): SmgpDelivery {
  const time = formatReportTime(Date.now());
  const standard = createReport({
    messageId: ids.receipt,
    submitTime: time,
    doneTime: time,
    stat: state,
    error: ERRORS[state],
  });
  const form = style === 'mixed' ? FORMS[Math.floor(random() * FORMS.length)] : undefined;
  const content =
    form === undefined
      ? standard
      : Buffer.concat([standard.subarray(0, 13), Buffer.from(form(standard.toString('latin1', 13)), 'latin1')]);
  return { kind: 'receipt', account, body: { ...turnAround(submitted, outerId, content), is_report: 1 } };
}

export function buildReply(submitted: SmgpSubmitted, account: string, outerId: string, text: string): SmgpDelivery {
  return { kind: 'uplink', account, body: turnAround(submitted, outerId, Buffer.from(text, 'latin1')) };
}

function turnAround({ handset, from }: SmgpSubmitted, outerId: string, content: Buffer): Body<'deliver'> {
  return {
    msg_id: outerId,
    is_report: 0,
    msg_format: 0,
    recv_time: formatReceiveTime(Date.now()),
    src_term_id: handset,
    dest_term_id: from,
    msg_content: content,
    reserve: '',
    tlvs: NO_TLVS,
  };
}
