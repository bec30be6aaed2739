// A part as the Submit that carries it, and an answer as the outcome the port knows.
import type { Part } from '../channel.js';
import type { SubmitAnswer } from '../china/answers.js';
import { createPartEncoder, type PartFault } from '../china/part-content.js';
import { classifyResult } from '../china/result-class.js';
import type { SgipConfig } from './config.js';
import type { SgipPdu, SgipSubmission } from './protocol.js';
import { nameResult, RESULTS } from './results.js';
import type { SentParts } from './sent-parts.js';

type Submission = { readonly submission: SgipSubmission } | PartFault;

const FAULTS = { source: '5', destination: '6', tooLong: '8' } as const;
/** The service provider pays: the text wants a number of zeros, as long as the field. */
const SP_PAYS = '0'.repeat(21);
const FREE = 1;
const NOT_FOR_AN_UPLINK = 2;
/** 0 would report failures only. */
const ALWAYS_REPORT = 1;

export function createSubmissionBuilder(config: SgipConfig): (part: Part) => Submission {
  const encodePart = createPartEncoder(config, FAULTS);
  return (part) => {
    const content = encodePart(part);
    if ('fault' in content) return content;
    const body = {
      sp_number: content.source,
      charge_number: SP_PAYS,
      user_numbers: [content.destination],
      corp_id: config.corp_id,
      service_type: config.service_type,
      fee_type: FREE,
      fee_value: '0',
      given_value: '0',
      agent_flag: 0,
      mo_relate_to_mt_flag: NOT_FOR_AN_UPLINK,
      priority: 0,
      expire_time: content.validity,
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
