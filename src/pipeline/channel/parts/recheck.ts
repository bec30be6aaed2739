// Checks numbers again when they are handed over: they may have been prepared days before, and since then a filing may have been
// withdrawn or a word blocked. Only what changed since is checked, so that a part costs one comparison while nothing changes. Opt-outs
// are checked in the transaction of the intents (`pipeline/settle/settle.ts`).

import type { Chunk } from '../../../domain/chunk/chunk.js';
import { timeOfId } from '../../../domain/id.js';
import type { DeliveryEvent } from '../../../domain/outcome/delivery-event.js';
import type { CheckNumber } from '../../../domain/plan/plan.js';
import type { Rule } from '../../../sending-rules/rule.js';
import { RULES } from '../../../sending-rules/rules.js';
import type { Snapshot } from '../../../store/snapshot/snapshot.js';

/** What happens to a number instead of being sent. */
export type Instead = Pick<DeliveryEvent, 'event' | 'code' | 'failoverChannel' | 'found'>;

/** Undefined: the number may be sent. */
export type Recheck = (chunk: Chunk, index: number) => Instead | undefined;

export interface RecheckDeps {
  readonly snapshot: () => Snapshot;
  readonly channelId: bigint;
  /** Another channel for a number of this chunk that the customer may use. */
  readonly otherChannel: (chunk: Chunk, index: number) => bigint | undefined;
}

/** The clocks of processes and database differ by less. */
const CLOCKS_DIFFER_MS = 60_000;

interface CheckedChunk {
  /** Of the configuration. */
  readonly version: bigint;
  readonly checks: readonly { readonly rule: Rule; readonly rejects: CheckNumber }[];
}

export function createRecheck({ snapshot, channelId, otherChannel }: RecheckDeps): Recheck {
  const checked = new WeakMap<Chunk, CheckedChunk>();

  const check = (chunk: Chunk): CheckedChunk => {
    const view = snapshot();
    const known = checked.get(chunk);
    if (known?.version === view.version) return known;
    const channel = view.channel(channelId);
    const since = new Date(timeOfId(chunk.taskId).getTime() - CLOCKS_DIFFER_MS);
    const checks = RULES.flatMap((rule) => {
      const rejects = rule.recheck?.(chunk, channel, view, since);
      return rejects === undefined ? [] : [{ rule, rejects }];
    });
    const found = { version: view.version, checks };
    checked.set(chunk, found);
    return found;
  };

  return (chunk, index) => {
    for (const { rule, rejects } of check(chunk).checks) {
      const found = rejects(chunk.numbers.to[index] ?? '', index);
      if (found === false) continue;
      const to = rule.isOfChannel === true ? otherChannel(chunk, index) : undefined;
      if (to !== undefined) return { event: { kind: 'rerouted' }, failoverChannel: to };
      return { event: { kind: 'ended' }, code: rule.code, ...(typeof found === 'string' && { found }) };
    }
    return undefined;
  };
}
