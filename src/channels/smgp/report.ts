// The body of an SMGP delivery report, which a Deliver carries as its content: text but for the id, which is ten raw octets
// that may hold blanks, NULs and colons. Gateways differ in blanks, underscores and case, and some have an `s` where a
// blank belongs. So the id is cut out by its place, and each label is searched for on its own.
import { parseReportTime } from '../china/beijing-time.js';

export interface SmgpReport {
  /** The id of the Submit_Resp; empty when the body is too short to hold one. */
  readonly messageId: string;
  readonly stat: string;
  readonly error: string;
  readonly doneAt: Date | undefined;
}

const ID_AT = 3;
const LABELS_AT = 13;
/** No blank need end a word: it ends where its field does. */
const LABELS = {
  doneDate: /done[ _]?date:\s*(\d{10})/i,
  stat: /stat:\s*([^\s\0]{1,7})/i,
  error: /err:\s*(\w{1,3})/i,
} as const;
/** The message's own text comes last, and may look like labels. */
const TEXT = /(?:text|txt):/i;

export function parseReport(body: Buffer): SmgpReport {
  const labels = body.subarray(LABELS_AT).toString('latin1').split(TEXT, 1)[0] ?? '';
  const find = (label: RegExp) => label.exec(labels)?.[1] ?? '';
  return {
    messageId: body.length < LABELS_AT ? '' : body.toString('hex', ID_AT, LABELS_AT),
    stat: find(LABELS.stat),
    error: find(LABELS.error),
    doneAt: parseReportTime(find(LABELS.doneDate)),
  };
}

/** `UNDELIV:006`; an error of zeros adds nothing. */
export function nameReportCode({ stat, error }: SmgpReport): string {
  const word = stat.toUpperCase() || 'UNKNOWN';
  return /^0*$/.test(error) ? word : `${word}:${error}`;
}

export interface ReportFields {
  readonly messageId: string;
  /** YYMMDDHHMM. */
  readonly submitTime: string;
  readonly doneTime: string;
  readonly stat: string;
  /** Three digits. */
  readonly error: string;
}

/** 122 octets; the text is left empty. */
export function createReport({ messageId, submitTime, doneTime, stat, error }: ReportFields): Buffer {
  const delivered = stat === 'DELIVRD' ? '001' : '000';
  const labels = ` sub:001 dlvrd:${delivered} submit date:${submitTime} done date:${doneTime} stat:${stat} err:${error} text:`;
  return Buffer.concat([
    Buffer.from('id:', 'latin1'),
    Buffer.from(messageId, 'hex'),
    Buffer.from(labels, 'latin1'),
    Buffer.alloc(20),
  ]);
}
