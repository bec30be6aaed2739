// Nonsense that carriers have been seen to send: frames that can be separated and not understood.

import { encodePdu } from '#src/channels/smpp/codec.js';
import { COMMANDS, EMPTY_MESSAGE } from '#src/channels/smpp/pdu.js';

const SEQUENCE = 0x00abcdef;

export function createGarbage(random: () => number): Buffer {
  const kinds = [unknownCommand, truncatedMessage, brokenParameters, answerToNothing, alert];
  const make = kinds[Math.floor(random() * kinds.length)] ?? unknownCommand;
  return make(random);
}

function frame(commandId: number, body: Buffer): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32BE(16 + body.length, 0);
  header.writeUInt32BE(commandId, 4);
  header.writeUInt32BE(SEQUENCE, 12);
  return Buffer.concat([header, body]);
}

function unknownCommand(random: () => number): Buffer {
  return frame(0x00000777, Buffer.from(Array.from({ length: 40 }, () => Math.floor(random() * 256))));
}

function truncatedMessage(): Buffer {
  return frame(COMMANDS.deliver_sm.id, Buffer.from('\0\x01\x01138', 'latin1'));
}

function brokenParameters(): Buffer {
  const whole = Buffer.alloc(256);
  const end = encodePdu(whole, 0, 'deliver_sm', 0, SEQUENCE, EMPTY_MESSAGE);
  return frame(COMMANDS.deliver_sm.id, Buffer.concat([whole.subarray(16, end), Buffer.of(0x04, 0x27, 0xff, 0xff)]));
}

function answerToNothing(): Buffer {
  return frame(COMMANDS.submit_sm_resp.id, Buffer.from('nobody\0', 'latin1'));
}

function alert(): Buffer {
  return frame(COMMANDS.alert_notification.id, Buffer.from('\x01\x01138\0\x01\x01106\0', 'latin1'));
}
