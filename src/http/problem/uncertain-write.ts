// A write whose outcome is unknown: its commit may have succeeded and only the answer was lost. The response says so, and how to
// check.

import type { ErrorText } from '../../domain/fault/error-text.js';
import { isOutcomeUnknown, isTransient } from '../../store/retry.js';
import { Problem } from './problem.js';

/** `cause` is for the log, `advice` for the caller. */
export class FailedWrite extends Error {
  override readonly name = 'FailedWrite';
  readonly advice: ErrorText;

  constructor(cause: unknown, advice: ErrorText) {
    super('a write failed', { cause });
    this.advice = advice;
  }
}

/**
 * The response to a write whose outcome is unknown. Undefined when the write certainly had no effect: the database was not
 * reached or rejected the statement. Any other error may have happened after the commit.
 */
export function describeUncertainty({ cause, advice }: FailedWrite): Problem | undefined {
  if (isTransient(cause) && !isOutcomeUnknown(cause)) return undefined;
  return new Problem('unavailable', advice, {
    headers: { 'retry-after': '1' },
    extra: { outcome: 'unknown' },
  });
}
