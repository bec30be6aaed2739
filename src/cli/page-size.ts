import type { Invocation } from './command.js';

/** Asks for no more than will be shown. */
export function readPageSize(invocation: Invocation): number {
  const isAll = invocation.flag('all') || invocation.text('output') !== undefined;
  const limit = isAll ? 100 : (invocation.wholeNumber('limit') ?? 20);
  return Math.max(1, Math.min(100, limit));
}
