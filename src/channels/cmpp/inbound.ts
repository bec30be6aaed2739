// What the gateway sends: a Deliver is a report or an uplink. The gateway is answered when the platform has stored it. What
// could not be stored is not answered: to a gateway, an error answer is the outcome of the message, and it would not send
// it again.
import type { Feedback, Report, UplinkMessage } from '../channel.js';
import { splitHeader } from '../china/long-text.js';
import { normaliseHandset } from '../china/numbers.js';
import { createRecentMessages } from '../china/recent-messages.js';
import { readReportWord } from '../china/report-word.js';
import { decodeText, decodeTexts, type EncodedText } from '../china/text-format.js';
import type { Verdict } from '../session/protocol.js';
import { type Assembled, createReassembler, type InboundSegment } from '../session/reassembly.js';
import type { InboundHandler } from '../session/session-channel.js';
import { type Body, NO_MESSAGE_ID } from './pdu.js';
import type { CmppPdu } from './protocol.js';
import { parseReport } from './report.js';

type Respond = (verdict: Verdict) => void;
type Uplink = Omit<Assembled, 'reference'>;

const REPORT = 1;
const PSEUDO_CODE = 1;

export interface CmppInboundOptions {
  readonly reassemblyMs: number;
  readonly clock: () => number;
  readonly onReceived: (kind: Feedback['kind']) => void;
}

export function createInbound({ reassemblyMs, clock, onReceived }: CmppInboundOptions): InboundHandler<CmppPdu> {
  let listener: ((feedback: Feedback) => void) | undefined;
  const recent = createRecentMessages();
  const options = { limitMs: reassemblyMs, clock, joinTexts: decodeTexts };
  const reassembler = createReassembler<InboundSegment & EncodedText>(options, (assembled) =>
    // The handset numbers its long messages.
    emitUplink(assembled, `long ${assembled.reference}`),
  );

  function emit(feedback: Feedback): void {
    if (listener === undefined) {
      feedback.nack();
      return;
    }
    onReceived(feedback.kind);
    listener(feedback);
  }

  function emitUplink({ from, to, text, incomplete, respond }: Uplink, mark: string): void {
    emit({
      kind: 'uplink',
      from,
      to,
      text,
      ...(incomplete && { incomplete }),
      ...(mark !== NO_MESSAGE_ID && { mark }),
      ...answering(respond),
    } satisfies UplinkMessage);
  }

  function emitReport(body: Body<'deliver'>, respond: Respond): void {
    const { messageId, stat, doneAt, phone: reported } = parseReport(body.msg_content);
    const phone = reported ?? handsetOf(body);
    const report: Report = {
      kind: 'report',
      messageId: messageId === NO_MESSAGE_ID ? '' : messageId,
      ...(phone !== undefined && { phone }),
      status: readReportWord(stat),
      code: stat || 'UNKNOWN',
      ...(doneAt !== undefined && { doneAt }),
      ...answering(respond),
    };
    emit(report);
  }

  function takeUplink(body: Body<'deliver'>, respond: Respond): void {
    const from = handsetOf(body) ?? body.src_terminal_id;
    const to = body.dest_id;
    const { octets, segment } = splitHeader(body.tp_udhi, body.msg_content);
    if (segment === undefined) {
      const text = decodeText(octets, body.msg_fmt);
      emitUplink({ from, to, text, incomplete: false, respond }, body.msg_id);
    } else {
      reassembler.add({ from, to, segment, octets, format: body.msg_fmt, respond });
    }
  }

  return {
    onFeedback(next) {
      listener = next;
    },
    handle(pdu, respond) {
      if (pdu.command !== 'deliver') return;
      const { body } = pdu;
      if (body.registered_delivery === REPORT) {
        emitReport(body, respond);
        return;
      }
      // Without an id, equal words may be said twice.
      const admitted = body.msg_id === NO_MESSAGE_ID ? respond : recent.admit(keyOf(body), respond);
      if (admitted !== undefined) takeUplink(body, admitted);
    },
    tick: (now) => reassembler.tick(now),
    stop: () => reassembler.stop(),
  };
}

/** E.164 without the plus sign; a pseudo code is no number. */
function handsetOf({ src_terminal_id: id, src_terminal_type: type }: Body<'deliver'>): string | undefined {
  return type === PSEUDO_CODE ? undefined : normaliseHandset(id);
}

function keyOf({ msg_id, src_terminal_id, msg_content }: Body<'deliver'>): string {
  return `${msg_id} ${src_terminal_id} ${msg_content.toString('latin1')}`;
}

function answering(respond: Respond): { ack(): void; nack(): void } {
  return { ack: () => respond('stored'), nack: () => respond('again') };
}
