// Previews a send: plans it as preparing would, and writes nothing.

import { asTaskId } from '../../domain/id.js';
import { type FreezeObstacle, findObstacle } from '../../domain/money/freeze.js';
import type { Money } from '../../domain/money/money.js';
import type { Region } from '../../domain/phone/phone.js';
import { normalisePayload } from '../../domain/plan/normalise-payload.js';
import { type Preview, previewPlan } from '../../domain/plan/preview.js';
import type { Payload } from '../../domain/request/payload.js';
import type { Tenant } from '../../domain/tenant.js';
import { loadRules } from '../../sending-rules/rules.js';
import { readLiveChannels } from '../../store/channel/channel-lease.js';
import { readBalance } from '../../store/money/balance.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { Sql } from '../../store/sql.js';
import { slicer } from '../fairness/slicer.js';
import { planOne, readTraits } from './plan-tasks.js';

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
  const { bucket } = command;
  const owner = `${command.customerId}`;
  const numbers = await slicer.run(owner, normalisePayload(command.payload, deps.region));
  const [live, balance] = await Promise.all([readLiveChannels(deps.sql), readBalance(deps.sql, command)]);
  const isUp = (channelId: bigint) => live.has(channelId);
  const task = { ...command, taskId: NO_TASK };
  const checksOf = await loadRules({ ...deps, bucket, now: balance.now }, [{ task, numbers }]);
  const snapshot = deps.snapshot();
  const planning = { snapshot, checksOf, isUp, now: balance.now, routers: new Map() };
  const plan = await slicer.run(owner, planOne(planning, task, numbers));
  if (plan === undefined) return undefined;
  const { available, now } = balance;
  const preview = previewPlan(plan, (channelId) => readTraits(snapshot, channelId).alphabet);
  return { ...preview, available, obstacle: findObstacle(balance, plan.price, now) };
}
