// How often a number may be sent to. Exact under the lock of the account.

import { groupBy } from '../../domain/group-by.js';
import type { CheckNumber } from '../../domain/plan/plan.js';
import { type CapRule, capRulesOf, createCapCounter, keptFor } from '../../domain/rules/caps.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { CheckTask, Planned, Rule, RuleContext, RuledTask } from '../rule.js';
import { type CapUse, deleteCapUse, insertCapUse, readCapUse } from './cap-use.js';

export const caps: Rule = {
  code: 'frequency_capped',
  counts: (customer) => customer.caps.length > 0,
  load(context, tasks) {
    const capped: CappedTask[] = [];
    for (const { task, numbers } of tasks) {
      const rules = rulesOf(context.snapshot(), task);
      if (rules.length > 0) capped.push({ task, numbers, rules });
    }
    return capped.length === 0 ? undefined : loadCounters(context, capped);
  },
  recordPlans: ({ sql, bucket, snapshot, now }, planned) => {
    const uses = planned.flatMap((entry) => usesOf(entry, snapshot(), now));
    return uses.length > 0 && insertCapUse(sql, bucket, uses);
  },
  /** A rejected number no longer counts. */
  recordEnds: (tx, bucket, { receipts, accounts }) => {
    const uncapped = receipts.filter(
      ({ customerId, result }) => result === 'rejected' && accounts.get(customerId)?.countsSends === true,
    );
    return uncapped.length > 0 && deleteCapUse(tx, bucket, uncapped);
  },
};

function rulesOf(
  snapshot: Snapshot,
  { customerId, templateId }: Omit<RuledTask['task'], 'serviceAccountId'>,
): CapRule[] {
  const { caps = [] } = snapshot.customer(customerId) ?? {};
  return caps.length === 0 ? [] : capRulesOf(caps, snapshot.classOf(templateId), templateId);
}

interface CappedTask extends RuledTask {
  readonly rules: readonly CapRule[];
}

/** Reads how often the numbers of these tasks were sent to. */
async function loadCounters(
  { sql, bucket, snapshot, now }: RuleContext,
  capped: readonly CappedTask[],
): Promise<CheckTask> {
  const checks = new Map<RuledTask['task'], CheckNumber>();
  for (const [customerId, tasks] of groupBy(capped, ({ task }) => task.customerId)) {
    const rules = tasks.flatMap((task) => task.rules);
    const phoneKeys = new Set(tasks.flatMap(({ numbers }) => numbers.to.flatMap((to) => to ?? [])));
    const { erasedKeyOf } = snapshot();
    const { used, exempt } = await readCapUse(sql, bucket, customerId, rules, [...phoneKeys], now, erasedKeyOf);
    const counter = createCapCounter(used, (phoneKey) => exempt.has(phoneKey));
    for (const { task, rules } of tasks) checks.set(task, (e164) => !counter.admit(rules, e164));
  }
  return ({ task }) => checks.get(task);
}

/** The numbers that count: those that are not rejected. */
function usesOf({ task, plan }: Planned, snapshot: Snapshot, now: Date): CapUse[] {
  const rules = rulesOf(snapshot, task);
  if (rules.length === 0 || plan === undefined) return [];
  const { customerId, taskId, templateId } = task;
  const expiresAt = new Date(now.getTime() + keptFor(rules));
  const use = { customerId, taskId, templateId, class: snapshot.classOf(templateId), at: now, expiresAt };
  return plan.chunks.flatMap(({ numbers }) => numbers.to.map((phoneKey) => ({ ...use, phoneKey })));
}
