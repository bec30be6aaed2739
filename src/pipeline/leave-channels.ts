// Grants of a customer have changed: what is queued for it on channels that it may not use goes to others that serve the firm and are
// up. What has no other way stays in its queue, where nothing is handed over, until there is one or the grant is given again.

import type { StoredChunk } from '../domain/chunk/chunk.js';
import { hasBegunMessage } from '../domain/chunk/chunk-state.js';
import type { ChannelConfig } from '../domain/entities/channel.js';
import { nextQueueNo } from '../domain/money/ledger.js';
import { classOfQueue, placesOf, type QueueKey, queueKeysOf } from '../domain/rules/queue-place.js';
import type { Tenant } from '../domain/tenant.js';
import { readLiveChannels } from '../store/channel/channel-lease.js';
import { moveChunks, readQueuedChannels, readQueuedChunks } from '../store/chunk/dispatch-queue.js';
import type { Sql } from '../store/connect.js';
import { lockAccount, writeAccounts } from '../store/money/account.js';
import { runTogether } from '../store/run-together.js';
import type { Snapshot } from '../store/snapshot/snapshot.js';
import { findWay } from './channel/ownership/reroute.js';
import type { Wake } from './wake.js';

/** So many chunks move in one transaction, which holds the account meanwhile. */
const PAGE = { chunks: 100, parts: Number.MAX_SAFE_INTEGER };

export interface LeaveChannelsDeps {
  readonly sql: Sql;
  /** With the grants as they are now. */
  readonly snapshot: () => Snapshot;
  readonly wake: Wake;
}

/** Harmless when repeated: the worker does so for a day, since chunks with a part on the wire stay at first. */
export async function leaveChannels(deps: LeaveChannelsDeps, tenant: Tenant): Promise<void> {
  const granted = deps.snapshot().grantedChannels(tenant.customerId);
  const live = await readLiveChannels(deps.sql);
  const ways = granted.filter(({ channelId }) => live.has(channelId));
  if (ways.length === 0) return;
  let moved = 0;
  for (const channelId of await readQueuedChannels(deps.sql, tenant)) {
    const from = deps.snapshot().channel(channelId);
    if (from === undefined || deps.snapshot().isGranted(tenant.customerId, channelId)) continue;
    for (const queue of queueKeysOf(tenant.customerId)) moved += await leaveQueue(deps, tenant, queue, from, ways);
  }
  if (moved > 0) deps.wake.notify('dispatch', tenant.bucket);
}

async function leaveQueue(
  deps: LeaveChannelsDeps,
  tenant: Tenant,
  queue: QueueKey,
  from: ChannelConfig,
  ways: readonly ChannelConfig[],
): Promise<number> {
  const { sql, snapshot } = deps;
  const { bucket } = tenant;
  let { after } = placesOf(queue);
  let moved = 0;
  for (let isMore = true; isMore; ) {
    const page = await readQueuedChunks(sql, bucket, from.channelId, [{ queue, after }], PAGE);
    const moves = page.flatMap((stored, turn) => {
      // A message of which a part is out is finished by the carrier that has it.
      if (hasBegunMessage(stored.state)) return [];
      const filed = ways.filter((channel) => snapshot().isFiled(channel, stored.chunk.serviceAccountId));
      return findWay(stored, turn, from, filed);
    });
    if (moves.length > 0) await moveAll(sql, tenant, queue, moves);
    moved += moves.length;
    after = page.at(-1)?.chunk.queueNo ?? after;
    isMore = page.length === PAGE.chunks;
  }
  return moved;
}

/** One with a part on the wire stays. An intent for a part of a chunk that has moved is refused: its place is another one. */
async function moveAll(
  sql: Sql,
  tenant: Tenant,
  queue: QueueKey,
  moves: readonly { readonly stored: StoredChunk; readonly to: bigint }[],
): Promise<void> {
  await sql.begin(async (tx) => {
    const { account, now } = await lockAccount(tx, tenant);
    const placed = moves.map(({ stored, to }) => ({
      chunk: stored.chunk,
      to,
      queueNo: nextQueueNo(account, classOfQueue(queue)),
    }));
    await moveChunks(tx, tenant.bucket, tenant.customerId, placed, now);
    await runTogether(tx, writeAccounts(tx, tenant.bucket, [account]));
  });
}
