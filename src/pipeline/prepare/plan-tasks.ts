// Plans tasks: where each number goes, what it costs, and which numbers are rejected.

import type { ChannelTraits } from '../../domain/entities/channel.js';
import { groupBy } from '../../domain/group-by.js';
import type { CustomerId } from '../../domain/id.js';
import { type NormalisedPayload, type Plan, planTask } from '../../domain/plan/plan.js';
import { createRouter, type Router } from '../../domain/plan/routing.js';
import { type CapCounter, capRulesOf, createCapCounter } from '../../domain/rules/caps.js';
import { windowStateAt } from '../../domain/rules/send-windows.js';
import type { Steps } from '../../domain/steps.js';
import type { MaybeNewTask, Task } from '../../domain/task/task.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { AnySql } from '../../store/sql.js';
import { readCapUse } from '../../store/task/cap-use.js';
import { readOptedOut } from '../../store/task/task-prepare.js';
import { runInTurns } from '../turns/run-in-turns.js';
import type { Planned } from './write-plans.js';

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
  /** `customerId/phoneKey` of numbers that opted out. */
  readonly optedOut: ReadonlySet<string>;
  readonly counters: CapCounters;
  readonly isUp: (channelId: bigint) => boolean;
  readonly now: Date;
  /** Filled while planning: tasks with the same template, sender and target firms share a router. */
  readonly routers: Map<string, Router>;
}

type CapCounters = ReadonlyMap<CustomerId, CapCounter>;

/** Reads how often the numbers of these tasks were sent to, for customers with caps. */
export async function readCounters(
  { snapshot, bucket }: PlanDeps,
  tx: AnySql,
  tasks: readonly { readonly task: Pick<Task, 'customerId' | 'templateId'>; readonly numbers: NormalisedPayload }[],
  now: Date,
): Promise<CapCounters> {
  const counters = new Map<CustomerId, CapCounter>();
  for (const [customerId, ofCustomer] of groupBy(tasks, ({ task }) => task.customerId)) {
    const caps = snapshot().customer(customerId)?.caps ?? [];
    const rules = ofCustomer.flatMap(({ task: { templateId } }) =>
      capRulesOf(caps, snapshot().classOf(templateId), templateId),
    );
    if (rules.length === 0) continue;
    const phoneKeys = new Set(ofCustomer.flatMap(({ numbers }) => numbers.to.flatMap((to) => to ?? [])));
    const { erasedKeyOf } = snapshot();
    const { used, exempt } = await readCapUse(tx, bucket, customerId, rules, [...phoneKeys], now, erasedKeyOf);
    counters.set(
      customerId,
      createCapCounter(used, (phoneKey) => exempt.has(phoneKey)),
    );
  }
  return counters;
}

/** Plans tasks. For customers with caps, the caller holds the locks of their accounts. */
export async function planTasks(
  deps: PlanDeps,
  tx: AnySql,
  tasks: readonly NormalisedTask[],
  isUp: (channelId: bigint) => boolean,
  now: Date,
): Promise<Planned[]> {
  const phones = tasks.flatMap(({ task: { customerId }, numbers }) =>
    numbers.to.flatMap((phoneKey) => (phoneKey === undefined ? [] : [{ customerId, phoneKey }])),
  );
  const [optedOut, counters] = await Promise.all([
    readOptedOut(tx, deps.bucket, phones, deps.snapshot().erasedKeyOf),
    readCounters(deps, tx, tasks, now),
  ]);
  const planning = { snapshot: deps.snapshot(), optedOut, counters, isUp, now, routers: new Map() };
  return await runInTurns(planEach(planning, tasks));
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

/** Whether the sending windows reject its messages at their time: now, or the time that the task is scheduled for. */
function isOutsideWindow(
  snapshot: Snapshot,
  { customerId, templateId, sendAt }: PlannableTask,
  nowMs: number,
): boolean {
  const windows = snapshot.customer(customerId)?.sendWindows ?? [];
  const atMs = Math.max(nowMs, sendAt?.getTime() ?? 0);
  const { isOpen, outside } = windowStateAt(windows, snapshot.classOf(templateId), atMs);
  return !isOpen && outside === 'reject';
}

/**
 * Undefined if the template is disabled. A template in review is no obstacle: the task uses the text that it was accepted with.
 */
export function* planOne(
  { snapshot, optedOut, counters, isUp, now, routers }: Planning,
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
  const rules = capRulesOf(snapshot.customer(customerId)?.caps ?? [], template.class, templateId);
  const counter = rules.length === 0 ? undefined : counters.get(customerId);
  return yield* planTask(numbers, {
    bucket,
    customerId,
    taskId,
    serviceAccountId,
    expiresAt: task.expiresAt ?? null,
    route,
    isOutsideWindow: isOutsideWindow(snapshot, task, now.getTime()),
    isCapped: (e164) => counter !== undefined && !counter.admit(rules, e164),
    // The phone key of a valid number is its E.164 form.
    isOptedOut: (e164) => optedOut.has(`${customerId}/${e164}`),
    unitPriceAt: (firm) => {
      const priceOf = snapshot.priceOf(customerId, firm, template.class);
      return (e164) => priceOf(e164, now);
    },
    findBlockedWord: snapshot.blockedWordFinder(customerId),
    traitsOf: (channelId) => readTraits(snapshot, channelId),
    templateId,
    // The random bits of the id.
    channelOffset: Number(taskId & 0xfffffn),
  });
}
