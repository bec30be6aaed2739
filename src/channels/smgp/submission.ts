// A part as the Submit that carries it.
import type { Part } from '../channel.js';
import { formatValidity } from '../china/beijing-time.js';
import { toNational } from '../china/numbers.js';
import { encodePartContent } from '../china/part-content.js';
import { createReferenceAllocator } from '../session/concatenation.js';
import type { SmgpConfig } from './config.js';
import type { Body } from './pdu.js';
import { encodeTlvs } from './tlvs.js';

type Submission =
  | { readonly submission: Body<'submit'> }
  /** The status that a gateway gives for a part that cannot be put on the wire. */
  | { readonly fault: string };

const FAULTS = { tooLong: '36', source: '46', destination: '47' } as const;
const MAX_ADDRESS_LENGTH = 21;
const MESSAGE_TO_HANDSET = 6;
const NORMAL_PRIORITY = 1;
/** Nothing is charged to the handset. */
const FEE = { type: '00', code: '000000' } as const;
const NO_TLVS = Buffer.alloc(0);

export function createSubmissionBuilder(config: SmgpConfig): (part: Part) => Submission {
  const references = createReferenceAllocator();
  return (part) => {
    const source = config.source_prefix + part.from;
    if (!isAddress(source)) return { fault: FAULTS.source };
    const destination = config.national_numbers ? toNational(part.to) : part.to;
    if (!isAddress(destination)) return { fault: FAULTS.destination };
    const content = encodePartContent(part, () => references.referenceOf(part, () => false).value);
    if (content === undefined) return { fault: FAULTS.tooLong };
    return {
      submission: {
        msg_type: MESSAGE_TO_HANDSET,
        need_report: 1,
        priority: NORMAL_PRIORITY,
        service_id: config.service_id,
        fee_type: FEE.type,
        fee_code: FEE.code,
        fixed_fee: FEE.code,
        msg_format: content.format,
        valid_time: part.validUntil === undefined ? '' : formatValidity(part.validUntil),
        at_time: '',
        src_term_id: source,
        charge_term_id: '',
        dest_term_ids: [destination],
        msg_content: content.octets,
        reserve: '',
        tlvs: content.hasHeader ? encodeTlvs({ tp_udhi: 1, pk_total: part.parts, pk_number: part.part }) : NO_TLVS,
      },
    };
  };
}

/** Printable ASCII: gateways take digits, and the field takes no more than this. */
function isAddress(address: string): boolean {
  return address.length <= MAX_ADDRESS_LENGTH && /^[!-~]+$/.test(address);
}
