// Turns CMPP PDUs into octets and back, by the table of pdu.ts.
import {
  type FieldValues,
  type MalformedPdu,
  readFields,
  readUint4,
  writeFields,
  writeUint4,
} from '../china/fields.js';
import { createLayouts, type Layout } from '../china/layouts.js';
import { type Body, type CmppVersion, COMMANDS, type Command, type Pdu } from './pdu.js';

export const HEADER_BYTES = 12;

const LAYOUTS = { '2.0': createLayouts(COMMANDS, 2), '3.0': createLayouts(COMMANDS, 3) } as const;
const NO_VALUES: FieldValues = Object.freeze({});

/** Writes a PDU at `offset` and returns the offset after it. Throws `FieldOverflow` when a value does not fit. */
export function encodePdu<C extends Command>(
  target: Buffer,
  offset: number,
  version: CmppVersion,
  command: C,
  sequence: number,
  body?: Body<NoInfer<C>>,
): number {
  const layout = LAYOUTS[version].byCommand.get(command) as Layout<Command>;
  const end = writeFields(target, offset + HEADER_BYTES, layout.fields, (body ?? NO_VALUES) as FieldValues);
  writeUint4(target, offset, end - offset);
  writeUint4(target, offset + 4, layout.id);
  writeUint4(target, offset + 8, sequence);
  return end;
}

/** Reads one whole frame. Contents are views of the frame: a caller that keeps one copies it. */
export function decodePdu(frame: Buffer, version: CmppVersion): Pdu | MalformedPdu<number> {
  const commandId = readUint4(frame, 4);
  const sequence = readUint4(frame, 8);
  const layout = LAYOUTS[versionOf(frame, commandId, version)].byId.get(commandId);
  if (layout === undefined) return { command: 'malformed', commandId, sequence, reason: 'unknown_command' };
  const body = readFields(frame, HEADER_BYTES, layout.fields);
  if (body === undefined) return { command: 'malformed', commandId, sequence, reason: 'too_short' };
  return { command: layout.command, sequence, body } as unknown as Pdu;
}

/** Gateways answer in the other version than the one agreed: the length tells. Requests follow the agreement. */
function versionOf(frame: Buffer, commandId: number, agreed: CmppVersion): CmppVersion {
  if (commandId < 0x80000000) return agreed;
  const other = agreed === '2.0' ? '3.0' : '2.0';
  const layout = LAYOUTS[other].byId.get(commandId);
  return layout !== undefined && frame.length === HEADER_BYTES + layout.octets ? other : agreed;
}
