// A part as the Submit that carries it, and an answer as the outcome the port knows.
import type { Part } from '../channel.js';
import type { SubmitAnswer } from '../china/answers.js';
import { formatValidity } from '../china/beijing-time.js';
import { encodePartContent } from '../china/part-content.js';
import { classifyResult } from '../china/result-class.js';
import { createReferenceAllocator } from '../session/concatenation.js';
import type { SgipConfig } from './config.js';
import type { SgipPdu, SgipSubmission } from './protocol.js';
import { nameResult, RESULTS } from './results.js';
import type { SentParts } from './sent-parts.js';

type Submission =
  | { readonly submission: SgipSubmission }
  /** The result that a gateway gives for a part that cannot be put on the wire. */
  | { readonly fault: string };

const FAULTS = { source: '5', destination: '6', tooLong: '8' } as const;
const MAX_ADDRESS_LENGTH = 21;
/** The service provider pays: the text wants a number of zeros, as long as the field. */
const SP_PAYS = '0'.repeat(21);
const FREE = 1;
const NOT_FOR_AN_UPLINK = 2;
/** 0 would report failures only. */
const ALWAYS_REPORT = 1;

export function createSubmissionBuilder(config: SgipConfig): (part: Part) => Submission {
  const references = createReferenceAllocator();
  return (part) => {
    const source = config.source_prefix + part.from;
    if (!isAddress(source)) return { fault: FAULTS.source };
    if (!isAddress(part.to)) return { fault: FAULTS.destination };
    const content = encodePartContent(part, () => references.referenceOf(part, () => false).value);
    if (content === undefined) return { fault: FAULTS.tooLong };
    const body = {
      sp_number: source,
      charge_number: SP_PAYS,
      user_numbers: [part.to],
      corp_id: config.corp_id,
      service_type: config.service_type,
      fee_type: FREE,
      fee_value: '0',
      given_value: '0',
      agent_flag: 0,
      mo_relate_to_mt_flag: NOT_FOR_AN_UPLINK,
      priority: 0,
      expire_time: part.validUntil === undefined ? '' : formatValidity(part.validUntil),
      schedule_time: '',
      report_flag: ALWAYS_REPORT,
      tp_pid: 0,
      tp_udhi: content.hasHeader ? 1 : 0,
      message_coding: content.format,
      message_type: 0,
      message_content: content.octets,
      reserve: '',
    };
    return { submission: { part, body } };
  };
}

/** Printable ASCII: gateways take digits, and the field takes no more than this. */
function isAddress(address: string): boolean {
  return address.length <= MAX_ADDRESS_LENGTH && /^[!-~]+$/.test(address);
}

export function readSubmitAnswer(answer: SgipPdu, sent: SentParts): SubmitAnswer | undefined {
  if (answer.command !== 'submit_resp') return undefined;
  return { messageId: sent.settle(answer.sequence), result: answer.body.result };
}

/** After these the session must end: the gateway does not know it. */
export function findSessionFault(answer: SgipPdu): string | undefined {
  if (answer.command !== 'submit_resp') return undefined;
  const { result } = answer.body;
  return classifyResult(RESULTS, result) === 'session' ? `a Submit was answered with ${nameResult(result)}` : undefined;
}
