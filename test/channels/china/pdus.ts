// PDUs for tests of the codecs: bodies that fit their fields, and frames of nonsense.
import fc from 'fast-check';
import type { FieldKind } from '../../../src/channels/china/fields.js';
import { createRandom } from '../../../tools/message-centre/fate.js';

type Rows = readonly (readonly [name: string, kind: FieldKind, octets: number, octets3?: number])[];

function text(maxLength: number): fc.Arbitrary<string> {
  const unit = fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code));
  return fc.string({ maxLength, unit }).map((value) => value.trim());
}

function octets(minLength: number, maxLength: number): fc.Arbitrary<Buffer> {
  return fc.uint8Array({ minLength, maxLength }).map((bytes) => Buffer.from(bytes));
}

function arbitraryOf(kind: FieldKind, size: number): fc.Arbitrary<unknown> {
  switch (kind) {
    case 'uint':
      return fc.integer({ min: 0, max: size === 0 ? 0 : 256 ** size - 1 });
    case 'text':
    case 'tail':
      return text(size);
    case 'hex':
      return octets(size, size).map((bytes) => bytes.toString('hex'));
    case 'texts':
      return fc.oneof(fc.array(text(size), { maxLength: 3 }), fc.array(text(size), { minLength: 99, maxLength: 99 }));
    case 'content':
      return octets(0, size === 1 ? 255 : 2_048);
    case 'rest':
      return octets(0, 100);
  }
}

/** Any body that a command can carry. */
export function bodyOf(rows: Rows, column: 2 | 3 = 2): fc.Arbitrary<object> {
  const fields = rows.map((row) => [row[0], arbitraryOf(row[1], row[column] ?? 0)] as const);
  return fc.record(Object.fromEntries(fields), { noNullPrototype: true });
}

/**
 * Frames that a framer can follow: random bodies under real commands, and real PDUs with octets changed, cut short or
 * lengthened. The same seed makes the same frames.
 */
export function createFrameMaker(
  seed: number,
  options: { headerBytes: number; commandIds: readonly number[]; samples: readonly string[] },
): () => Buffer {
  const random = createRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const fillRandomly = (frame: Buffer, start: number) => {
    for (let at = start; at < frame.length; at += 1) frame[at] = below(256);
  };
  const createRandomFrame = () => {
    const frame = Buffer.alloc(options.headerBytes + below(random() < 0.05 ? 4_000 : 300));
    fillRandomly(frame, 4);
    if (random() < 0.95) frame.writeUInt32BE(options.commandIds[below(options.commandIds.length)] ?? 0, 4);
    return frame;
  };
  const createChangedFrame = () => {
    const sample = Buffer.from(options.samples[below(options.samples.length)] ?? '', 'hex');
    const length = random() < 0.5 ? sample.length : options.headerBytes + below(sample.length + 30);
    const frame = Buffer.alloc(length);
    fillRandomly(frame, 4);
    sample.copy(frame);
    for (let changes = below(6); changes > 0; changes -= 1) frame[4 + below(frame.length - 4)] = below(256);
    return frame;
  };
  return () => {
    const frame = random() < 0.5 ? createRandomFrame() : createChangedFrame();
    frame.writeUInt32BE(frame.length, 0);
    return frame;
  };
}

/** Octets that the values of a body refer to or hold, to be compared with the frame they came from. */
export function countOctets(body: object): number {
  return Object.values(body).reduce<number>((sum, value) => {
    if (Buffer.isBuffer(value)) return sum + value.length;
    if (Array.isArray(value)) return sum + value.reduce<number>((inner, each) => inner + String(each).length, 0);
    return sum + (typeof value === 'string' ? value.length / 2 : 0);
  }, 0);
}
