import type { Receipt, ReceiptResult } from '@postrider/client';

/** Of ours, where nothing was handed over: a carrier may use the same words. */
const CANCELLED_CODES: readonly (string | null)[] = ['cancelled', 'expired_unsent'];

/** What a receipt says to people: what was not sent because its task ended is not rejected. */
export function outcomeOfReceipt({
  result,
  code,
  submitted_at: submittedAt,
}: Pick<Receipt, 'result' | 'code' | 'submitted_at'>): ReceiptResult | 'cancelled' {
  return result === 'rejected' && submittedAt === null && CANCELLED_CODES.includes(code) ? 'cancelled' : result;
}

/** As people filter receipts: `rejected` without what was cancelled. */
export const SHOWN_RESULTS = ['delivered', 'undelivered', 'expired', 'rejected', 'cancelled'] as const;

/** The same as filters of the API, which counts what was cancelled among the rejected. */
export function filterByResult(shown: string | undefined): { result?: ReceiptResult; cancelled?: 'true' | 'false' } {
  if (shown === undefined) return {};
  if (shown === 'cancelled') return { result: 'rejected', cancelled: 'true' };
  if (shown === 'rejected') return { result: 'rejected', cancelled: 'false' };
  return { result: shown as ReceiptResult };
}
