// What a Submit of CMPP, SGIP or SMGP carries of a part: its addresses, its text and its validity.
import type { Part } from '../channel.js';
import { createReferenceAllocator } from '../session/concatenation.js';
import { formatValidity } from './beijing-time.js';
import { joinHeader } from './long-text.js';
import { toNational } from './numbers.js';
import { type EncodedText, encodeText, encodeUcs2 } from './text-format.js';

/** What one short message carries over the air, header included. Gateways that take more are not relied on. */
const MAX_CONTENT_BYTES = 140;
const MAX_ADDRESS_LENGTH = 21;

export interface PartContent extends EncodedText {
  /** Whether the content begins with the header that joins parts. */
  readonly hasHeader: boolean;
  readonly source: string;
  readonly destination: string;
  readonly validity: string;
}

export interface PartContentOptions {
  readonly source_prefix: string;
  /** Writes mainland numbers without their country code. */
  readonly national_numbers?: boolean;
}

/** The result that a gateway gives for a part that cannot be put on the wire. */
export interface PartFault {
  readonly fault: string;
}

export function createPartEncoder(
  { source_prefix, national_numbers = false }: PartContentOptions,
  faults: Readonly<Record<'source' | 'destination' | 'tooLong', string>>,
): (part: Part) => PartContent | PartFault {
  const references = createReferenceAllocator();
  return (part) => {
    const source = source_prefix + part.from;
    if (!isAddress(source)) return { fault: faults.source };
    const destination = national_numbers ? toNational(part.to) : part.to;
    if (!isAddress(destination)) return { fault: faults.destination };
    const text = part.encoding === 'ucs2' ? encodeUcs2(part.text) : encodeText(part.text);
    const hasHeader = part.parts > 1;
    const octets = hasHeader ? joinHeader(segmentOf(part), text.octets) : text.octets;
    if (octets.length > MAX_CONTENT_BYTES) return { fault: faults.tooLong };
    const validity = part.validUntil === undefined ? '' : formatValidity(part.validUntil);
    return { format: text.format, octets, hasHeader, source, destination, validity };
  };

  function segmentOf(part: Part) {
    const reference = references.referenceOf(part, () => false).value & 0xff;
    return { reference, part: part.part, parts: part.parts };
  }
}

/** Printable ASCII: gateways take digits, and the field takes no more than this. */
function isAddress(address: string): boolean {
  return address.length <= MAX_ADDRESS_LENGTH && /^[!-~]+$/.test(address);
}
