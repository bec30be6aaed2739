// How often a number may be sent to within a time: caps of a customer, by class, over one template or all of them. A number counts
// from the moment its task is prepared, for as long as it is not rejected.

import { parseDuration } from '../duration.js';
import type { MessageClass } from './message-class.js';

export interface Cap {
  /** Null: messages of every class, together. */
  readonly class: MessageClass | null;
  /** Counts messages of one template, or of all. */
  readonly scope: 'template' | 'customer';
  readonly count: number;
  /** The length of the rolling time, such as `60s`, `1h` or `24h`. */
  readonly per: string;
}

export const MIN_PERIOD_MS = 1000;
export const MAX_PERIOD_MS = 30 * 24 * 3_600_000;

/** Undefined for what is no length of time that a cap may have. */
export function parsePeriod(per: string): number | undefined {
  const ms = parseDuration(per);
  return ms !== undefined && ms >= MIN_PERIOD_MS && ms <= MAX_PERIOD_MS ? ms : undefined;
}

/** What is counted for one cap, of one template or of all. */
export interface CapRule {
  readonly cap: Cap;
  readonly periodMs: number;
  /** Null: of all templates. */
  readonly templateId: bigint | null;
}

/** The caps that messages of a template are subject to. */
export function capRulesOf(caps: readonly Cap[], messageClass: MessageClass, templateId: bigint): CapRule[] {
  return caps
    .filter((cap) => cap.class === null || cap.class === messageClass)
    .map((cap) => ({
      cap,
      periodMs: parsePeriod(cap.per) ?? MAX_PERIOD_MS,
      templateId: cap.scope === 'template' ? templateId : null,
    }));
}

/** For how long what is sent to a number is counted by some cap. */
export function keptFor(rules: readonly CapRule[]): number {
  return Math.max(0, ...rules.map(({ periodMs }) => periodMs));
}

/** One count for all tasks of a customer that a rule applies to alike. */
export function ruleKeyOf({ cap, templateId }: CapRule): string {
  return `${cap.class ?? ''} ${cap.per} ${templateId ?? ''}`;
}

export interface CapCounter {
  /** Counts a number that may be sent to; false when that would exceed a cap, and then it does not count. */
  admit(rules: readonly CapRule[], phoneKey: string): boolean;
}

/** Counts on from what was sent before, by rule and number: `ruleKey/phoneKey`. */
export function createCapCounter(
  used: ReadonlyMap<string, number>,
  isExempt: (phoneKey: string) => boolean,
): CapCounter {
  const counts = new Map(used);
  return {
    admit(rules, phoneKey) {
      const keys = new Set(rules.map((rule) => `${ruleKeyOf(rule)}/${phoneKey}`));
      const isWithin = rules.every((rule) => (counts.get(`${ruleKeyOf(rule)}/${phoneKey}`) ?? 0) < rule.cap.count);
      if (!isWithin && !isExempt(phoneKey)) return false;
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
      return true;
    },
  };
}
