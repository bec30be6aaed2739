// A channel that cannot carry its chunks gives those that can still go another way to channels that serve their firm and
// are up. A chunk goes as it is; one in the middle of a message stays with its carrier, and gives away the numbers of which
// nothing has gone out.

import type { StoredChunk } from '../../domain/chunk.js';
import { hasBegunMessage, isUntouched } from '../../domain/chunk-state.js';
import type { ChannelConfig } from '../../domain/entities/channel.js';
import { keepAllParts } from '../../domain/failover.js';
import { happeningsOfNumbers } from '../../domain/happening.js';
import type { CustomerId } from '../../domain/id.js';
import { nextQueueNo } from '../../domain/ledger.js';
import { type Lease, readLiveChannels } from '../../store/channel/channel-lease.js';
import { type ChunkMove, moveChunks, readQueuedChunks, readQueuedCustomers } from '../../store/chunk/dispatch-queue.js';
import type { Sql } from '../../store/connect.js';
import { lockAccounts, writeAccounts } from '../../store/money/account.js';
import { runTogether } from '../../store/run-together.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { Recorder } from '../settle/recorder.js';

const CUSTOMERS_A_PAGE = 100;
const PAGE = { chunks: 50, parts: Number.MAX_SAFE_INTEGER };

export interface RerouteDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly recorder: Pick<Recorder, 'record'>;
}

/** How many chunks found another way, be it in part. The caller holds the channel's lease and sends nothing meanwhile. */
export async function rerouteChannel(deps: RerouteDeps, lease: Lease, from: ChannelConfig): Promise<number> {
  const live = await readLiveChannels(deps.sql);
  live.delete(from.channelId);
  let moved = 0;
  for (const bucket of live.size === 0 ? [] : deps.snapshot().buckets()) {
    for (let after = 0n, more = true; more; ) {
      const page = await readQueuedCustomers(deps.sql, bucket, lease.channelId, after, CUSTOMERS_A_PAGE);
      for (const customerId of page) moved += await rerouteCustomer(deps, bucket, customerId, lease, from, live);
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
  from: ChannelConfig,
  live: ReadonlySet<bigint>,
): Promise<number> {
  const ways = deps
    .snapshot()
    .grantedChannels(customerId)
    .filter((channel) => live.has(channel.channelId));
  let moved = 0;
  for (let after: bigint | undefined = 0n; after !== undefined && ways.length > 0; ) {
    const marks = [{ customerId, after }];
    const page: StoredChunk[] = await readQueuedChunks(deps.sql, bucket, lease.channelId, marks, PAGE);
    const moves = page.flatMap((stored, turn) => findWay(stored, turn, from, ways));
    const begun = moves.filter(({ stored }) => hasBegunMessage(stored.state));
    const whole = moves.filter((move) => !begun.includes(move)).map(({ stored, to }) => ({ chunk: stored.chunk, to }));
    moved += await moveWhole(deps.sql, bucket, customerId, lease, whole);
    moved += await moveUnsent(deps, lease, begun);
    after = page.length < PAGE.chunks ? undefined : page.at(-1)?.chunk.queueNo;
  }
  return moved;
}

interface Way {
  readonly stored: StoredChunk;
  readonly to: bigint;
}

/**
 * Channels take turns; one that has refused the numbers before is not asked again, nor one whose alphabet would cut a text into
 * more or fewer parts than it was priced for.
 */
function findWay(stored: StoredChunk, turn: number, from: ChannelConfig, ways: readonly ChannelConfig[]): Way[] {
  const { chunk } = stored;
  const serving = ways.filter(
    ({ firms, channelId, alphabet }) =>
      firms.includes(chunk.firm) &&
      !chunk.tried.includes(channelId) &&
      (alphabet === from.alphabet || keepAllParts(chunk, alphabet)),
  );
  const way = serving[turn % Math.max(1, serving.length)];
  return way === undefined ? [] : [{ stored, to: way.channelId }];
}

async function moveWhole(
  sql: Sql,
  bucket: number,
  customerId: CustomerId,
  lease: Lease,
  moves: readonly Omit<ChunkMove, 'queueNo'>[],
): Promise<number> {
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

/** The parts of a message stay with the carrier that has the first; the other numbers of its chunk go on without it. */
async function moveUnsent({ recorder }: RerouteDeps, lease: Lease, begun: readonly Way[]): Promise<number> {
  const given = begun.map(({ stored: { chunk, state }, to }) =>
    happeningsOfNumbers(chunk, { event: { kind: 'rerouted' }, otherWay: to }, (index) => isUntouched(state, index)),
  );
  const happenings = given.flat();
  if (happenings.length > 0) await recorder.record(happenings, lease);
  return given.filter((ofChunk) => ofChunk.length > 0).length;
}
