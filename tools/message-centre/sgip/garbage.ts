// Nonsense that gateways have been seen to send: frames that can be separated and not understood.
import { HEADER_BYTES } from '#src/channels/sgip/codec.js';
import { COMMANDS } from '#src/channels/sgip/pdu.js';

export function createGarbage(random: () => number): Buffer {
  const kinds = [unknownCommand, truncatedMessage, contentPastTheEnd, answerToNothing, trace];
  const make = kinds[Math.floor(random() * kinds.length)] ?? unknownCommand;
  return make(random);
}

function frame(commandId: number, body: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES, 0xab);
  header.writeUInt32BE(HEADER_BYTES + body.length, 0);
  header.writeUInt32BE(commandId, 4);
  return Buffer.concat([header, body]);
}

function unknownCommand(random: () => number): Buffer {
  return frame(0x00000777, Buffer.from(Array.from({ length: 40 }, () => Math.floor(random() * 256))));
}

function truncatedMessage(): Buffer {
  return frame(COMMANDS.deliver.id, Buffer.from('8613000000001', 'latin1'));
}

function contentPastTheEnd(): Buffer {
  return frame(COMMANDS.deliver.id, Buffer.alloc(60, 0xff));
}

function answerToNothing(): Buffer {
  return frame(COMMANDS.submit_resp.id, Buffer.alloc(9));
}

/** A Trace goes from the client to the gateway, never the other way. */
function trace(): Buffer {
  return frame(0x00001000, Buffer.alloc(41));
}
