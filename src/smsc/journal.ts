// A file with one line of JSON for each accepted submit, written before it is answered, and one for each receipt that the
// client acknowledged: whatever becomes of this process or of the client, a checker can prove from it that no destination
// got a part twice, and that no receipt was acknowledged and then forgotten.
import { closeSync, openSync, writeSync } from 'node:fs';
import { decodeText } from '../channels/smpp/charset.js';
import type { InboundText } from '../channels/smpp/long-message.js';
import type { PduOf } from '../channels/smpp/pdu.js';

export interface Journal {
  accept(pdu: PduOf<'submit_sm'>, read: InboundText, messageId: string, nowMs: number): void;
  /** The client has taken a receipt; the id is that of the answer. */
  acknowledge(messageId: string, nowMs: number): void;
  close(): void;
}

/** Lines are added to what earlier runs wrote; without a path nothing is written. */
export function openJournal(path: string): Journal {
  if (path === '') return { accept() {}, acknowledge() {}, close() {} };
  const file = openSync(path, 'a');
  return {
    accept({ body, tlvs }, { octets, headerBytes, segment }, messageId, nowMs) {
      const line = {
        at: new Date(nowMs).toISOString(),
        to: body.destination_addr,
        from: body.source_addr,
        reference: segment?.reference ?? null,
        user_message_reference: tlvs.user_message_reference ?? null,
        part: segment?.part ?? 1,
        parts: segment?.parts ?? 1,
        message_id: messageId,
        text: decodeText(octets, body.data_coding, 'gsm0338', headerBytes),
      };
      // A write that has returned is with the operating system, and outlives this process.
      writeSync(file, `${JSON.stringify(line)}\n`);
    },
    acknowledge(messageId, nowMs) {
      const line = { at: new Date(nowMs).toISOString(), acknowledged: messageId };
      writeSync(file, `${JSON.stringify(line)}\n`);
    },
    close: () => closeSync(file),
  };
}
