// The sending rules, in the order in which a number is checked.

import type { CustomerConfig } from '../domain/entities/customer.js';
import type { PlanCheck } from '../domain/plan/plan.js';
import { blockedWords } from './blocked-words/rule.js';
import { caps } from './caps/rule.js';
import { filings } from './filings/rule.js';
import { optOuts } from './opt-outs/rule.js';
import type { Rule, RuleContext, RuledTask } from './rule.js';
import { windows } from './windows/rule.js';

/** Caps are last, because they count the number: one that is rejected for another reason uses up no cap. */
export const RULES: readonly Rule[] = [optOuts, windows, blockedWords, filings, caps];

/** Whether a rule counts the messages of a customer: then two transactions must not plan for the customer at once. */
export function areCounted(customer: CustomerConfig | undefined): boolean {
  return customer !== undefined && RULES.some((rule) => rule.counts?.(customer));
}

/** The checks of a task. */
export type ChecksOf = (ruled: RuledTask) => readonly PlanCheck[];

/** Reads what the checks of these tasks need. */
export async function loadRules(context: RuleContext, tasks: readonly RuledTask[]): Promise<ChecksOf> {
  const loaded = await Promise.all(RULES.map(({ load }) => load?.(context, tasks)));
  return (ruled) => {
    const checks: PlanCheck[] = [];
    for (const [at, { code, isBeforeRouting = false }] of RULES.entries()) {
      const rejects = loaded[at]?.(ruled);
      if (rejects !== undefined) checks.push({ code, isBeforeRouting, rejects });
    }
    return checks;
  };
}
