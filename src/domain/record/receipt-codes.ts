// What the codes of receipts mean, in words. Codes of our own are fixed; an upstream's are its own and are shown as they
// came, with a sentence for the result they led to.

import type { Receipt, ReceiptResult } from './records.js';

/** Why a number got its receipt without, or in spite of, what an upstream said. */
export const RECEIPT_CODES = {
  invalid_number: 'The phone is not a valid number.',
  duplicate_number: 'The number appears earlier in the task.',
  no_route: "None of the customer's channels reaches this number.",
  opted_out: 'The recipient opted out.',
  blocked_content: 'The text contains something that the operator does not allow.',
  text_too_long: 'The text needs more than 255 segments.',
  not_accepted: 'The carrier did not confirm in time that it accepted the message.',
  no_receipt: 'The carrier accepted the message but did not report the result in time.',
  no_channel: 'The channel was down and did not come back in time.',
  cancelled: 'The task was cancelled before the message was sent.',
  frequency_capped: 'The number has received as many messages as it may for now.',
  outside_window: 'Messages of this class are not sent at this time.',
  expired_unsent: 'The message could not be sent before its deadline.',
} as const;

export type ReceiptCode = keyof typeof RECEIPT_CODES;

/** Of numbers that were not sent because their task was cancelled or its time was up. */
export const CANCELLED_CODES: readonly string[] = ['cancelled', 'expired_unsent'] satisfies ReceiptCode[];

/** Only where nothing was handed over: a carrier may use the same words. */
export function isCancelled({ result, code, submittedAt }: Pick<Receipt, 'result' | 'code' | 'submittedAt'>): boolean {
  return result === 'rejected' && submittedAt === null && code !== null && CANCELLED_CODES.includes(code);
}

const RESULT_DESCRIPTIONS: Record<ReceiptResult, string> = {
  delivered: 'Delivered to the handset.',
  undelivered: 'The carrier reported that the message could not be delivered.',
  expired: 'The carrier gave up before delivery.',
  rejected: 'The carrier rejected the message.',
};

export function describeReceipt(result: ReceiptResult, code: string | null): string {
  return code !== null && isReceiptCode(code) ? RECEIPT_CODES[code] : RESULT_DESCRIPTIONS[result];
}

function isReceiptCode(code: string): code is ReceiptCode {
  return Object.hasOwn(RECEIPT_CODES, code);
}
