// What a gateway sends: reports, and uplinks that are joined where they came in parts. The gateway is answered when the
// platform has stored it.
import type { Feedback, Report, UplinkMessage } from '../channel.js';
import type { Acknowledgement } from '../session/protocol.js';
import { type Assembled, createReassembler, type InboundSegment } from '../session/reassembly.js';
import type { InboundHandler } from '../session/session-channel.js';
import { splitHeader } from './long-text.js';
import { createRecentMessages } from './recent-messages.js';
import { decodeText, decodeTexts, type EncodedText } from './text-format.js';

type Respond = (acknowledgement: Acknowledgement) => void;

export interface DeliveredUplink extends EncodedText {
  readonly kind: 'uplink';
  /** The gateway's own id of this delivery; empty where it gives none. */
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly udhi: number;
}

/** A delivery of the gateway, read. */
export type Delivered = Omit<Report, 'ack' | 'nack'> | DeliveredUplink;

export interface InboundOptions<Pdu> {
  /** How long to wait for the parts of a long uplink. */
  readonly reassemblyMs: number;
  readonly clock: () => number;
  /** What submissions put before the sender; replies have it before the recipient. */
  readonly sourcePrefix: string;
  /** Undefined for what needs no storing: it is acknowledged at once. */
  readonly read: (pdu: Pdu) => Delivered | undefined;
  readonly onReceived: (kind: Feedback['kind']) => void;
}

export function createInbound<Pdu>(options: InboundOptions<Pdu>): InboundHandler<Pdu> {
  let listener: (feedback: Feedback) => void = () => {};
  const recent = createRecentMessages();
  const reassembler = createReassembler<InboundSegment & EncodedText>(
    { limitMs: options.reassemblyMs, clock: options.clock, joinTexts: decodeTexts },
    // The handset numbers its long messages.
    (assembled) => emitUplink(assembled, `long ${assembled.reference}`),
  );

  function emit(feedback: Feedback): void {
    options.onReceived(feedback.kind);
    listener(feedback);
  }

  function emitUplink({ from, to, text, incomplete, respond }: Omit<Assembled, 'reference'>, mark: string): void {
    emit({
      kind: 'uplink',
      from,
      to: senderOf(to, options.sourcePrefix),
      text,
      ...(incomplete && { incomplete }),
      ...(mark !== '' && { mark }),
      ...answering(respond),
    } satisfies UplinkMessage);
  }

  function takeUplink({ id, from, to, udhi, octets: content, format }: DeliveredUplink, respond: Respond): void {
    const { octets, segment } = splitHeader(udhi, content);
    if (segment === undefined) {
      emitUplink({ from, to, text: decodeText(octets, format), incomplete: false, respond }, id);
    } else {
      reassembler.add({ from, to, segment, octets, format, respond });
    }
  }

  return {
    onFeedback(next) {
      listener = next;
    },
    handle(pdu, respond) {
      const delivered = options.read(pdu);
      if (delivered === undefined) {
        respond('stored');
        return;
      }
      if (delivered.kind === 'report') {
        emit({ ...delivered, ...answering(respond) });
        return;
      }
      // Without an id, equal words may be said twice.
      const admitted = delivered.id === '' ? respond : recent.admit(keyOf(delivered), respond);
      if (admitted !== undefined) takeUplink(delivered, admitted);
    },
    tick: (now) => reassembler.tick(now),
    stop: () => reassembler.stop(),
  };
}

/** The sender of the service account that was replied to. */
function senderOf(to: string, sourcePrefix: string): string {
  return to.length > sourcePrefix.length && to.startsWith(sourcePrefix) ? to.slice(sourcePrefix.length) : to;
}

function keyOf({ id, from, octets }: DeliveredUplink): string {
  return `${id} ${from} ${octets.toString('latin1')}`;
}

function answering(respond: Respond): { ack(): void; nack(): void } {
  return { ack: () => respond('stored'), nack: () => respond('again') };
}
