// A part as the Submit that carries it.
import type { Part } from '../channel.js';
import { createPartEncoder, type PartFault } from '../china/part-content.js';
import type { SmgpConfig } from './config.js';
import type { Body } from './pdu.js';
import { encodeTlvs } from './tlvs.js';

type Submission = { readonly submission: Body<'submit'> } | PartFault;

const FAULTS = { tooLong: '36', source: '46', destination: '47' } as const;
const MESSAGE_TO_HANDSET = 6;
const NORMAL_PRIORITY = 1;
/** Nothing is charged to the handset. */
const FEE = { type: '00', code: '000000' } as const;
const NO_TLVS = Buffer.alloc(0);

export function createSubmissionBuilder(config: SmgpConfig): (part: Part) => Submission {
  const encodePart = createPartEncoder(config, FAULTS);
  return (part) => {
    const content = encodePart(part);
    if ('fault' in content) return content;
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
        valid_time: content.validity,
        at_time: '',
        src_term_id: content.source,
        charge_term_id: '',
        dest_term_ids: [content.destination],
        msg_content: content.octets,
        reserve: '',
        tlvs: content.hasHeader ? encodeTlvs({ tp_udhi: 1, pk_total: part.parts, pk_number: part.part }) : NO_TLVS,
      },
    };
  };
}
