// A channel that cannot carry its chunks gives those that can still go another way to channels that serve their firm and
// are up.

import { hasBegunMessage } from '../../domain/chunk-state.js';
import type { ChannelConfig } from '../../domain/entities/channel.js';
import type { CustomerId } from '../../domain/id.js';
import { nextQueueNo } from '../../domain/ledger.js';
import { lockAccounts, writeAccounts } from '../../store/account.js';
import { type Lease, readLiveChannels } from '../../store/channel-lease.js';
import type { StoredChunk } from '../../store/chunk.js';
import type { Sql } from '../../store/connect.js';
import { moveChunks, readQueuedChunks, readQueuedCustomers } from '../../store/dispatch-queue.js';
import { runTogether } from '../../store/run-together.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';

const CUSTOMERS_A_PAGE = 100;
const CHUNKS_A_PAGE = 50;

export interface RerouteDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
}

/** How many chunks found another way. The caller holds the channel's lease and sends nothing meanwhile. */
export async function rerouteChannel(deps: RerouteDeps, lease: Lease, from: ChannelConfig): Promise<number> {
  const live = await readLiveChannels(deps.sql);
  live.delete(from.channelId);
  let moved = 0;
  for (const bucket of live.size === 0 ? [] : deps.snapshot().buckets()) {
    for (let after = 0n, more = true; more; ) {
      const page = await readQueuedCustomers(deps.sql, bucket, lease.channelId, after, CUSTOMERS_A_PAGE);
      for (const customerId of page) moved += await rerouteCustomer(deps, bucket, customerId, lease, live);
      more = page.length === CUSTOMERS_A_PAGE;
      after = page.at(-1) ?? after;
    }
  }
  return moved;
}

async function rerouteCustomer(
  deps: RerouteDeps,
  bucket: number,
  customerId: CustomerId,
  lease: Lease,
  live: ReadonlySet<bigint>,
): Promise<number> {
  const ways = deps
    .snapshot()
    .grantedChannels(customerId)
    .filter((channel) => live.has(channel.channelId));
  let moved = 0;
  for (let after: bigint | undefined = 0n; after !== undefined && ways.length > 0; ) {
    const marks = [{ customerId, after }];
    const page: StoredChunk[] = await readQueuedChunks(deps.sql, bucket, lease.channelId, marks, CHUNKS_A_PAGE);
    moved += await movePage(deps.sql, bucket, customerId, lease, page, ways);
    after = page.length < CHUNKS_A_PAGE ? undefined : page.at(-1)?.chunk.queueNo;
  }
  return moved;
}

/** The parts of a message stay with the carrier that has the first: a chunk in the middle of one does not move. */
async function movePage(
  sql: Sql,
  bucket: number,
  customerId: CustomerId,
  lease: Lease,
  page: readonly StoredChunk[],
  ways: readonly ChannelConfig[],
): Promise<number> {
  const moves = page.flatMap(({ chunk, state }, turn) => {
    const serving = ways.filter((channel) => channel.firms.includes(chunk.firm));
    const way = serving[turn % Math.max(1, serving.length)];
    return way === undefined || hasBegunMessage(state) ? [] : [{ chunk, to: way.channelId }];
  });
  if (moves.length === 0) return 0;
  return await sql.begin(async (tx) => {
    const { accounts } = await lockAccounts(tx, bucket, [customerId], [lease]);
    const [account] = accounts.values();
    if (account === undefined) return 0;
    const placed = moves.map((move) => ({ ...move, queueNo: nextQueueNo(account) }));
    const moved = await moveChunks(tx, bucket, customerId, placed);
    await runTogether(tx, writeAccounts(tx, bucket, [account]));
    return moved;
  });
}
