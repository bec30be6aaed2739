// A part as the Submit that carries it.
import type { Part } from '../channel.js';
import { createPartEncoder, type PartFault } from '../china/part-content.js';
import type { CmppConfig } from './config.js';
import { type Body, NO_MESSAGE_ID } from './pdu.js';

type Submission = { readonly submission: Body<'submit'> } | PartFault;

const FAULTS = { tooLong: '6', source: '10', destination: '13' } as const;
/** The service provider pays the carrier, and the handset nothing. */
const FEE = { userType: 2, type: '01', code: '000000' } as const;

export function createSubmissionBuilder(config: CmppConfig): (part: Part) => Submission {
  const encodePart = createPartEncoder(config, FAULTS);
  return (part) => {
    const content = encodePart(part);
    if ('fault' in content) return content;
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
        valid_time: content.validity,
        at_time: '',
        src_id: content.source,
        dest_terminal_ids: [content.destination],
        dest_terminal_type: 0,
        msg_content: content.octets,
        reserve: '',
        link_id: '',
      },
    };
  };
}
