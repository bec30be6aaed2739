// A channel that cannot carry its chunks gives those that are untouched to another that serves their firm and is up.

import type { ChannelConfig } from '../domain/entities/channel.js';
import { groupBy } from '../domain/group-by.js';
import type { CustomerId } from '../domain/id.js';
import { lockAccount } from '../store/account.js';
import { type Lease, readLiveChannels } from '../store/channel-lease.js';
import type { Sql } from '../store/connect.js';
import { moveChunks, readMovable } from '../store/reroute.js';
import type { Snapshot } from '../store/snapshot/snapshot.js';

const BATCH = 200;

/** How many chunks found another way. The caller holds the channel's lease and sends nothing meanwhile. */
export async function rerouteChannel(
  deps: { readonly sql: Sql; readonly snapshot: () => Snapshot },
  lease: Lease,
  from: ChannelConfig,
): Promise<number> {
  const movable = await readMovable(deps.sql, lease.channelId, BATCH);
  if (movable.length === 0) return 0;
  const live = await readLiveChannels(deps.sql);
  const byCustomer = groupBy(movable, (chunk) => chunk.customerId);
  let moved = 0;
  for (const [customerId, chunks] of byCustomer) {
    const others = deps.snapshot().grantedChannels(customerId);
    const moves = chunks.flatMap((chunk, turn) => {
      const ways = others.filter(
        (channel) =>
          channel.channelId !== from.channelId && live.has(channel.channelId) && channel.firms.includes(chunk.firm),
      );
      const way = ways[turn % Math.max(1, ways.length)];
      return way === undefined ? [] : [{ ...chunk, to: way.channelId }];
    });
    if (moves.length > 0) moved += await move(deps.sql, customerId, lease, moves);
  }
  return moved;
}

async function move(
  sql: Sql,
  customerId: CustomerId,
  lease: Lease,
  moves: Parameters<typeof moveChunks>[2],
): Promise<number> {
  return await sql.begin(async (tx) => {
    await lockAccount(tx, customerId, [lease]);
    return await moveChunks(tx, customerId, moves);
  });
}
