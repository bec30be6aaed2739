// What the gateway sends, read: reports and uplinks.
import type { Delivered } from '../china/inbound.js';
import { normaliseHandset } from '../china/numbers.js';
import type { SgipPdu } from './protocol.js';
import { REPORT_OF_DELIVER, readReportState } from './report.js';
import { formatSequence } from './sequence.js';

/**
 * Undefined for what needs no storing: the state of a subscriber, or a report about an uplink. `findReference` knows the
 * reference of the part with a message id while the part has no answer.
 */
export function readDelivered(
  pdu: SgipPdu,
  findReference: (messageId: string) => string | undefined,
): Delivered | undefined {
  if (pdu.command === 'deliver') {
    const { body } = pdu;
    return {
      kind: 'uplink',
      // A repeat has the same.
      id: formatSequence(pdu.sequence),
      from: normaliseHandset(body.user_number) ?? body.user_number,
      to: body.sp_number,
      udhi: body.tp_udhi,
      octets: body.message_content,
      format: body.message_coding,
    };
  }
  if (pdu.command !== 'report' || pdu.body.report_type === REPORT_OF_DELIVER) return undefined;
  const { submit_sequence: messageId, user_number } = pdu.body;
  const reference = findReference(messageId);
  const phone = normaliseHandset(user_number);
  return {
    kind: 'report',
    messageId,
    ...(reference !== undefined && { reference }),
    ...(phone !== undefined && { phone }),
    ...readReportState(pdu.body),
  };
}
