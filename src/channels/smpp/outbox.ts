import { createOutbox, type Outbox } from '../session/outbox.js';
import { encodePdu } from './codec.js';
import type { Body, Command, Tlvs } from './pdu.js';

/** More than any PDU needs besides its message payload. */
const FIELDS_BYTES = 1024;

export interface PduOutbox extends Pick<Outbox, 'flush'> {
  send<C extends Command>(command: C, status: number, sequence: number, body?: Body<NoInfer<C>>, tlvs?: Tlvs): void;
}

export function createPduOutbox(write: (octets: Buffer) => void): PduOutbox {
  return sendThrough(createOutbox(write));
}

export function sendThrough(outbox: Outbox): PduOutbox {
  return {
    flush: outbox.flush,
    send(command, status, sequence, body, tlvs) {
      const maxBytes = FIELDS_BYTES + (tlvs?.message_payload?.length ?? 0);
      outbox.add(maxBytes, (slab, at) => encodePdu(slab, at, command, status, sequence, body, tlvs));
    },
  };
}
