// What an onboarding with a reference made, so that a repeat finds it.

import { toPlain } from '../../domain/plain.js';
import type { AnySql, JSONValue } from '../sql.js';

/** The numbers of all that was made; null for what was not asked for. */
export interface Onboarded {
  readonly customer_no: string;
  readonly service_account_no: string | null;
  readonly template_no: string | null;
  readonly user_no: string | null;
  readonly api_key: string | null;
  readonly is_topped_up: boolean;
}

export async function readOnboarding(tx: AnySql, reference: string): Promise<Onboarded | undefined> {
  const [row] = await tx<{ made: Onboarded }[]>`select made from onboarding where reference = ${reference}`;
  return row?.made;
}

/** Under the lock of the configuration, so that one of two with the same reference finds the other. */
export async function recordOnboarding(tx: AnySql, reference: string, made: Onboarded): Promise<void> {
  await tx`insert into onboarding (reference, made) values (${reference}, ${tx.json(toPlain(made) as JSONValue)})`;
}
