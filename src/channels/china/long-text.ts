// The header that joins the parts of a long message, at the start of the content and counted in its length. Parts are sent
// with an 8-bit reference; 8 and 16 bits are read.
import { createHeader, readSegment, type Segment } from '../session/user-data-header.js';

/** Bit 0 is what the specifications say; 0x40 is the `esm_class` of SMPP that gateways pass through. */
const UDHI_MASK = 0x41;

export interface InboundContent {
  /** The text without its header. */
  readonly octets: Buffer;
  /** Undefined for a message of one part. */
  readonly segment: Segment | undefined;
}

/** Puts the header before the text of a part; `reference` has eight bits. */
export function joinHeader(segment: Segment, text: Buffer): Buffer {
  return Buffer.concat([createHeader(segment), text]);
}

/** Takes the header off. One that does not parse is text. */
export function splitHeader(udhi: number, content: Buffer): InboundContent {
  const whole: InboundContent = { octets: content, segment: undefined };
  if ((udhi & UDHI_MASK) === 0 || content.length === 0) return whole;
  const headerBytes = (content[0] as number) + 1;
  if (headerBytes === 1 || headerBytes > content.length) return whole;
  const elements = content.subarray(1, headerBytes);
  if (!isWellFormed(elements)) return whole;
  return { octets: content.subarray(headerBytes), segment: readSegment(elements) };
}

/** Each element is a kind, a length and so many octets. */
function isWellFormed(elements: Buffer): boolean {
  let at = 0;
  while (at + 2 <= elements.length) at += 2 + (elements[at + 1] as number);
  return at === elements.length;
}
