// The field types of CMPP, SGIP and SMGP. A protocol lists the fields of each PDU in wire order; these two functions write
// and read them. Writing goes into a buffer of the caller, so that many PDUs share one allocation and one socket write.
// Reading never trusts a length that the frame does not hold.

/**
 * - `uint`: an unsigned big-endian integer.
 * - `text`: a string of fixed length, filled with NUL.
 * - `tail`: the same at the end of a PDU; peers leave it out.
 * - `hex`: octets as lower-case hexadecimal: message ids do not fit a number.
 * - `texts`: a count of one octet, then strings of fixed length.
 * - `content`: a length of `octets` octets, then that many octets.
 * - `rest`: everything up to the end of the PDU.
 */
export type FieldKind = 'uint' | 'text' | 'tail' | 'hex' | 'texts' | 'content' | 'rest';

export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  /** 0: this version of the protocol does not have the field; it reads as zero or empty. */
  readonly octets: number;
}

type FieldValue = number | string | readonly string[] | Buffer;
export type FieldValues = Record<string, FieldValue>;

export type ValueOf<Kind extends FieldKind> = Kind extends 'uint'
  ? number
  : Kind extends 'text' | 'tail' | 'hex'
    ? string
    : Kind extends 'texts'
      ? readonly string[]
      : Buffer;

/** What a PDU that cannot be read is reported as. */
export interface MalformedPdu<Sequence> {
  readonly command: 'malformed';
  readonly commandId: number;
  readonly sequence: Sequence;
  readonly reason: 'unknown_command' | 'too_short';
}

/** The longest frame that is read or written; the longest that any of the three protocols needs is half of it. */
export const MAX_FRAME_BYTES = 4_096;
const MAX_CONTENT_BYTES = 2_048;
/** The specifications say "below 100". */
const MAX_TEXTS = 99;

const NO_OCTETS = Buffer.alloc(0);
const NO_TEXTS: readonly string[] = Object.freeze([]);

/** A value that its field cannot hold. Callers check addresses and lengths before they encode. */
export class FieldOverflow extends Error {
  constructor(readonly field: string) {
    super(`the value of ${field} does not fit its field`);
  }
}

/** Returns the offset after the last field. */
export function writeFields(
  target: Buffer,
  offset: number,
  fields: readonly Field[],
  values: Readonly<FieldValues>,
): number {
  let at = offset;
  for (let index = 0; index < fields.length; index += 1) {
    const field = fields[index] as Field;
    if (field.octets > 0 || field.kind === 'rest') at = writeField(target, at, field, values[field.name] as FieldValue);
  }
  return at;
}

function writeField(target: Buffer, at: number, field: Field, value: FieldValue): number {
  const { octets } = field;
  switch (field.kind) {
    case 'uint':
      return writeUint(target, at, field, value as number);
    case 'text':
    case 'tail':
      return writeText(target, at, field, value as string);
    case 'hex':
      if ((value as string).length !== octets * 2 || target.write(value as string, at, 'hex') !== octets) {
        throw new FieldOverflow(field.name);
      }
      return at + octets;
    case 'texts': {
      const texts = value as readonly string[];
      if (texts.length > MAX_TEXTS) throw new FieldOverflow(field.name);
      target[at] = texts.length;
      return texts.reduce((end, text) => writeText(target, end, field, text), at + 1);
    }
    case 'content': {
      const content = value as Buffer;
      if (content.length > (octets === 1 ? 0xff : MAX_CONTENT_BYTES)) throw new FieldOverflow(field.name);
      const start = writeUint(target, at, field, content.length);
      target.set(content, start);
      return start + content.length;
    }
    case 'rest':
      if ((value as Buffer).length > MAX_CONTENT_BYTES) throw new FieldOverflow(field.name);
      target.set(value as Buffer, at);
      return at + (value as Buffer).length;
  }
}

function writeUint(target: Buffer, at: number, { name, octets }: Field, value: number): number {
  if (octets === 1) {
    if ((value & 0xff) !== value) throw new FieldOverflow(name);
    target[at] = value;
    return at + 1;
  }
  if (value >>> 0 !== value) throw new FieldOverflow(name);
  writeUint4(target, at, value);
  return at + 4;
}

// For the dozen characters of an address a loop is faster than the call into the runtime's own writer.
function writeText(target: Buffer, at: number, { name, octets }: Field, text: string): number {
  if (text.length > octets) throw new FieldOverflow(name);
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0 || code > 0xff) throw new FieldOverflow(name);
    target[at + index] = code;
  }
  for (let index = text.length; index < octets; index += 1) target[at + index] = 0;
  return at + octets;
}

/**
 * The fields of one frame, or undefined when it ends too early. Octets after the last field are ignored, as is a missing
 * tail. Contents are views of the frame: a caller that keeps one copies it.
 */
export function readFields(frame: Buffer, offset: number, fields: readonly Field[]): FieldValues | undefined {
  const values: FieldValues = {};
  let at = offset;
  for (let index = 0; index < fields.length; index += 1) {
    const field = fields[index] as Field;
    at = readField(frame, at, field, values);
    if (at > frame.length) return undefined;
  }
  return values;
}

/** Returns the offset after the field, which is beyond the frame when the frame is too short for it. */
function readField(frame: Buffer, at: number, { name, kind, octets }: Field, values: FieldValues): number {
  const end = at + octets;
  switch (kind) {
    case 'uint':
      if (end > frame.length) return end;
      values[name] = octets === 0 ? 0 : octets === 1 ? (frame[at] as number) : readUint4(frame, at);
      return end;
    case 'tail':
      values[name] = readText(frame, at, Math.min(end, frame.length));
      return Math.min(end, frame.length);
    case 'text':
      values[name] = readText(frame, at, end);
      return end;
    case 'hex':
      values[name] = frame.toString('hex', at, end);
      return end;
    case 'texts':
      return readTexts(frame, at, octets, (texts) => {
        values[name] = texts;
      });
    case 'content': {
      if (end > frame.length) return end;
      const length = octets === 1 ? (frame[at] as number) : readUint4(frame, at);
      values[name] = frame.subarray(end, end + length);
      return end + length;
    }
    case 'rest':
      values[name] = at < frame.length ? frame.subarray(at) : NO_OCTETS;
      return frame.length;
  }
}

function readTexts(frame: Buffer, at: number, octets: number, onTexts: (texts: readonly string[]) => void): number {
  if (at >= frame.length) return at + 1;
  const count = frame[at] as number;
  const end = at + 1 + count * octets;
  if (end > frame.length) return end;
  const texts =
    count === 0
      ? NO_TEXTS
      : Array.from({ length: count }, (_, index) => {
          const start = at + 1 + index * octets;
          return readText(frame, start, start + octets);
        });
  onTexts(texts);
  return end;
}

/** Up to the first NUL, without the blanks that some peers fill fields with. */
export function readText(source: Buffer, start: number, limit: number): string {
  let end = start;
  while (end < limit && source[end] !== 0) end += 1;
  return end === start ? '' : source.toString('latin1', start, end).trim();
}

export function writeUint4(target: Buffer, at: number, value: number): void {
  target[at] = value >>> 24;
  target[at + 1] = value >>> 16;
  target[at + 2] = value >>> 8;
  target[at + 3] = value;
}

export function readUint4(source: Buffer, at: number): number {
  return (
    (((source[at] as number) << 24) |
      ((source[at + 1] as number) << 16) |
      ((source[at + 2] as number) << 8) |
      (source[at + 3] as number)) >>>
    0
  );
}
