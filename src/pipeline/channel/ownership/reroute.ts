// A channel that cannot carry its chunks gives those that can still go another way to channels that serve their firm and
// are up. A chunk goes as it is; one in the middle of a message stays with its carrier, and gives away the numbers of which
// nothing has gone out. What finds no way is read again only when there are other ways: other channels are up, or the configuration
// has changed.

import type { StoredChunk } from '../../../domain/chunk/chunk.js';
import { hasBegunMessage, isUntouched } from '../../../domain/chunk/chunk-state.js';
import type { ChannelConfig } from '../../../domain/entities/channel.js';
import type { CustomerId } from '../../../domain/id.js';
import { nextQueueNo } from '../../../domain/money/ledger.js';
import { deliveryEventsOfNumbers } from '../../../domain/outcome/delivery-event.js';
import { isAlike, keepAllParts } from '../../../domain/plan/failover.js';
import { type Lease, readLiveChannels } from '../../../store/channel/channel-lease.js';
import { moveChunks, readQueuedChunks } from '../../../store/chunk/dispatch-queue.js';
import type { Sql } from '../../../store/connect.js';
import { lockAccounts, writeAccounts } from '../../../store/money/account.js';
import { runTogether } from '../../../store/run-together.js';
import type { Snapshot } from '../../../store/snapshot/snapshot.js';
import type { Recorder } from '../../settle/recorder.js';
import { createQueueWatch, type QueueWatch } from '../sending/queue-watch.js';

const PAGE = { chunks: 50, parts: Number.MAX_SAFE_INTEGER };

export interface RerouteDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly recorder: Pick<Recorder, 'record'>;
}

export interface Rerouter {
  /** Whether there is something to move, or there may be. Needs no lease. */
  isDue(): Promise<boolean>;
  /** Moves what `isDue` has found. Returns how many chunks found another way, be it in part. The caller sends nothing meanwhile. */
  run(lease: Lease): Promise<number>;
}

/** How far the queue of a customer has been tried. */
interface Tried {
  /** Up to this place every chunk has been moved, or has no way. */
  after: bigint;
  /** Chunks up to this place had a way and parts on the wire: they are tried again, those behind are not. */
  until: bigint | undefined;
}

interface BucketQueue {
  readonly watch: QueueWatch;
  /** Customers with chunks that were left where they are. */
  readonly left: Map<CustomerId, Tried>;
  /** Customers with chunks that were not tried. */
  readonly due: Set<CustomerId>;
}

export function createRerouter(deps: RerouteDeps, from: ChannelConfig): Rerouter {
  const { sql, snapshot } = deps;
  const { channelId } = from;
  const queues = new Map<number, BucketQueue>();
  let live: ReadonlySet<bigint> = new Set();
  let liveThen = '';

  const queueOf = (bucket: number): BucketQueue => {
    const watch = () => createQueueWatch({ sql, bucket, channelId });
    const queue = queues.get(bucket) ?? { watch: watch(), left: new Map(), due: new Set() };
    queues.set(bucket, queue);
    return queue;
  };

  const findWays = (customerId: CustomerId): readonly ChannelConfig[] =>
    snapshot()
      .grantedChannels(customerId)
      .filter((channel) => live.has(channel.channelId));

  const look = async (bucket: number): Promise<void> => {
    const { watch, left, due } = queueOf(bucket);
    for (const { customerId, last } of await watch.look()) {
      const tried = left.get(customerId);
      if (tried === undefined || last === undefined || last > tried.after) due.add(customerId);
    }
  };

  /** With other channels up, or another configuration, what had no way may have one. */
  const forgetTried = (): void => {
    for (const { left, due } of queues.values()) {
      for (const customerId of left.keys()) due.add(customerId);
      left.clear();
    }
  };

  const isMovable = (queue: BucketQueue): boolean =>
    [...queue.due].some((customerId) => findWays(customerId).length > 0);

  const moveOf = async (lease: Lease, bucket: number, customerId: CustomerId): Promise<number> => {
    const { left, due } = queueOf(bucket);
    const ways = findWays(customerId);
    if (ways.length === 0) return 0;
    const before = left.get(customerId);
    const isRetry = before?.until !== undefined && !due.has(customerId);
    const { moved, tried } = await rerouteCustomer(deps, {
      bucket,
      customerId,
      lease,
      from,
      ways,
      after: before?.after ?? 0n,
      until: isRetry ? before.until : undefined,
    });
    due.delete(customerId);
    if (tried === undefined) left.delete(customerId);
    else left.set(customerId, tried);
    return moved;
  };

  return {
    async isDue() {
      const found = await readLiveChannels(sql);
      found.delete(channelId);
      live = found;
      if (live.size === 0) return false;
      for (const bucket of snapshot().buckets()) await look(bucket);
      const liveNow = `${snapshot().version} ${[...live].sort().join(' ')}`;
      if (liveNow !== liveThen) forgetTried();
      liveThen = liveNow;
      const all = [...queues.values()];
      return all.some((queue) => isMovable(queue) || [...queue.left.values()].some(({ until }) => until !== undefined));
    },
    async run(lease) {
      let moved = 0;
      for (const [bucket, { left, due }] of queues) {
        const onTheWire = [...left].filter(([, { until }]) => until !== undefined).map(([customerId]) => customerId);
        for (const customerId of new Set([...due, ...onTheWire])) moved += await moveOf(lease, bucket, customerId);
      }
      return moved;
    },
  };
}

