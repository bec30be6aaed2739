// Messages that the peer sends: receipts become reports, all others uplinks. The peer is answered after the message is stored, or asked
// to send it again.

import type { Arrival, Feedback, Report, UplinkMessage } from '../channel.js';
import type { Acknowledgement } from '../session/protocol.js';
import { type Assembled, createReassembler, type InboundSegment } from '../session/reassembly.js';
import type { InboundHandler } from '../session/session-channel.js';
import { normaliseHandset } from './address.js';
import { type Charset, decodeText } from './charset.js';
import type { SmppConfig } from './config.js';
import { readInbound } from './long-message.js';
import type { AnyPdu, InboundPdu } from './protocol.js';
import { isReceipt, parseReceipt } from './receipt.js';

type Respond = (acknowledgement: Acknowledgement) => void;

interface SmppSegment extends InboundSegment {
  readonly headerBytes: number;
  readonly dataCoding: number;
}

export interface InboundOptions {
  readonly config: SmppConfig;
  readonly clock: () => number;
  /** The reference of the part, if the peer echoes the user_message_reference that was sent with it. */
  readonly findReference: (userMessageReference: number, phone: string | undefined) => string | undefined;
  readonly onReceived: (kind: Feedback['kind']) => void;
}

const NO_TEXT = Buffer.alloc(0);

export function createInbound({ config, clock, findReference, onReceived }: InboundOptions): InboundHandler<AnyPdu> {
  let listener: (feedback: Feedback) => void = () => {};
  const reassembler = createReassembler<SmppSegment>(
    { limitMs: config.reassembly_ms, clock, joinTexts: (segments) => joinTexts(segments, config.charset) },
    (assembled) => emitUplink(assembled),
  );

  function emit(feedback: Feedback): void {
    onReceived(feedback.kind);
    listener(feedback);
  }

  function emitUplink({ from, to, text, incomplete, respond, reference }: Assembled, arrival?: Arrival): void {
    emit({
      kind: 'uplink',
      from,
      to,
      text,
      ...(incomplete && { incomplete }),
      // The handset chose this reference.
      ...(reference !== undefined && { mark: `long ${reference}` }),
      ...(arrival !== undefined && { arrival }),
      ...acknowledgeBy(respond),
    } satisfies UplinkMessage);
  }

  function emitReport(pdu: InboundPdu, text: string, respond: Respond): void {
    const { body, tlvs } = pdu;
    const receipt = parseReceipt(body.esm_class, tlvs, text, config.receipt_utc_offset_minutes);
    // The source of a receipt is the handset. Some carriers do not swap the addresses: then the source is an alphanumeric sender.
    const phone = normaliseHandset(body.source_addr) ?? normaliseHandset(body.destination_addr);
    const echoed = tlvs.user_message_reference;
    const reference = echoed === undefined ? undefined : findReference(echoed, phone);
    const report: Report = {
      kind: 'report',
      messageId: receipt.messageId,
      ...(reference !== undefined && { reference }),
      ...(phone !== undefined && { phone }),
      status: receipt.status,
      code: receipt.code,
      ...(receipt.doneAt !== undefined && { doneAt: receipt.doneAt }),
      ...acknowledgeBy(respond),
    };
    emit(report);
  }

  return {
    onFeedback(next) {
      listener = next;
    },
    handle(pdu, respond, session) {
      if (pdu.command !== 'deliver_sm' && pdu.command !== 'data_sm') return;
      const { body, tlvs } = pdu;
      const shortMessage = 'short_message' in body ? body.short_message : NO_TEXT;
      const { octets, headerBytes, segment } = readInbound(body.esm_class, shortMessage, tlvs);
      // Receipts are ASCII, whatever the default alphabet: GSM 03.38 would change underscores.
      const ascii = decodeText(octets, body.data_coding, 'latin1', headerBytes);
      if (isReceipt(body.esm_class, tlvs, ascii, config.receipts)) {
        emitReport(pdu, ascii, respond);
        return;
      }
      const from = normaliseHandset(body.source_addr) ?? body.source_addr;
      const to = body.destination_addr;
      if (segment === undefined) {
        const text = decodeText(octets, body.data_coding, config.charset, headerBytes);
        const arrival = session && { session, sequence: pdu.sequence };
        emitUplink({ from, to, text, incomplete: false, respond, reference: undefined }, arrival);
        return;
      }
      if (config.uplink_ack === 'received') respond('stored');
      reassembler.add({ from, to, segment, octets, headerBytes, dataCoding: body.data_coding, respond });
    },
    tick: (now) => reassembler.tick(now),
    stop: () => reassembler.stop(),
  };
}

function acknowledgeBy(respond: Respond): { ack(): void; nack(): void } {
  return {
    ack: () => respond('stored'),
    nack: () => respond('again'),
  };
}

/** Joins octets before decoding: carriers split surrogate and escape pairs. */
export function joinTexts(segments: readonly SmppSegment[], charset: Charset): string {
  const dataCoding = segments[0]?.dataCoding ?? 0;
  if (charset !== 'gsm0338_packed' && segments.every((segment) => segment.dataCoding === dataCoding)) {
    return decodeText(Buffer.concat(segments.map((segment) => segment.octets)), dataCoding, charset, 0);
  }
  return segments.map((each) => decodeText(each.octets, each.dataCoding, charset, each.headerBytes)).join('');
}
