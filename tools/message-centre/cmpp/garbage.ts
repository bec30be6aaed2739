// Nonsense that gateways have been seen to send: frames that can be separated and not understood.
import { COMMANDS, NO_MESSAGE_ID } from '#src/channels/cmpp/pdu.js';

const SEQUENCE = 0x00abcdef;

export function createGarbage(random: () => number): Buffer {
  const kinds = [unknownCommand, truncatedMessage, contentPastTheEnd, answerToNothing, query];
  const make = kinds[Math.floor(random() * kinds.length)] ?? unknownCommand;
  return make(random);
}

function frame(commandId: number, body: Buffer): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt32BE(12 + body.length, 0);
  header.writeUInt32BE(commandId, 4);
  header.writeUInt32BE(SEQUENCE, 8);
  return Buffer.concat([header, body]);
}

function unknownCommand(random: () => number): Buffer {
  return frame(0x00000777, Buffer.from(Array.from({ length: 40 }, () => Math.floor(random() * 256))));
}

function truncatedMessage(): Buffer {
  return frame(COMMANDS.deliver.id, Buffer.from('10690001', 'latin1'));
}

function contentPastTheEnd(): Buffer {
  return frame(COMMANDS.deliver.id, Buffer.alloc(77, 0xff));
}

function answerToNothing(): Buffer {
  return frame(COMMANDS.submit_resp.id, Buffer.from(`${NO_MESSAGE_ID}00`, 'hex'));
}

/** A Query goes from the client to the gateway, never the other way. */
function query(): Buffer {
  return frame(0x00000006, Buffer.alloc(27));
}
