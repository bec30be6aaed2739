// A part as the Submit that carries it.
import type { Part } from '../channel.js';
import { formatValidity } from '../china/beijing-time.js';
import { toNational } from '../china/numbers.js';
import { encodePartContent } from '../china/part-content.js';
import { createReferenceAllocator } from '../session/concatenation.js';
import type { CmppConfig } from './config.js';
import { type Body, NO_MESSAGE_ID } from './pdu.js';

type Submission =
  | { readonly submission: Body<'submit'> }
  /** The result that a gateway gives for a part that cannot be put on the wire. */
  | { readonly fault: string };

const FAULTS = { tooLong: '6', source: '10', destination: '13' } as const;
const MAX_ADDRESS_LENGTH = 21;
/** The service provider pays the carrier, and the handset nothing. */
const FEE = { userType: 2, type: '01', code: '000000' } as const;

export function createSubmissionBuilder(config: CmppConfig): (part: Part) => Submission {
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
        msg_id: NO_MESSAGE_ID,
        pk_total: part.parts,
        pk_number: part.part,
        registered_delivery: 1,
        msg_level: 1,
        service_id: config.service_id,
        fee_user_type: FEE.userType,
        fee_terminal_id: '',
        fee_terminal_type: 0,
        tp_pid: 0,
        tp_udhi: content.hasHeader ? 1 : 0,
        msg_fmt: content.format,
        msg_src: config.account,
        fee_type: FEE.type,
        fee_code: FEE.code,
        valid_time: part.validUntil === undefined ? '' : formatValidity(part.validUntil),
        at_time: '',
        src_id: source,
        dest_terminal_ids: [destination],
        dest_terminal_type: 0,
        msg_content: content.octets,
        reserve: '',
        link_id: '',
      },
    };
  };
}

/** Printable ASCII: gateways take digits, and the field takes no more than this. */
function isAddress(address: string): boolean {
  return address.length <= MAX_ADDRESS_LENGTH && /^[!-~]+$/.test(address);
}
