// A write that failed in a way that leaves open whether it took effect: its commit may have been carried out and only the
// answer lost. Whoever asked must be told so, and how to find out.

import type { ErrorText } from '../domain/request/error-text.js';
import { isOutcomeUnknown, isTransient } from '../store/retry.js';
import { Problem } from './problem.js';

/** Carries the fault itself, for the log, and the way to find out, for the caller. */
export class FailedWrite extends Error {
  override readonly name = 'FailedWrite';
  readonly findOut: ErrorText;

  constructor(cause: unknown, findOut: ErrorText) {
    super('a write failed', { cause });
    this.findOut = findOut;
  }
}

/**
 * The answer to a write whose outcome is not known; undefined when it is known that nothing was done, because the database
 * was never reached or refused the statement itself. A fault of ours may have happened after the commit.
 */
export function describeUncertainty({ cause, findOut }: FailedWrite): Problem | undefined {
  if (isTransient(cause) && !isOutcomeUnknown(cause)) return undefined;
  return new Problem('unavailable', findOut, {
    headers: { 'retry-after': '1' },
    extra: { outcome: 'unknown' },
  });
}
