// The body of a CMPP delivery report, which a Deliver carries as its content: 60 octets in 2.0, 71 in 3.0. Gateways send
// either in either version, and shorter ones. So the first 35 octets are read by their offset, and the number after them
// up to the first NUL.
import { parseReportTime } from '../china/beijing-time.js';
import { type Field, readText, writeFields } from '../china/fields.js';
import { normaliseHandset } from '../china/numbers.js';
import type { CmppVersion } from './pdu.js';

export interface CmppReport {
  /** The id of the Submit_Resp; empty when the body is too short to hold one. */
  readonly messageId: string;
  readonly stat: string;
  readonly submittedAt: Date | undefined;
  readonly doneAt: Date | undefined;
  /** E.164 without the plus sign. */
  readonly phone: string | undefined;
}

const STAT_AT = 8;
const SUBMIT_TIME_AT = 15;
const DONE_TIME_AT = 25;
const PHONE_AT = 35;
const MAX_PHONE_OCTETS = 32;

export function parseReport(body: Buffer): CmppReport {
  const text = (start: number, end: number) => readText(body, Math.min(start, body.length), Math.min(end, body.length));
  return {
    messageId: body.length < STAT_AT ? '' : body.toString('hex', 0, STAT_AT),
    stat: text(STAT_AT, SUBMIT_TIME_AT),
    submittedAt: parseReportTime(text(SUBMIT_TIME_AT, DONE_TIME_AT)),
    doneAt: parseReportTime(text(DONE_TIME_AT, PHONE_AT)),
    phone: normaliseHandset(text(PHONE_AT, PHONE_AT + MAX_PHONE_OCTETS)),
  };
}

export interface ReportFields {
  readonly msg_id: string;
  readonly stat: string;
  readonly submit_time: string;
  readonly done_time: string;
  readonly dest_terminal_id: string;
  readonly smsc_sequence: number;
}

const fieldsOf = (phoneOctets: number): readonly Field[] => [
  { name: 'msg_id', kind: 'hex', octets: 8 },
  { name: 'stat', kind: 'text', octets: 7 },
  { name: 'submit_time', kind: 'text', octets: 10 },
  { name: 'done_time', kind: 'text', octets: 10 },
  { name: 'dest_terminal_id', kind: 'text', octets: phoneOctets },
  { name: 'smsc_sequence', kind: 'uint', octets: 4 },
];
const FIELDS: Readonly<Record<CmppVersion, readonly Field[]>> = { '2.0': fieldsOf(21), '3.0': fieldsOf(32) };
const BODY_BYTES: Readonly<Record<CmppVersion, number>> = { '2.0': 60, '3.0': 71 };

export function createReport(version: CmppVersion, report: ReportFields): Buffer {
  const body = Buffer.allocUnsafe(BODY_BYTES[version]);
  writeFields(body, 0, FIELDS[version], { ...report });
  return body;
}
