// Turns SMGP PDUs into octets and back, by the table of pdu.ts.
import {
  type FieldValues,
  type MalformedPdu,
  readFields,
  readUint4,
  writeFields,
  writeUint4,
} from '../china/fields.js';
import { createLayouts, type Layout } from '../china/layouts.js';
import { type Body, COMMANDS, type Command, type Pdu } from './pdu.js';

export const HEADER_BYTES = 12;

const layouts = createLayouts(COMMANDS);
const NO_VALUES: FieldValues = Object.freeze({});

/** Writes a PDU at `offset` and returns the offset after it. Throws `FieldOverflow` when a value does not fit. */
export function encodePdu<C extends Command>(
  target: Buffer,
  offset: number,
  command: C,
  sequence: number,
  body?: Body<NoInfer<C>>,
): number {
  const layout = layouts.byCommand.get(command) as Layout<Command>;
  const end = writeFields(target, offset + HEADER_BYTES, layout.fields, (body ?? NO_VALUES) as FieldValues);
  writeUint4(target, offset, end - offset);
  writeUint4(target, offset + 4, layout.id);
  writeUint4(target, offset + 8, sequence);
  return end;
}

/** Reads one whole frame. Contents are views of the frame: a caller that keeps one copies it. */
export function decodePdu(frame: Buffer): Pdu | MalformedPdu<number> {
  const commandId = readUint4(frame, 4);
  const sequence = readUint4(frame, 8);
  const layout = layouts.byId.get(commandId);
  if (layout === undefined) return { command: 'malformed', commandId, sequence, reason: 'unknown_command' };
  const body = readFields(frame, HEADER_BYTES, layout.fields);
  if (body === undefined) return { command: 'malformed', commandId, sequence, reason: 'too_short' };
  return { command: layout.command, sequence, body } as unknown as Pdu;
}
