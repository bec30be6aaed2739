// Checks numbers again when they are handed over: they were prepared earlier, perhaps days before, and since then a filing may have been
// withdrawn or a word blocked. Only what changed since is checked, so that a part costs one comparison while nothing changes. Opt-outs
// are checked in the transaction of the intents (`pipeline/settle/settle.ts`).

import { type Chunk, textOf } from '../../../domain/chunk/chunk.js';
import { timeOfId } from '../../../domain/id.js';
import type { DeliveryEvent } from '../../../domain/outcome/delivery-event.js';
import { type FindBlockedWord, normaliseForWords } from '../../../domain/rules/blocked-words.js';
import type { Snapshot } from '../../../store/snapshot/snapshot.js';

/** What happens to a number instead of being sent. */
export type Instead = Pick<DeliveryEvent, 'event' | 'code' | 'failoverChannel' | 'blockedWord'>;

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
  readonly isFiled: boolean;
  /** Undefined: no word was blocked since the task was accepted. */
  readonly findWord: FindBlockedWord | undefined;
}

export function createRecheck({ snapshot, channelId, otherChannel }: RecheckDeps): Recheck {
  const checked = new WeakMap<Chunk, CheckedChunk>();

  const check = (chunk: Chunk): CheckedChunk => {
    const view = snapshot();
    const known = checked.get(chunk);
    if (known?.version === view.version) return known;
    const channel = view.channel(channelId);
    const since = new Date(timeOfId(chunk.taskId).getTime() - CLOCKS_DIFFER_MS);
    const found = {
      version: view.version,
      isFiled: channel === undefined || view.isFiled(channel, chunk.serviceAccountId),
      findWord: view.blockedWordFinder(chunk.customerId, since),
    };
    checked.set(chunk, found);
    return found;
  };

  return (chunk, index) => {
    const { isFiled, findWord } = check(chunk);
    if (isFiled && findWord === undefined) return undefined;
    const blockedWord = findWord?.(normaliseForWords(textOf(chunk.numbers, index)));
    if (blockedWord !== undefined) return { event: { kind: 'ended' }, code: 'blocked_content', blockedWord };
    if (isFiled) return undefined;
    const to = otherChannel(chunk, index);
    if (to === undefined) return { event: { kind: 'ended' }, code: 'no_route' };
    return { event: { kind: 'rerouted' }, failoverChannel: to };
  };
}
