// Second factors of a user. The statement that checks a code uses it up: of two concurrent ones, one wins.

import type { User } from '../../domain/entities/user.js';
import type { AnySql, Sql } from '../sql.js';

type UserKey = Pick<User, 'user_id'>;

export interface SecondFactors {
  readonly totp_sealed: Buffer | null;
  readonly totp_confirmed_at: Date | null;
  readonly totp_last_step: number;
  readonly recovery_codes_left: number;
}

const NO_FACTORS: SecondFactors = {
  totp_sealed: null,
  totp_confirmed_at: null,
  totp_last_step: 0,
  recovery_codes_left: 0,
};

export async function readSecondFactors(sql: AnySql, { user_id }: UserKey): Promise<SecondFactors> {
  const [row] = await sql<SecondFactors[]>`
    select totp_sealed, totp_confirmed_at, totp_last_step::float8 as totp_last_step,
      cardinality(recovery_hashes) as recovery_codes_left
    from console_user where user_id = ${user_id}`;
  return row ?? NO_FACTORS;
}

export async function readPasswordHash(sql: Sql, { user_id }: UserKey): Promise<string | null> {
  const [row] = await sql<{ password_hash: string | null }[]>`
    select password_hash from console_user where user_id = ${user_id}`;
  return row?.password_hash ?? null;
}

/** Replaces an enrolment that was not confirmed. False when one was. */
export async function storeTotp(sql: Sql, { user_id }: UserKey, sealed: Buffer): Promise<boolean> {
  const stored = await sql`
    update console_user set totp_sealed = ${sealed}, totp_last_step = 0
    where user_id = ${user_id} and totp_confirmed_at is null returning user_id`;
  return stored.length > 0;
}

/** False when it was confirmed or replaced in the meantime. */
export async function confirmTotp(
  tx: AnySql,
  { user_id }: UserKey,
  sealed: Buffer,
  step: number,
  recoveryHashes: readonly string[],
): Promise<boolean> {
  const confirmed = await tx`
    update console_user
    set totp_confirmed_at = now(), totp_last_step = ${step}, second_factor_tries = 0, recovery_hashes = ${[...recoveryHashes]}, updated_at = now()
    where user_id = ${user_id} and totp_confirmed_at is null and totp_sealed = ${sealed} returning user_id`;
  return confirmed.length > 0;
}

/** Wrong codes that cost no pause. */
export const FREE_TRIES = 10;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 15 * 60_000;

/**
 * Counts a code that is about to be compared; a right one clears the count where it is used up. Zero, or how long no further one
 * counts. The row lock puts those that come at once in a row.
 */
export async function countSecondFactorTry(sql: Sql, { user_id }: UserKey): Promise<number> {
  const tries = sql`second_factor_tries`;
  const pause = sql`
    least(${LONGEST_PAUSE_MS}, ${FIRST_PAUSE_MS} * power(2, least(${tries} - ${FREE_TRIES}, 20))) * interval '1 millisecond'`;
  const waited = sql`(now() - second_factor_tried_at)`;
  // The first within an hour counts as one. A cluster takes no clock within `case` here, and adds no interval to a column.
  const counted = await sql`
    update console_user
    set second_factor_tries = 1 + ${tries} * (second_factor_tried_at > now() - interval '1 hour' is true)::int,
      second_factor_tried_at = now()
    where user_id = ${user_id} and (${tries} < ${FREE_TRIES} or ${waited} >= ${pause}) returning user_id`;
  if (counted.length > 0) return 0;
  const [row] = await sql<{ waitMs: number }[]>`
    select greatest(1, extract(epoch from ${pause} - ${waited}) * 1000)::float8 as "waitMs"
    from console_user where user_id = ${user_id}`;
  return row?.waitMs ?? 1;
}

/** False when this step, or a later one, was used in the meantime. */
export async function useTotpStep(tx: AnySql, { user_id }: UserKey, step: number): Promise<boolean> {
  const used = await tx`
    update console_user set totp_last_step = ${step}, second_factor_tries = 0
    where user_id = ${user_id} and totp_confirmed_at is not null and totp_last_step < ${step} returning user_id`;
  return used.length > 0;
}

/** False when the user has no such code, or no longer. */
export async function useRecoveryCode(tx: AnySql, { user_id }: UserKey, hash: string): Promise<boolean> {
  const used = await tx`
    update console_user set recovery_hashes = array_remove(recovery_hashes, ${hash}), second_factor_tries = 0
    where user_id = ${user_id} and ${hash} = any(recovery_hashes) returning user_id`;
  return used.length > 0;
}

/** False when there was none. */
export async function removeTotp(tx: AnySql, { user_id }: UserKey): Promise<boolean> {
  const removed = await tx`
    update console_user
    set totp_sealed = null, totp_confirmed_at = null, totp_last_step = 0, recovery_hashes = '{}', updated_at = now()
    where user_id = ${user_id} and totp_sealed is not null returning user_id`;
  return removed.length > 0;
}
