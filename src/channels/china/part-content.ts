// A part's text as the content of a Submit of CMPP, SGIP or SMGP.
import type { Part } from '../channel.js';
import { joinHeader } from './long-text.js';
import { type EncodedText, encodeText, encodeUcs2 } from './text-format.js';

/** What one short message carries over the air, header included. Gateways that take more are not relied on. */
const MAX_CONTENT_BYTES = 140;

export interface PartContent extends EncodedText {
  /** Whether the content begins with the header that joins parts. */
  readonly hasHeader: boolean;
}

/** Undefined when a part cannot carry it. `reference` is asked for only where there is more than one part. */
export function encodePartContent(part: Part, reference: () => number): PartContent | undefined {
  const text = part.encoding === 'ucs2' ? encodeUcs2(part.text) : encodeText(part.text);
  const hasHeader = part.parts > 1;
  const octets = hasHeader
    ? joinHeader({ reference: reference() & 0xff, part: part.part, parts: part.parts }, text.octets)
    : text.octets;
  return octets.length > MAX_CONTENT_BYTES ? undefined : { format: text.format, octets, hasHeader };
}
