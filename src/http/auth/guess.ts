// Guards every comparison with a secret that people choose or type.

import { errorText } from '../../domain/fault/error-text.js';
import { FORGOTTEN_AFTER_SECONDS } from '../limits/failure-counts.js';
import type { Problem } from '../problem/problem.js';
import { type Quota, rateLimited } from '../problem/rate-limited.js';
import type { Attempt } from './attempt-guard.js';
import type { AuthParts } from './auth-route.js';

/** Undefined from `check` is a wrong guess and is counted. Throws when there were too many. */
export async function guardGuess<Result>(
  { guard }: Pick<AuthParts, 'guard'>,
  attempt: Attempt,
  check: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const trial = guard.begin(attempt);
  if ('waitMs' in trial) throw tooManyGuesses(trial.waitMs, { name: 'failed sign-ins', count: trial.freeFailures });
  let result: Result | undefined;
  try {
    result = await check();
  } catch (error) {
    trial.withdraw();
    throw error;
  }
  if (result === undefined) trial.fail();
  else trial.succeed();
  return result;
}

/** The quota is of those that cost no pause. */
export function tooManyGuesses(waitMs: number, quota: Pick<Quota, 'name' | 'count'>): Problem {
  const seconds = Math.ceil(waitMs / 1000);
  const detail = errorText('too_many_failed_sign_ins', { seconds });
  return rateLimited(detail, { ...quota, windowSeconds: FORGOTTEN_AFTER_SECONDS }, seconds);
}
