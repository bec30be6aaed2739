import type { Invocation } from './command.js';

/** Asks for no more than will be shown. */
export function readPageSize(invocation: Invocation): number {
  const limit = invocation.flag('all') ? 100 : (invocation.wholeNumber('limit') ?? 20);
  return Math.max(1, Math.min(100, limit));
}
