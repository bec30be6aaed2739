// Parses SMPP delivery receipts, which become reports. Optional parameters take precedence over the labels in the text, which may come
// in any order and may be missing. A receipt is never dropped: an unreadable one is reported as intermediate.

import { cleanWord } from '../../domain/text.js';
import type { ReportStatus } from '../channel.js';
import type { Tlvs } from './pdu.js';

export interface Receipt {
  /** As the carrier wrote it; empty if it sent none. */
  readonly messageId: string;
  readonly status: ReportStatus;
  readonly code: string;
  readonly doneAt: Date | undefined;
}

/** Longer than any value in a receipt. */
const MAX_VALUE_LENGTH = 254;
const MESSAGE_TYPE_MASK = 0x3c;
const TYPE_RECEIPT = 0x04;
const TYPE_INTERMEDIATE = 0x20;

/** By the number of the message state. SCHEDULED and SKIPPED are from SMPP 5, and occur in 3.4 sessions. */
const STATES: readonly (readonly [word: string, status: ReportStatus])[] = [
  ['SCHEDULED', 'intermediate'],
  ['ENROUTE', 'intermediate'],
  ['DELIVRD', 'delivered'],
  ['EXPIRED', 'expired'],
  ['DELETED', 'undelivered'],
  ['UNDELIV', 'undelivered'],
  ['ACCEPTD', 'intermediate'],
  ['UNKNOWN', 'undelivered'],
  ['REJECTD', 'rejected'],
  ['SKIPPED', 'undelivered'],
];

/** By prefix, because carriers shorten and lengthen the words. The first match counts. */
const WORDS: readonly (readonly [prefix: string, status: ReportStatus])[] = [
  ['DELIV', 'delivered'],
  ['DLVRD', 'delivered'],
  ['SUCCESS', 'delivered'],
  ['EXPIR', 'expired'],
  ['REJ', 'rejected'],
  ['UNDEL', 'undelivered'],
  ['DELET', 'undelivered'],
  ['FAIL', 'undelivered'],
  ['UNKN', 'undelivered'],
  ['SKIP', 'undelivered'],
  ['NO_ROUTE', 'undelivered'],
];

/** Whether the carrier marks receipts, or they are recognised by their text. */
export type ReceiptRecognition = 'marked' | 'by_text';

/**
 * Marks are the message type and certain parameters, which only the carrier sets. A handset can send any text, so receipts are
 * recognised by their text only on channels that are configured for it.
 */
export function isReceipt(esmClass: number, tlvs: Tlvs, text: string, recognition: ReceiptRecognition): boolean {
  if (tlvs.message_state !== undefined) return true;
  const type = esmClass & MESSAGE_TYPE_MASK;
  if (type === TYPE_RECEIPT || type === TYPE_INTERMEDIATE) return true;
  if (tlvs.receipted_message_id !== undefined) {
    // An id alone may also name the message that a handset replies to: a text without a status is such a reply.
    return text === '' || findLabel(text, 'stat(?:us)?') !== undefined;
  }
  return recognition === 'by_text' && looksLikeReceipt(text);
}

function looksLikeReceipt(text: string): boolean {
  return (
    /\bid:\s*\S/i.test(text) && /\bstat:\s*\S/i.test(text) && /\b(?:sub|dlvrd|submit ?date|done ?date|err):/i.test(text)
  );
}

export function parseReceipt(esmClass: number, tlvs: Tlvs, text: string, utcOffsetMinutes: number): Receipt {
  const word = (findLabel(text, 'stat(?:us)?') ?? '').toUpperCase();
  const state = tlvs.message_state === undefined ? undefined : STATES[tlvs.message_state];
  const status = state?.[1] ?? readWord(word);
  const messageId = tlvs.receipted_message_id || (findLabel(text, 'id') ?? '');
  const doneAt = parseCarrierTime(findLabel(text, 'done ?date') ?? '', utcOffsetMinutes);
  const isNotification = (esmClass & MESSAGE_TYPE_MASK) === TYPE_INTERMEDIATE;
  return {
    messageId,
    // The message type says that the carrier is still trying, so a failure is not final.
    status: isNotification && status !== 'delivered' ? 'intermediate' : status,
    code: nameCode(word || (state?.[0] ?? 'UNKNOWN'), readError(tlvs, text)),
    doneAt,
  };
}

function readWord(word: string): ReportStatus {
  return WORDS.find(([prefix]) => word.startsWith(prefix))?.[1] ?? 'intermediate';
}

function nameCode(word: string, error: string | undefined): string {
  return error === undefined || /^0*$/.test(error) ? word : `${word}:${error}`;
}

function readError(tlvs: Tlvs, text: string): string | undefined {
  const octets = tlvs.network_error_code;
  if (octets !== undefined && octets.length === 3) return String(((octets[1] as number) << 8) | (octets[2] as number));
  return findLabel(text, 'err');
}

/** The text of the message usually comes last and may contain labels: labels before it take precedence. */
function findLabel(text: string, label: string): string | undefined {
  const start = text.search(/\btext:/i);
  const pattern = labelPattern(label);
  const value = (start < 0 ? undefined : pattern.exec(text.slice(0, start))?.[1]) ?? pattern.exec(text)?.[1];
  // cleanWord removes a NUL, with which some carriers terminate values.
  return value === undefined ? undefined : cleanWord(value, MAX_VALUE_LENGTH) || undefined;
}

const patterns = new Map<string, RegExp>();

function labelPattern(label: string): RegExp {
  let pattern = patterns.get(label);
  if (pattern === undefined) {
    // The lookahead skips an empty value, which is followed by the next label.
    pattern = new RegExp(`(?:^|[^a-z])${label}:[ \\t]*(?![a-z]+(?: date)?:)([^\\s,;]+)`, 'i');
    patterns.set(label, pattern);
  }
  return pattern;
}

/** YYMMDDhhmm, YYMMDDhhmmss or YYYYMMDDhhmmss; undefined if invalid. */
function parseCarrierTime(digits: string, utcOffsetMinutes: number): Date | undefined {
  const { length } = digits;
  if ((length !== 10 && length !== 12 && length !== 14) || !/^\d+$/.test(digits)) return undefined;
  const start = length === 14 ? 4 : 2;
  const two = (index: number) => Number(digits.slice(start + index * 2, start + index * 2 + 2));
  const year = length === 14 ? Number(digits.slice(0, 4)) : 2000 + Number(digits.slice(0, 2));
  const [month, day, hour, minute, second] = [two(0), two(1), two(2), two(3), two(4)];
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 59) return undefined;
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second) - utcOffsetMinutes * 60_000);
}
