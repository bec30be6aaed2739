// Previews a send: plans it as preparing would, and writes nothing.

import { asTaskId } from '../../domain/id.js';
import { type FreezeObstacle, findObstacle } from '../../domain/money/freeze.js';
import type { Money } from '../../domain/money/money.js';
import type { Region } from '../../domain/phone/phone.js';
import { normalisePayload } from '../../domain/plan/plan.js';
import { type Preview, previewPlan } from '../../domain/plan/preview.js';
import type { Payload } from '../../domain/request/payload.js';
import type { Tenant } from '../../domain/tenant.js';
import { readLiveChannels } from '../../store/channel/channel-lease.js';
import { readBalance } from '../../store/money/balance.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { Sql } from '../../store/sql.js';
import { readOptedOut } from '../../store/task/task-prepare.js';
import { slicer } from '../turns/slicer.js';
import { planOne, readCounters, readTraits } from './plan-tasks.js';

export interface PreviewCommand extends Tenant {
  readonly payload: Payload;
  readonly templateId: bigint;
  readonly serviceAccountId: bigint;
  readonly targetFirms: readonly string[];
  readonly sendAt?: Date | null;
}

export interface PricedPreview extends Preview {
  readonly available: Money;
  /** Why the price could not be frozen now; undefined if it could. */
  readonly obstacle: FreezeObstacle | undefined;
}

/** No task has this id; it decides where the rotation over channels starts. */
const NO_TASK = asTaskId(0n);

/** Undefined if the template was disabled meanwhile. */
export async function previewTask(
  deps: { readonly sql: Sql; readonly snapshot: () => Snapshot; readonly region: Region },
  command: PreviewCommand,
): Promise<PricedPreview | undefined> {
  const { bucket, customerId } = command;
  const owner = `${customerId}`;
  const numbers = await slicer.run(owner, normalisePayload(command.payload, deps.region));
  const keys = numbers.to.flatMap((phoneKey) => (phoneKey === undefined ? [] : [{ customerId, phoneKey }]));
  const [optedOut, live, balance] = await Promise.all([
    readOptedOut(deps.sql, bucket, keys, deps.snapshot().erasedKeyOf),
    readLiveChannels(deps.sql),
    readBalance(deps.sql, command),
  ]);
  const isUp = (channelId: bigint) => live.has(channelId);
  const snapshot = deps.snapshot();
  const tasks = [{ task: command, numbers }];
  const counters = await readCounters({ snapshot: deps.snapshot, bucket }, deps.sql, tasks, balance.now);
  const task = { ...command, taskId: NO_TASK };
  const planning = { snapshot, optedOut, counters, isUp, now: balance.now, routers: new Map() };
  const steps = planOne(planning, task, numbers);
  const plan = await slicer.run(owner, steps);
  if (plan === undefined) return undefined;
  const { available, now } = balance;
  const preview = previewPlan(plan, (channelId) => readTraits(snapshot, channelId).alphabet);
  return { ...preview, available, obstacle: findObstacle(balance, plan.price, now) };
}
