// Turns PDUs into octets and back, driven by the tables of pdu.ts. Encoding writes into a buffer of the caller, so that
// many PDUs share one allocation and one socket write. Decoding never trusts a length that the frame does not hold.
import { type Body, COMMANDS, type Command, type MalformedPdu, type Pdu, STATUS, TLVS, type Tlvs } from './pdu.js';

export const HEADER_BYTES = 16;

interface Field {
  readonly name: string;
  readonly kind: 'int1' | 'int2' | 'int4' | 'cstring' | 'octets';
  readonly limit: number;
}

interface Layout {
  readonly command: Command;
  readonly id: number;
  readonly isAnswer: boolean;
  readonly fields: readonly Field[];
}

interface TlvLayout {
  readonly name: keyof Tlvs;
  readonly tag: number;
  readonly kind: Field['kind'];
}

type Values = Record<string, number | string | Buffer | undefined>;

const layoutsByCommand = new Map<Command, Layout>();
const layoutsById = new Map<number, Layout>();
for (const [name, definition] of Object.entries(COMMANDS)) {
  const fields: Field[] = definition.fields.map(([field, kind, limit]) => ({ name: field, kind, limit }));
  const layout: Layout = { command: name as Command, id: definition.id, isAnswer: definition.id >= 0x80000000, fields };
  layoutsByCommand.set(layout.command, layout);
  layoutsById.set(layout.id, layout);
}

const tlvsByName = new Map<string, TlvLayout>();
const tlvsByTag = new Map<number, TlvLayout>();
for (const [name, { tag, kind }] of Object.entries(TLVS)) {
  const layout: TlvLayout = { name: name as keyof Tlvs, tag, kind };
  tlvsByName.set(name, layout);
  tlvsByTag.set(tag, layout);
}

const NO_OCTETS = Buffer.alloc(0);
const NO_TLVS: Tlvs = Object.freeze({});
const NO_VALUES: Values = Object.freeze({});

/** A value that its field cannot hold: a fault of the caller, who checks addresses and lengths first. */
export class FieldOverflow extends Error {
  constructor(readonly field: string) {
    super(`the value of ${field} does not fit its field`);
  }
}

/**
 * Writes a PDU at `offset` and returns the offset after it. The body is whole: looking up a field that is not there
 * costs several times what writing it does. Only a PDU without fields, or an answer that reports an error, has none.
 */
export function encodePdu<C extends Command>(
  target: Buffer,
  offset: number,
  command: C,
  status: number,
  sequence: number,
  body?: Body<NoInfer<C>>,
  tlvs?: Tlvs,
): number {
  const layout = layoutsByCommand.get(command) as Layout;
  let at = offset + HEADER_BYTES;
  // An answer that reports an error has no body, as the specification asks.
  if (status === 0 || !layout.isAnswer) {
    const values = (body ?? NO_VALUES) as Values;
    const { fields } = layout;
    for (let index = 0; index < fields.length; index += 1) {
      const field = fields[index] as Field;
      at = writeField(target, at, field, values[field.name]);
    }
    if (tlvs !== undefined) at = writeTlvs(target, at, tlvs as Values);
  }
  writeInt4(target, offset, at - offset);
  writeInt4(target, offset + 4, layout.id);
  writeInt4(target, offset + 8, status);
  writeInt4(target, offset + 12, sequence);
  return at;
}

function writeField(target: Buffer, at: number, field: Field, value: number | string | Buffer | undefined): number {
  switch (field.kind) {
    case 'cstring': {
      const text = value === undefined ? '' : (value as string);
      if (text.length >= field.limit) throw new FieldOverflow(field.name);
      const end = writeLatin1(target, at, text);
      target[end] = 0;
      return end + 1;
    }
    case 'octets': {
      const octets = value === undefined ? NO_OCTETS : (value as Buffer);
      if (octets.length > field.limit) throw new FieldOverflow(field.name);
      target[at] = octets.length;
      target.set(octets, at + 1);
      return at + 1 + octets.length;
    }
    default:
      target[at] = value === undefined ? 0 : (value as number);
      return at + 1;
  }
}

function writeTlvs(target: Buffer, start: number, tlvs: Values): number {
  let at = start;
  for (const name in tlvs) {
    const value = tlvs[name];
    const layout = tlvsByName.get(name);
    if (value === undefined || layout === undefined) continue;
    const end = writeTlvValue(target, at + 4, layout.kind, value);
    writeInt2(target, at, layout.tag);
    writeInt2(target, at + 2, end - at - 4);
    at = end;
  }
  return at;
}

function writeTlvValue(target: Buffer, at: number, kind: Field['kind'], value: number | string | Buffer): number {
  switch (kind) {
    case 'int1':
      target[at] = value as number;
      return at + 1;
    case 'int2':
      writeInt2(target, at, value as number);
      return at + 2;
    case 'int4':
      writeInt4(target, at, value as number);
      return at + 4;
    case 'cstring': {
      const end = writeLatin1(target, at, value as string);
      target[end] = 0;
      return end + 1;
    }
    case 'octets':
      target.set(value as Buffer, at);
      return at + (value as Buffer).length;
  }
}

