// Plans tasks: where each number goes, what it costs, and which numbers are rejected.

import type { ChannelTraits } from '../../domain/entities/channel.js';
import type { NormalisedPayload } from '../../domain/plan/normalise-payload.js';
import { type Plan, planTask } from '../../domain/plan/plan.js';
import { createRouter, type Router } from '../../domain/plan/routing.js';
import type { Steps } from '../../domain/steps.js';
import type { MaybeNewTask, Task } from '../../domain/task/task.js';
import type { Planned } from '../../sending-rules/rule.js';
import { type ChecksOf, loadRules } from '../../sending-rules/rules.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { AnySql } from '../../store/sql.js';
import { runYielding } from '../fairness/run-yielding.js';

interface PlanDeps {
  readonly bucket: number;
  readonly snapshot: () => Snapshot;
}

/** A task with its parsed numbers. */
export interface NormalisedTask {
  readonly task: MaybeNewTask;
  readonly numbers: NormalisedPayload;
}

/** The inputs that the plans of one transaction, or of a preview, share. */
export interface Planning {
  readonly snapshot: Snapshot;
  readonly checksOf: ChecksOf;
  readonly isUp: (channelId: bigint) => boolean;
  readonly now: Date;
  /** Filled while planning: tasks with the same template, sender and target firms share a router. */
  readonly routers: Map<string, Router>;
}

/** Plans tasks. If a rule counts, the caller holds the locks of their accounts. */
export async function planTasks(
  { bucket, snapshot }: PlanDeps,
  tx: AnySql,
  tasks: readonly NormalisedTask[],
  isUp: (channelId: bigint) => boolean,
  now: Date,
): Promise<Planned[]> {
  const checksOf = await loadRules({ sql: tx, bucket, snapshot, now }, tasks);
  const planning = { snapshot: snapshot(), checksOf, isUp, now, routers: new Map() };
  return await runYielding(planEach(planning, tasks));
}

function* planEach(planning: Planning, tasks: readonly NormalisedTask[]): Steps<Planned[]> {
  const planned: Planned[] = [];
  for (const { task, numbers } of tasks) planned.push({ task, plan: yield* planOne(planning, task, numbers) });
  return planned;
}

export function readTraits(snapshot: Snapshot, channelId: bigint): ChannelTraits {
  const channel = snapshot.channel(channelId);
  if (channel === undefined) throw new Error(`channel ${channelId} is not in the snapshot`);
  return channel;
}

/** The fields of a task that planning needs. */
export type PlannableTask = Pick<
  Task,
  'bucket' | 'customerId' | 'taskId' | 'templateId' | 'serviceAccountId' | 'targetFirms'
> & { readonly expiresAt?: Date | null; readonly sendAt?: Date | null };

/**
 * Undefined if the template is disabled. A template in review is no obstacle: the task uses the text that it was accepted with.
 */
export function* planOne(
  { snapshot, checksOf, isUp, now, routers }: Planning,
  task: PlannableTask,
  numbers: NormalisedPayload,
): Steps<Plan | undefined> {
  const { bucket, customerId, taskId, templateId, serviceAccountId, targetFirms } = task;
  const template = snapshot.templateById(templateId);
  if (template === undefined || template.status === 'disabled') return undefined;
  const routerKey = `${customerId} ${templateId} ${serviceAccountId} ${targetFirms?.join(' ') ?? ''}`;
  const firmLimits = { targetFirms: targetFirms ?? [], approvedFirms: template.firms };
  const route =
    routers.get(routerKey) ??
    createRouter(snapshot.firms(), snapshot.usableChannels(customerId, serviceAccountId), isUp, firmLimits);
  routers.set(routerKey, route);
  return yield* planTask(numbers, {
    bucket,
    customerId,
    taskId,
    serviceAccountId,
    expiresAt: task.expiresAt ?? null,
    route,
    checks: checksOf({ task, numbers }),
    unitPriceAt: (firm) => {
      const priceOf = snapshot.priceOf(customerId, firm, template.class);
      return (e164) => priceOf(e164, now);
    },
    traitsOf: (channelId) => readTraits(snapshot, channelId),
    templateId,
    // The random bits of the id.
    channelOffset: Number(taskId & 0xfffffn),
  });
}
