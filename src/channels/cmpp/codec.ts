// CMPP 2.0 and 3.0 on the wire.
import { createCodec, ONE_INTEGER } from '../china/codec.js';
import { type MalformedPdu, readUint4 } from '../china/fields.js';
import { type Body, type CmppVersion, COMMANDS, type Command, type Pdu } from './pdu.js';

const CODECS = { '2.0': createCodec(COMMANDS, ONE_INTEGER, 2), '3.0': createCodec(COMMANDS, ONE_INTEGER, 3) } as const;

export const HEADER_BYTES = CODECS['2.0'].headerBytes;

export function encodePdu<C extends Command>(
  target: Buffer,
  offset: number,
  version: CmppVersion,
  command: C,
  sequence: number,
  body?: Body<NoInfer<C>>,
): number {
  return CODECS[version].encodePdu(target, offset, command, sequence, body);
}

export function decodePdu(frame: Buffer, version: CmppVersion): Pdu | MalformedPdu<number> {
  return CODECS[versionOf(frame, version)].decodePdu(frame);
}

/** Gateways answer in the other version than the one agreed: the length tells. Requests follow the agreement. */
function versionOf(frame: Buffer, agreed: CmppVersion): CmppVersion {
  const commandId = readUint4(frame, 4);
  if (commandId < 0x80000000) return agreed;
  const other = agreed === '2.0' ? '3.0' : '2.0';
  return frame.length === CODECS[other].sizeOf(commandId) ? other : agreed;
}
