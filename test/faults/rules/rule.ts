import type { SubmitRecord, Task } from '@postrider/client';
import type { Evidence, RunningEvidence } from '../evidence.js';

/** A promise, and how to find the first place where it was broken. */
export interface Rule<ThresholdValue> {
  readonly name: string;
  /** What is wrong, with all that is needed to find it; undefined when nothing is. */
  readonly check: (evidence: ThresholdValue) => string | undefined;
}

/** Holds at every moment, and is looked at while the campaign goes on. */
export type RunningRule = Rule<RunningEvidence>;
/** Holds when everything has come to rest. */
export type FinalRule = Rule<Evidence>;

const FINAL_STAGES = new Set(['completed', 'cancelled', 'failed']);

export function isFinished({ stage }: Pick<Task, 'stage'>): boolean {
  return FINAL_STAGES.has(stage);
}

/** The message centre writes numbers with the country code, the customer without. */
export function nationalOf(to: string): string {
  return to.slice(-11);
}

/** Whether an upstream said no: certain, unlike a part that was given up. */
export function isRefusal({ status, code }: Pick<SubmitRecord, 'status' | 'code'>): boolean {
  return status === 'rejected' && code !== 'not_accepted';
}

/** Decimal text as millionths. */
export function millionths(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.replace('-', '').split('.');
  const value = BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
  return decimal.startsWith('-') ? -value : value;
}

export function countBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

/** The first key that occurs more than once. */
export function findRepeated<T>(items: Iterable<T>, keyOf: (item: T) => string): string | undefined {
  for (const [key, count] of countBy(items, keyOf)) if (count > 1) return `${key}, ${count} times`;
  return undefined;
}
