// A Deliver of the gateway: a report or an uplink.
import { nameMessageId } from '../china/answers.js';
import type { Delivered } from '../china/inbound.js';
import { normaliseHandset } from '../china/numbers.js';
import { readReportWord } from '../china/report-word.js';
import type { Body } from './pdu.js';
import type { CmppPdu } from './protocol.js';
import { parseReport } from './report.js';

const REPORT = 1;
const PSEUDO_CODE = 1;

export function readDelivered(pdu: CmppPdu): Delivered | undefined {
  if (pdu.command !== 'deliver') return undefined;
  const { body } = pdu;
  if (body.registered_delivery === REPORT) return readReport(body);
  return {
    kind: 'uplink',
    id: nameMessageId(body.msg_id),
    from: handsetOf(body) ?? body.src_terminal_id,
    to: body.dest_id,
    udhi: body.tp_udhi,
    octets: body.msg_content,
    format: body.msg_fmt,
  };
}

function readReport(body: Body<'deliver'>): Delivered {
  const { messageId, stat, doneAt, phone: reported } = parseReport(body.msg_content);
  const phone = reported ?? handsetOf(body);
  return {
    kind: 'report',
    messageId: nameMessageId(messageId),
    ...(phone !== undefined && { phone }),
    status: readReportWord(stat),
    code: stat || 'UNKNOWN',
    ...(doneAt !== undefined && { doneAt }),
  };
}

/** E.164 without the plus sign; a pseudo code is no number. */
function handsetOf({ src_terminal_id: id, src_terminal_type: type }: Body<'deliver'>): string | undefined {
  return type === PSEUDO_CODE ? undefined : normaliseHandset(id);
}
