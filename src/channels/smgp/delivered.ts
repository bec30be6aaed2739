// A Deliver of the gateway: a report or an uplink.
import { nameMessageId } from '../china/answers.js';
import type { Delivered } from '../china/inbound.js';
import { normaliseHandset } from '../china/numbers.js';
import { readReportWord } from '../china/report-word.js';
import type { SmgpPdu } from './protocol.js';
import { nameReportCode, parseReport } from './report.js';
import { decodeTlvs } from './tlvs.js';

const REPORT = 1;
const PSEUDO_CODE = 1;

export function readDelivered(pdu: SmgpPdu): Delivered | undefined {
  if (pdu.command !== 'deliver') return undefined;
  const { body } = pdu;
  const tlvs = decodeTlvs(body.tlvs);
  const phone = tlvs.src_term_type === PSEUDO_CODE ? undefined : normaliseHandset(body.src_term_id);
  if (body.is_report !== REPORT) {
    return {
      kind: 'uplink',
      id: nameMessageId(body.msg_id),
      from: phone ?? body.src_term_id,
      to: body.dest_term_id,
      udhi: tlvs.tp_udhi ?? 0,
      octets: body.msg_content,
      format: body.msg_format,
    };
  }
  const report = parseReport(body.msg_content);
  return {
    kind: 'report',
    messageId: nameMessageId(report.messageId),
    ...(phone !== undefined && { phone }),
    status: readReportWord(report.stat),
    code: nameReportCode(report),
    ...(report.doneAt !== undefined && { doneAt: report.doneAt }),
  };
}