interface CustomerQueue {
  readonly bucket: number;
  readonly customerId: CustomerId;
  readonly lease: Lease;
  readonly from: ChannelConfig;
  readonly ways: readonly ChannelConfig[];
  readonly after: bigint;
  /** Undefined: to the end of the queue. */
  readonly until: bigint | undefined;
}

/** How many chunks found another way, and what is left; undefined when nothing is. */
async function rerouteCustomer(
  deps: RerouteDeps,
  queue: CustomerQueue,
): Promise<{ readonly moved: number; readonly tried: Tried | undefined }> {
  const { bucket, customerId, lease, from, ways, until } = queue;
  let moved = 0;
  let isLeft = queue.after > 0n;
  const onTheWire: bigint[] = [];
  let after = queue.after;
  for (let isMore = true; isMore; ) {
    const page = await readQueuedChunks(deps.sql, bucket, lease.channelId, [{ customerId, after }], PAGE);
    const moves = page.flatMap((stored, turn) => findWay(stored, turn, from, ways));
    const begun = moves.filter(({ stored }) => hasBegunMessage(stored.state));
    const whole = moves.filter((move) => !begun.includes(move));
    const stayed = await moveWhole(deps.sql, queue, whole);
    moved += whole.length - stayed.length + (await moveUnsent(deps, lease, begun));
    onTheWire.push(...stayed.map(({ stored }) => stored.chunk.queueNo));
    isLeft ||= stayed.length > 0 || page.length > whole.length;
    after = page.at(-1)?.chunk.queueNo ?? after;
    isMore = page.length === PAGE.chunks && (until === undefined || after < until);
  }
  const [firstOnTheWire] = onTheWire;
  if (!isLeft) return { moved, tried: undefined };
  const tried = { after: firstOnTheWire === undefined ? after : firstOnTheWire - 1n, until: onTheWire.at(-1) };
  return { moved, tried };
}

interface Way {
  readonly stored: StoredChunk;
  readonly to: bigint;
}

/**
 * Channels take turns; one that has refused the numbers before is not asked again, nor one that would cut a text into more or
 * fewer parts than it was priced for, or submissions than are stored.
 */
function findWay(stored: StoredChunk, turn: number, from: ChannelConfig, ways: readonly ChannelConfig[]): Way[] {
  const { chunk } = stored;
  const serving = ways.filter(
    (channel) =>
      channel.firms.includes(chunk.firm) &&
      !chunk.tried.includes(channel.channelId) &&
      (isAlike(channel, from) || keepAllParts(chunk, channel)),
  );
  const way = serving[turn % Math.max(1, serving.length)];
  return way === undefined ? [] : [{ stored, to: way.channelId }];
}

/** Returns those that stayed: they have parts on the wire, or have changed their place since. */
async function moveWhole(
  sql: Sql,
  { bucket, customerId, lease }: CustomerQueue,
  moves: readonly Way[],
): Promise<readonly Way[]> {
  if (moves.length === 0) return [];
  return await sql.begin(async (tx) => {
    const { accounts, now } = await lockAccounts(tx, bucket, [customerId], [lease]);
    const [account] = accounts.values();
    if (account === undefined) return moves;
    const placed = moves.map((way) => ({ way, chunk: way.stored.chunk, to: way.to, queueNo: nextQueueNo(account) }));
    const moved = await moveChunks(tx, bucket, customerId, placed, now);
    await runTogether(tx, writeAccounts(tx, bucket, [account]));
    return placed.filter(({ queueNo }) => !moved.has(queueNo)).map(({ way }) => way);
  });
}

/** The parts of a message stay with the carrier that has the first; the other numbers of its chunk go on without it. */
async function moveUnsent({ recorder }: RerouteDeps, lease: Lease, begun: readonly Way[]): Promise<number> {
  const given = begun.map(({ stored: { chunk, state }, to }) =>
    deliveryEventsOfNumbers(chunk, { event: { kind: 'rerouted' }, failoverChannel: to }, (index) =>
      isUntouched(state, index),
    ),
  );
  const deliveryEvents = given.flat();
  if (deliveryEvents.length > 0) await recorder.record(deliveryEvents, lease);
  return given.filter((ofChunk) => ofChunk.length > 0).length;
}