function writeInt2(target: Buffer, at: number, value: number): void {
  target[at] = value >>> 8;
  target[at + 1] = value;
}

function writeInt4(target: Buffer, at: number, value: number): void {
  target[at] = value >>> 24;
  target[at + 1] = value >>> 16;
  target[at + 2] = value >>> 8;
  target[at + 3] = value;
}

// For the dozen characters of an address a loop is faster than the call into the runtime's own writer.
function writeLatin1(target: Buffer, at: number, text: string): number {
  for (let index = 0; index < text.length; index += 1) target[at + index] = text.charCodeAt(index);
  return at + text.length;
}

export function readInt4(source: Buffer, at: number): number {
  return (
    (((source[at] as number) << 24) |
      ((source[at + 1] as number) << 16) |
      ((source[at + 2] as number) << 8) |
      (source[at + 3] as number)) >>>
    0
  );
}

/** Reads one whole frame. Octet strings are views of the frame; copy them to keep them. */
export function decodePdu(frame: Buffer): Pdu | MalformedPdu {
  const commandId = readInt4(frame, 4);
  const status = readInt4(frame, 8);
  const sequence = readInt4(frame, 12);
  const layout = layoutsById.get(commandId);
  if (layout === undefined) return { command: 'malformed', commandId, sequence, status: STATUS.ESME_RINVCMDID };
  const body: Values = {};
  let at = HEADER_BYTES;
  const { fields } = layout;
  for (let index = 0; index < fields.length; index += 1) {
    const field = fields[index] as Field;
    at = readField(frame, at, field, body, layout.isAnswer);
    if (at < 0) {
      const status = at === TOO_LONG ? STATUS.ESME_RINVPARLEN : STATUS.ESME_RINVCMDLEN;
      return { command: 'malformed', commandId, sequence, status };
    }
  }
  let tlvs = NO_TLVS;
  if (at < frame.length) {
    const read = readTlvs(frame, at);
    // Optional parameters that run past the end of an answer cost the answer nothing: losing it would make a part unknown.
    if (read === undefined && !layout.isAnswer) {
      return { command: 'malformed', commandId, sequence, status: STATUS.ESME_RINVOPTPARSTREAM };
    }
    tlvs = read ?? NO_TLVS;
  }
  return { command: layout.command, status, sequence, body, tlvs } as unknown as Pdu;
}

/** What reading a field returns in place of the offset after it. */
const TRUNCATED = -1;
const TOO_LONG = -2;

/**
 * Returns the offset after the field, or why there is none. Answers may be cut short, as carriers cut them, and a string in
 * one that is too long is cut to what its field holds: refusing the answer would make a part unknown that is not.
 */
function readField(frame: Buffer, at: number, field: Field, body: Values, isAnswer: boolean): number {
  if (at >= frame.length) {
    if (!isAnswer) return TRUNCATED;
    body[field.name] = field.kind === 'cstring' ? '' : field.kind === 'octets' ? NO_OCTETS : 0;
    return at;
  }
  switch (field.kind) {
    case 'cstring': {
      let end = at;
      while (end < frame.length && frame[end] !== 0) end += 1;
      // Some message centres leave out the terminator of the last string.
      if (end === frame.length && !isAnswer) return TRUNCATED;
      if (end - at >= field.limit && !isAnswer) return TOO_LONG;
      body[field.name] = end === at ? '' : frame.toString('latin1', at, Math.min(end, at + field.limit - 1));
      return end < frame.length ? end + 1 : end;
    }
    case 'octets': {
      const end = at + 1 + (frame[at] as number);
      if (end > frame.length) return TRUNCATED;
      body[field.name] = frame.subarray(at + 1, end);
      return end;
    }
    default:
      body[field.name] = frame[at] as number;
      return at + 1;
  }
}

function readTlvs(frame: Buffer, start: number): Tlvs | undefined {
  const tlvs: Values = {};
  let at = start;
  while (at + 4 <= frame.length) {
    const tag = ((frame[at] as number) << 8) | (frame[at + 1] as number);
    const length = ((frame[at + 2] as number) << 8) | (frame[at + 3] as number);
    at += 4;
    const end = at + length;
    if (end > frame.length) return undefined;
    const layout = tlvsByTag.get(tag);
    if (layout !== undefined) {
      const value = readTlvValue(frame, at, end, layout.kind);
      if (value !== undefined) tlvs[layout.name] = value;
    }
    at = end;
  }
  // One to three octets that are no parameter are padding of careless encoders.
  return tlvs as Tlvs;
}

function readTlvValue(
  frame: Buffer,
  at: number,
  end: number,
  kind: Field['kind'],
): number | string | Buffer | undefined {
  if (kind === 'octets') return frame.subarray(at, end);
  if (kind === 'cstring') {
    let stop = at;
    while (stop < end && frame[stop] !== 0) stop += 1;
    return frame.toString('latin1', at, stop);
  }
  // Integers are read in whatever width they came: one-octet references and two-octet states are both seen.
  if (end === at || end - at > 4) return undefined;
  let value = 0;
  for (let index = at; index < end; index += 1) value = value * 256 + (frame[index] as number);
  return value;
}
