// The user data header that joins the parts of a long message, with a reference of 8 or 16 bits.

/** Where a part belongs. */
export interface Segment {
  readonly reference: number;
  readonly part: number;
  readonly parts: number;
}

const REFERENCE_8 = 0x00;
const REFERENCE_16 = 0x08;

export function createHeader({ reference, part, parts }: Segment, isWide = false): Buffer {
  const low = reference & 0xff;
  return isWide
    ? Buffer.of(6, REFERENCE_16, 4, (reference >> 8) & 0xff, low, parts, part)
    : Buffer.of(5, REFERENCE_8, 3, low, parts, part);
}

/** Each element is a kind, a length and so many octets. Others, such as ports, are skipped. */
export function readSegment(elements: Buffer): Segment | undefined {
  let at = 0;
  while (at + 2 <= elements.length) {
    const kind = elements[at] as number;
    const length = elements[at + 1] as number;
    const value = elements.subarray(at + 2, at + 2 + length);
    if (value.length < length) return undefined;
    if (kind === REFERENCE_8 && length === 3) return checkSegment(value[0], value[1], value[2]);
    // Distinct from an 8-bit reference of the same value.
    if (kind === REFERENCE_16 && length === 4) {
      return checkSegment(0x10000 + value.readUInt16BE(0), value[2], value[3]);
    }
    at += 2 + length;
  }
  return undefined;
}

/** A total of one is a whole message. */
export function checkSegment(reference = 0, parts = 0, part = 0): Segment | undefined {
  return parts > 1 && part >= 1 && part <= parts ? { reference, part, parts } : undefined;
}
