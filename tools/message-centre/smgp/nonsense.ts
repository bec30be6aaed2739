// What a broken gateway sends: frames that can be separated and not understood, and reports with octets that no text has.
import { COMMANDS, NO_MESSAGE_ID } from '#src/channels/smgp/pdu.js';
import type { SmgpDelivery } from './deliveries.js';

const SEQUENCE = 0x00abcdef;

export function createGarbage(random: () => number): Buffer {
  const kinds = [
    () => frame(0x00000777, Buffer.from(Array.from({ length: 40 }, () => Math.floor(random() * 256)))),
    () => frame(COMMANDS.deliver.id, Buffer.from('10690001', 'latin1')),
    () => frame(COMMANDS.deliver.id, Buffer.alloc(77, 0xff)),
    () => frame(COMMANDS.submit_resp.id, Buffer.from(`${NO_MESSAGE_ID}00000000`, 'hex')),
  ];
  const make = kinds[Math.floor(random() * kinds.length)];
  return make?.() ?? frame(0x00000777, Buffer.alloc(0));
}

function frame(commandId: number, body: Buffer): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt32BE(12 + body.length, 0);
  header.writeUInt32BE(commandId, 4);
  header.writeUInt32BE(SEQUENCE, 8);
  return Buffer.concat([header, body]);
}

/** The text of the message at the end, which looks like labels and is cut within a character. */
export function poisonReceipt(receipt: SmgpDelivery): SmgpDelivery {
  const { msg_content: content } = receipt.body;
  const text = Buffer.from('012stat:NONE\0\x1b\xff', 'latin1');
  return { ...receipt, body: { ...receipt.body, msg_content: Buffer.concat([content.subarray(0, -20), text]) } };
}
