// What the codes of receipts mean, in words. Codes of our own are fixed; an upstream's are its own and are shown as they
// came, with a sentence for the result they led to.

import type { ReceiptResult } from '../task/stages.js';

/** Why a number got its receipt without, or in spite of, what an upstream said. */
export const RECEIPT_CODES = {
  invalid_number: 'The phone is not a valid number.',
  duplicate_number: 'The same number comes earlier in the task.',
  no_route: 'No channel that the customer may use serves this number.',
  opted_out: 'The recipient has opted out of messages of this customer.',
  text_too_long: 'The text takes more than 255 parts, the most that can be joined on a handset.',
  not_accepted: 'The upstream did not confirm in time that it accepted the message.',
  no_receipt: 'The upstream accepted the message and did not report its outcome in time.',
  no_channel: 'The channel of the message was gone, and did not come back in time.',
  cancelled: 'The task was cancelled before the message was handed over.',
  expired_unsent: 'The message could not be handed over before its time was up.',
} as const;

export type ReceiptCode = keyof typeof RECEIPT_CODES;

const RESULT_DESCRIPTIONS: Record<ReceiptResult, string> = {
  delivered: 'The message was delivered to the handset.',
  undelivered: 'The upstream reported that the message could not be delivered.',
  expired: 'The upstream gave up before the message could be delivered.',
  rejected: 'The upstream refused the message.',
};

export function describeReceipt(result: ReceiptResult, code: string | null): string {
  return code !== null && isReceiptCode(code) ? RECEIPT_CODES[code] : RESULT_DESCRIPTIONS[result];
}

function isReceiptCode(code: string): code is ReceiptCode {
  return Object.hasOwn(RECEIPT_CODES, code);
}
