// After a change of a customer's grants: moves its queued chunks from channels that it may not use to others that serve the firm and are
// up. Chunks whose other channels are all down wait for them; numbers without another channel are rejected with `no_route`.

import type { StoredChunk } from '../../domain/chunk/chunk.js';
import { isUntouched } from '../../domain/chunk/chunk-state.js';
import type { ChannelConfig } from '../../domain/entities/channel.js';
import { deliveryEventsOfNumbers } from '../../domain/outcome/delivery-event.js';
import { placesOf, type QueueKey, queueKeysOf } from '../../domain/rules/queue-place.js';
import type { Tenant } from '../../domain/tenant.js';
import { readLiveChannels } from '../../store/channel/channel-lease.js';
import { readQueuedChannels, readQueuedChunks } from '../../store/chunk/dispatch-queue.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import { type ChunkMove, type MoveDeps, moveAway, planMove } from '../channel/ownership/move-chunks.js';
import { recordAll } from '../settle/recorder.js';
import type { Wake } from '../wake.js';

/** Chunks per transaction: bounds how long it locks the account. */
const PAGE = { chunks: 100, parts: Number.MAX_SAFE_INTEGER };

export interface LeaveChannelsDeps extends MoveDeps {
  readonly snapshot: () => Snapshot;
  readonly refreshSnapshot: () => Promise<void>;
  readonly wake: Wake;
}

/** For how long after a revocation each round looks: a chunk with parts on the wire stays until they are answered. */
const RECENT_MS = 24 * 3_600_000;
/** How often all that ever lost a grant are looked at: their other channels may be down for longer. */
const ALL_EVERY_MS = 10 * 60_000;

/** `monotonicNow` is in milliseconds. */
export function createLeaveRound(
  deps: LeaveChannelsDeps & { readonly monotonicNow: () => number },
): () => Promise<void> {
  let allAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    const isForAll = deps.monotonicNow() >= allAtMs;
    if (isForAll) allAtMs = deps.monotonicNow() + ALL_EVERY_MS;
    await leaveRevokedChannels(deps, new Date(isForAll ? 0 : Date.now() - RECENT_MS));
  };
}

/** For all customers who lost a grant since. A failure for one, whose machine may be away, does not stop the others. */
export async function leaveRevokedChannels(deps: LeaveChannelsDeps, since: Date): Promise<void> {
  const snapshot = deps.snapshot();
  const errors: unknown[] = [];
  for (const customerId of snapshot.revokedSince(since)) {
    const customer = snapshot.customer(customerId);
    if (customer !== undefined) await leaveChannels(deps, customer).catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
}

/** Idempotent. The worker repeats it, because chunks with a part on the wire move later. */
export async function leaveChannels(deps: LeaveChannelsDeps, tenant: Tenant): Promise<void> {
  const live = await readLiveChannels(deps.sql);
  let moved = 0;
  for (const channelId of await readQueuedChannels(deps.sql, tenant)) {
    const from = deps.snapshot().channel(channelId);
    if (from === undefined || deps.snapshot().isGranted(tenant.customerId, channelId)) continue;
    for (const queue of queueKeysOf(tenant.customerId)) {
      moved += await leaveQueue(deps, tenant, queue, { from, isLive: ({ channelId }) => live.has(channelId) });
    }
  }
  if (moved > 0) deps.wake.notify('dispatch', tenant.bucket);
}

interface Leaving {
  readonly from: ChannelConfig;
  readonly isLive: (channel: ChannelConfig) => boolean;
}

async function leaveQueue(
  deps: LeaveChannelsDeps,
  tenant: Tenant,
  queue: QueueKey,
  { from, isLive }: Leaving,
): Promise<number> {
  const { sql, snapshot } = deps;
  const { bucket, customerId } = tenant;
  let { after } = placesOf(queue);
  let moved = 0;
  for (let isMore = true; isMore; ) {
    const page = await readQueuedChunks(sql, bucket, from.channelId, [{ queue, after }], PAGE);
    if (page.length === 0) break;
    // After the chunks: they may have been prepared elsewhere, under a newer configuration that grants the channel again.
    await deps.refreshSnapshot();
    if (snapshot().isGranted(customerId, from.channelId)) break;
    const granted = snapshot().grantedChannels(customerId);
    const moves: ChunkMove[] = [];
    const stranded: StoredChunk[] = [];
    for (const [at, stored] of page.entries()) {
      const usable = granted.filter((channel) => snapshot().isFiled(channel, stored.chunk.serviceAccountId));
      if (planMove(stored, at, from, usable).length === 0) stranded.push(stored);
      else moves.push(...planMove(stored, at, from, usable.filter(isLive)));
    }
    await rejectUnsent(deps, stranded);
    const { whole, cut } = await moveAway(deps, { bucket, queue }, moves);
    moved += whole + cut;
    after = page.at(-1)?.chunk.queueNo ?? after;
    isMore = page.length === PAGE.chunks;
  }
  return moved;
}

/** Numbers of which nothing was sent, and that no channel of the customer may carry. */
async function rejectUnsent({ recorder }: LeaveChannelsDeps, stored: readonly StoredChunk[]): Promise<void> {
  const ended = { event: { kind: 'ended' }, code: 'no_route' } as const;
  const ends = stored.flatMap(({ chunk, state }) =>
    deliveryEventsOfNumbers(chunk, ended, (index) => isUntouched(state, index)),
  );
  await recordAll(recorder, ends);
}
