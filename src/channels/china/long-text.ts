// The header that joins the parts of a long message, at the start of the content and counted in its length. Parts are sent
// with an 8-bit reference; 8 and 16 bits are read.

const HEADER_BYTES = 6;
/** Bit 0 is what the specifications say; 0x40 is the `esm_class` of SMPP that gateways pass through. */
const UDHI_MASK = 0x41;

/** Where an inbound part belongs. */
export interface Segment {
  readonly reference: number;
  readonly part: number;
  readonly parts: number;
}

export interface InboundContent {
  /** The text without its header. */
  readonly octets: Buffer;
  /** Undefined for a message of one part. */
  readonly segment: Segment | undefined;
}

/** Puts the header before the text of a part; `reference` has eight bits. */
export function joinHeader({ reference, part, parts }: Segment, text: Buffer): Buffer {
  const content = Buffer.allocUnsafe(HEADER_BYTES + text.length);
  content[0] = HEADER_BYTES - 1;
  content[1] = 0;
  content[2] = 3;
  content[3] = reference;
  content[4] = parts;
  content[5] = part;
  content.set(text, HEADER_BYTES);
  return content;
}

/** Takes the header off. One that does not parse is text. */
export function splitHeader(udhi: number, content: Buffer): InboundContent {
  const whole: InboundContent = { octets: content, segment: undefined };
  if ((udhi & UDHI_MASK) === 0 || content.length === 0) return whole;
  const headerBytes = (content[0] as number) + 1;
  if (headerBytes === 1 || headerBytes > content.length) return whole;
  const elements = content.subarray(1, headerBytes);
  if (!isWellFormed(elements)) return whole;
  return { octets: content.subarray(headerBytes), segment: findSegment(elements) };
}

/** Each element is a kind, a length and so many octets. */
function isWellFormed(elements: Buffer): boolean {
  let at = 0;
  while (at + 2 <= elements.length) at += 2 + (elements[at + 1] as number);
  return at === elements.length;
}

/** Other elements, such as ports, are skipped. */
function findSegment(elements: Buffer): Segment | undefined {
  let at = 0;
  while (at < elements.length) {
    const kind = elements[at] as number;
    const length = elements[at + 1] as number;
    const value = elements.subarray(at + 2, at + 2 + length);
    if (kind === 0x00 && length === 3) return checkSegment(value[0], value[1], value[2]);
    if (kind === 0x08 && length === 4) {
      // Wide references are kept apart from narrow ones of the same number.
      return checkSegment(0x10000 + value.readUInt16BE(0), value[2], value[3]);
    }
    at += 2 + length;
  }
  return undefined;
}

/** A total of one is a whole message. */
function checkSegment(reference = 0, parts = 0, part = 0): Segment | undefined {
  return parts > 1 && part >= 1 && part <= parts ? { reference, part, parts } : undefined;
}
