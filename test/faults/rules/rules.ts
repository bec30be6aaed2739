import { BATCH_RULES } from './batches.js';
import { CROWD_RULES } from './crowd.js';
import { SECOND_WAY_RULES } from './failover.js';
import { MONEY_RULES } from './money.js';
import { REQUEST_RULES } from './requests.js';
import { REST_RULES } from './rest.js';
import type { FinalRule, Rule, RunningRule } from './rule.js';
import { RULED_RULES } from './ruled.js';
import { SCHEDULE_RULES } from './schedule.js';
import { TASK_RULES } from './tasks.js';
import { WEBHOOK_RULES } from './webhooks.js';
import { WIRE_RULES } from './wire.js';

/** Whether there is rest at all comes first: what is still under way explains much of what looks wrong. */
const GROUPS: readonly { readonly running: readonly RunningRule[]; readonly final: readonly FinalRule[] }[] = [
  REST_RULES,
  WIRE_RULES,
  SECOND_WAY_RULES,
  REQUEST_RULES,
  CROWD_RULES,
  TASK_RULES,
  BATCH_RULES,
  MONEY_RULES,
  SCHEDULE_RULES,
  WEBHOOK_RULES,
  RULED_RULES,
];

export const RUNNING_RULES: readonly RunningRule[] = GROUPS.flatMap(({ running }) => running);
export const FINAL_RULES: readonly FinalRule[] = GROUPS.flatMap(({ final }) => final);

export interface Violation {
  readonly rule: string;
  readonly detail: string;
}

/** Every rule that is broken, with its first violation. */
export function judge<ThresholdValue>(rules: readonly Rule<ThresholdValue>[], evidence: ThresholdValue): Violation[] {
  return rules.flatMap(({ name, check }) => {
    const detail = check(evidence);
    return detail === undefined ? [] : [{ rule: name, detail }];
  });
}
