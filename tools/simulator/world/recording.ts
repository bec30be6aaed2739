// The recorder of a process: calls wait in a line and share transactions. Mirrors `src/pipeline/settle/settle-batch.ts`: what is retried
// after an unknown commit, what is split after a lost lease, and which events need none.

import { groupBy } from '#src/domain/group-by.js';
import type { DeliveryEvent } from '#src/domain/outcome/delivery-event.js';
import type { Lease } from '#src/store/channel/channel-lease.js';
import type { PartName } from '../model/facts.js';
import type { CommitOutcome } from '../script.js';
import type { Call, Decision, Failure, Process } from './process.js';
import { settle } from './settle.js';
import { taskNameOf } from './view.js';
import type { World } from './world.js';

/** Recorded without the lease if it is lost. */
const FACTS: ReadonlySet<string> = new Set(['accepted', 'refused', 'declined', 'unknown', 'reported']);

export function record(
  process: Process,
  events: readonly DeliveryEvent[],
  lease: Lease | undefined,
  onSettled: Call['onSettled'] = () => {},
): void {
  if (events.length > 0) process.line.push({ events, lease, isAlone: false, decision: undefined, onSettled });
}

/** One attempt at the next transaction. Returns false if nothing waits. */
export function attempt(world: World, process: Process, calls: number, outcome: CommitOutcome): boolean {
  process.batch ??= takeBatch(process, calls);
  const { batch } = process;
  if (batch === undefined) return false;
  if (batch.some(({ lease }) => lease !== undefined && !isHeld(world, lease))) {
    giveUpTogether(world, process, batch);
    return true;
  }
  if (outcome === 'rolled_back') return true;
  // A retry finds the mark of an attempt that was committed, and applies nothing again.
  const decision = batch[0]?.decision ?? write(world, eventsOf(batch));
  if (outcome === 'answer_lost') {
    for (const call of batch) call.decision = decision;
    return true;
  }
  process.batch = undefined;
  for (const call of batch) call.onSettled(decision.refused, decision.failed);
  return true;
}

/** What is left of a batch that was split is written alone. */
function takeBatch(process: Process, calls: number): Call[] | undefined {
  const next = process.line.findIndex(({ isAlone }) => isAlone);
  const batch = process.line.splice(0, next === 0 ? 1 : Math.min(calls, next < 0 ? calls : next));
  return batch.length === 0 ? undefined : batch;
}

/** A lost lease fails a whole batch: it is split by lease, and what is left of one lease keeps its facts. */
function giveUpTogether(world: World, process: Process, batch: readonly Call[]): void {
  process.batch = undefined;
  const leaseKeyOf = ({ lease }: Call) => (lease === undefined ? '' : `${lease.channelId}/${lease.token}`);
  const groups = [...groupBy(batch, leaseKeyOf).values()];
  if (groups.length > 1) {
    process.line.unshift(...groups.map(mergeCalls));
    return;
  }
  const events = eventsOf(batch);
  const facts = events.filter(({ event }) => FACTS.has(event.kind));
  const failed = new Map<DeliveryEvent, Failure>();
  for (const event of events) if (!FACTS.has(event.event.kind)) failed.set(event, 'lease_lost');
  const decision = batch[0]?.decision ?? (facts.length > 0 ? write(world, facts) : undefined);
  for (const event of facts) {
    const why = decision?.failed.get(event);
    if (why !== undefined) failed.set(event, why);
  }
  for (const call of batch) call.onSettled(new Set(), failed);
}

function eventsOf(batch: readonly Call[]): DeliveryEvent[] {
  return batch.flatMap(({ events }) => events);
}

function mergeCalls(calls: readonly Call[]): Call {
  return {
    events: eventsOf(calls),
    lease: calls[0]?.lease,
    decision: calls[0]?.decision,
    isAlone: true,
    onSettled(refused, failed) {
      for (const call of calls) call.onSettled(refused, failed);
    },
  };
}

function isHeld({ store }: World, { channelId, token }: Lease): boolean {
  return store.tokens.get(channelId) === token;
}

function write(world: World, events: readonly DeliveryEvent[]): Decision {
  const { settlement, intents } = settle(world.settling, events);
  world.events += events.length;
  world.model.intend(intents.map(nameOfEvent), world.nowMs);
  world.committed();
  const failed = new Map<DeliveryEvent, Failure>();
  for (const event of settlement.earlyReports) failed.set(event, 'early');
  const hasChanged = [...settlement.chunks.values()].some(({ changed }) => changed);
  return { refused: settlement.refusedIntents, failed, hasChanged };
}

/** Settles in a transaction of its own. Returns whether a number changed. */
export function settleNow(world: World, events: readonly DeliveryEvent[]): boolean {
  return events.length > 0 && write(world, events).hasChanged;
}

function nameOfEvent({ chunk, index, part }: DeliveryEvent): PartName {
  return { task: taskNameOf(chunk.taskId), seq: chunk.numbers.seq[index] ?? 0, part };
}
