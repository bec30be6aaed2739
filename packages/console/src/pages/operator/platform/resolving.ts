// Deciding on many unknown numbers: what they are together, and one call for each task.

import type { OperatorClient, UnknownPart } from '@postrider/client';
import { toDecimal, toMillionths } from '../../../format/money.js';
import { type Failed, runEach } from '../../task/run-each.js';

export type Outcome = 'accepted' | 'not_accepted';

export interface Decision {
  readonly outcome: Outcome;
  readonly remark: string;
}

export interface UnknownSum {
  readonly tasks: number;
  /** A number of several segments counts once, and so does its price. */
  readonly numbers: number;
  readonly segments: number;
  readonly amounts: readonly { readonly currency: string; readonly amount: string }[];
}

export function sumUnknown(parts: readonly UnknownPart[]): UnknownSum {
  const numbers = new Map(parts.map((part) => [`${part.task_no} ${part.seq}`, part]));
  const amounts = new Map<string, bigint>();
  for (const { price, currency } of numbers.values()) {
    if (price !== null && currency !== null) {
      amounts.set(currency, (amounts.get(currency) ?? 0n) + toMillionths(price));
    }
  }
  return {
    tasks: new Set(parts.map((part) => part.task_no)).size,
    numbers: numbers.size,
    segments: parts.length,
    amounts: [...amounts].map(([currency, amount]) => ({ currency, amount: toDecimal(amount) })),
  };
}

/**
 * One call for each task, which is decided for good: the others stand where one fails. Numbers that were resolved meanwhile stay as
 * they were. Answers the tasks that failed.
 */
export function resolveParts(
  operator: OperatorClient,
  parts: readonly UnknownPart[],
  { outcome, remark }: Decision,
  onTask: (done: number) => void,
): Promise<readonly Failed<string>[]> {
  const seqs = new Map<string, Set<number>>();
  for (const { task_no: taskNo, seq } of parts) seqs.set(taskNo, (seqs.get(taskNo) ?? new Set()).add(seq));
  const said = remark.trim() === '' ? {} : { remark: remark.trim() };
  const resolve = (taskNo: string) =>
    operator.resolveTask(taskNo, { outcome, seqs: [...(seqs.get(taskNo) ?? [])], ...said });
  return runEach([...seqs.keys()], resolve, onTask);
}
