// Guards every comparison with a secret that people choose or type.

import { errorText } from '../../domain/fault/error-text.js';
import { Problem } from '../problem/problem.js';
import type { Attempt } from './attempt-guard.js';
import type { AuthParts } from './auth-route.js';

/** Undefined from `check` is a wrong guess and is counted. Throws when there were too many. */
export async function guardGuess<Result>(
  { guard }: Pick<AuthParts, 'guard'>,
  attempt: Attempt,
  check: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const trial = guard.begin(attempt);
  if ('waitMs' in trial) throw tooManyGuesses(trial.waitMs);
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

export function tooManyGuesses(waitMs: number): Problem {
  const seconds = Math.ceil(waitMs / 1000);
  return new Problem('rate_limited', errorText('too_many_failed_sign_ins', { seconds }), {
    headers: { 'retry-after': String(seconds) },
  });
}
