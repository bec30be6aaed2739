// Moves the queued chunks of a channel that is down or switched off to other channels that serve their firm and are up. A chunk with a
// message in progress stays, because all parts of a message use one carrier; only its untouched numbers move. Chunks without another
// channel are read again only when other channels come up or the configuration changes.

import type { StoredChunk } from '../../../domain/chunk/chunk.js';
import { hasBegunMessage, isUntouched, PART } from '../../../domain/chunk/chunk-state.js';
import type { ChannelConfig } from '../../../domain/entities/channel.js';
import { nextQueueNo } from '../../../domain/money/ledger.js';
import { type DeliveryEvent, deliveryEventsOfNumbers } from '../../../domain/outcome/delivery-event.js';
import { isAlike, keepAllParts } from '../../../domain/plan/failover.js';
import { MESSAGE_CLASSES } from '../../../domain/rules/message-class.js';
import { classOfQueue, customerOfQueue, placesOf, type QueueKey } from '../../../domain/rules/queue-place.js';
import { type Lease, readLiveChannels } from '../../../store/channel/channel-lease.js';
import { moveChunks, readAllQueuedChunks } from '../../../store/chunk/dispatch-queue.js';
import { bucketSql } from '../../../store/cluster/distribution.js';
import { lockAccounts, writeAccounts } from '../../../store/money/account.js';
import { runTogether } from '../../../store/run-together.js';
import type { Snapshot } from '../../../store/snapshot/snapshot.js';
import type { Sql } from '../../../store/sql.js';
import { type Recorder, recordAll } from '../../settle/recorder.js';
import { createQueueWatch, type QueueWatch } from '../sending/queue-watch.js';

const PAGE = { chunks: 50, parts: Number.MAX_SAFE_INTEGER };

export interface RerouteDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly recorder: Pick<Recorder, 'record'>;
}

export interface Rerouter {
  /** Whether there may be something to move. Needs no lease. */
  isDue(): Promise<boolean>;
  /** Moves what `isDue` found. Returns how many chunks moved, wholly or in part. The caller must not send meanwhile. */
  run(lease: Lease): Promise<number>;
}

/** How far a queue was tried. */
interface Tried {
  /** Up to this place every chunk was moved, or has no other channel. */
  after: bigint;
  /** Chunks up to this place have another channel, but had parts on the wire or changed meanwhile: they are tried again. */
  until: bigint | undefined;
}

interface BucketQueues {
  readonly watch: QueueWatch;
  /** Queues with chunks that could not move. */
  readonly left: Map<QueueKey, Tried>;
  /** Queues with chunks that were not tried. */
  readonly due: Set<QueueKey>;
}

export function createRerouter(deps: RerouteDeps, from: ChannelConfig): Rerouter {
  const { sql, snapshot } = deps;
  const { channelId } = from;
  const queues = new Map<number, BucketQueues>();
  let live: ReadonlySet<bigint> = new Set();
  let lastLive = '';

  const queueOf = (bucket: number): BucketQueues => {
    const watch = () => createQueueWatch({ sql, bucket, channelId });
    const queue = queues.get(bucket) ?? { watch: watch(), left: new Map(), due: new Set() };
    queues.set(bucket, queue);
    return queue;
  };

  const findWays = (queue: QueueKey): readonly ChannelConfig[] =>
    snapshot()
      .grantedChannels(customerOfQueue(queue))
      .filter((channel) => live.has(channel.channelId));

  const poll = async (bucket: number): Promise<void> => {
    const { watch, left, due } = queueOf(bucket);
    for (const { queue, last } of await watch.poll()) {
      const tried = left.get(queue);
      if (tried === undefined || last === undefined || last > tried.after) due.add(queue);
    }
  };

  /** Other channels are up, or the configuration changed: chunks without another channel may have one now. */
  const forgetTried = (): void => {
    for (const { left, due } of queues.values()) {
      for (const queue of left.keys()) due.add(queue);
      left.clear();
    }
  };

  const isMovable = (queues: BucketQueues): boolean => [...queues.due].some((queue) => findWays(queue).length > 0);

  const moveOf = async (lease: Lease, bucket: number, queue: QueueKey): Promise<number> => {
    const { left, due } = queueOf(bucket);
    const ways = findWays(queue);
    if (ways.length === 0) return 0;
    const before = left.get(queue);
    const isRetry = before?.until !== undefined && !due.has(queue);
    const { moved, tried } = await rerouteQueue(deps, {
      bucket,
      queue,
      lease,
      from,
      ways,
      after: before?.after,
      until: isRetry ? before.until : undefined,
    });
    due.delete(queue);
    if (tried === undefined) left.delete(queue);
    else left.set(queue, tried);
    return moved;
  };

  return {
    async isDue() {
      const found = await readLiveChannels(sql);
      found.delete(channelId);
      live = found;
      if (live.size === 0) return false;
      for (const bucket of snapshot().buckets()) await poll(bucket);
      const liveNow = `${snapshot().version} ${[...live].sort().join(' ')}`;
      if (liveNow !== lastLive) forgetTried();
      lastLive = liveNow;
      const all = [...queues.values()];
      return all.some((queue) => isMovable(queue) || [...queue.left.values()].some(({ until }) => until !== undefined));
    },
    async run(lease) {
      let moved = 0;
      for (const [bucket, { left, due }] of queues) {
        const onTheWire = [...left].filter(([, { until }]) => until !== undefined).map(([queue]) => queue);
        for (const queue of byUrgency(new Set([...due, ...onTheWire]))) moved += await moveOf(lease, bucket, queue);
      }
      return moved;
    },
  };
}

function byUrgency(queues: ReadonlySet<QueueKey>): QueueKey[] {
  const urgencyOf = (queue: QueueKey) => MESSAGE_CLASSES.indexOf(classOfQueue(queue));
  return [...queues].sort((one, other) => urgencyOf(one) - urgencyOf(other));
}

interface QueueToReroute {
  readonly bucket: number;
  readonly queue: QueueKey;
  readonly lease: Lease;
  readonly from: ChannelConfig;
  readonly ways: readonly ChannelConfig[];
  /** Undefined: from its start. */
  readonly after: bigint | undefined;
  /** Undefined: to the end of the queue. */
  readonly until: bigint | undefined;
}

/** Returns how many chunks moved, and `tried` if chunks are left. */
async function rerouteQueue(
  deps: RerouteDeps,
  rerouted: QueueToReroute,
): Promise<{ readonly moved: number; readonly tried: Tried | undefined }> {
  const { bucket, queue, lease, from, ways, until } = rerouted;
  let moved = 0;
  let after = rerouted.after ?? placesOf(queue).after;
  let isLeft = after > placesOf(queue).after;
  const onTheWire: bigint[] = [];
  for (let isMore = true; isMore; ) {
    const page = await readAllQueuedChunks(
      bucketSql(deps.sql, bucket),
      bucket,
      lease.channelId,
      [{ queue, after }],
      PAGE,
    );
    const moves = page.flatMap((stored, turn) => findWay(stored, turn, from, waysOf(deps, stored, ways)));
    const begun = moves.filter(({ stored }) => hasBegunMessage(stored.state));
    const whole = moves.filter((move) => !begun.includes(move) && !isOnTheWire(move));
    const stayed = await moveWhole(bucketSql(deps.sql, bucket), rerouted, whole);
    const cut = await moveUnsent(deps, lease, begun);
    moved += whole.length - stayed.length + cut.length;
    // Chunks that were cut, too: a number may have been intended since they were read.
    const again = moves.filter((move) => isOnTheWire(move) || stayed.includes(move) || cut.includes(move));
    onTheWire.push(...again.map(({ stored }) => stored.chunk.queueNo));
    isLeft ||= stayed.length > 0 || page.length > whole.length;
    after = page.at(-1)?.chunk.queueNo ?? after;
    isMore = page.length === PAGE.chunks && (until === undefined || after < until);
  }
  const [firstOnTheWire] = onTheWire;
  if (!isLeft) return { moved, tried: undefined };
  const tried = { after: firstOnTheWire === undefined ? after : firstOnTheWire - 1n, until: onTheWire.at(-1) };
  return { moved, tried };
}

/** Whether a part is sent and not answered. If it is withdrawn, its number may move. */
function isOnTheWire({ stored }: Way): boolean {
  return stored.state.partStates.includes(PART.intended);
}

/** A channel that requires filing accepts only filed senders. */
function waysOf({ snapshot }: RerouteDeps, { chunk }: StoredChunk, ways: readonly ChannelConfig[]): ChannelConfig[] {
  return ways.filter((channel) => snapshot().isFiled(channel, chunk.serviceAccountId));
}

export interface Way {
  readonly stored: StoredChunk;
  readonly to: bigint;
}

/**
 * Channels take turns. A channel that refused the numbers before is excluded, and so is one that would split a text into another
 * number of parts than was priced, or of submissions than are stored.
 */
export function findWay(stored: StoredChunk, turn: number, from: ChannelConfig, ways: readonly ChannelConfig[]): Way[] {
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

/** Returns the chunks that could not move, because they have changed since they were read. */
async function moveWhole(
  sql: Sql,
  { bucket, queue, lease }: QueueToReroute,
  moves: readonly Way[],
): Promise<readonly Way[]> {
  if (moves.length === 0) return [];
  const customerId = customerOfQueue(queue);
  return await sql.begin(async (tx) => {
    const { accounts, now } = await lockAccounts(tx, bucket, [customerId], [lease]);
    const [account] = accounts.values();
    if (account === undefined) return moves;
    const placed = moves.map((way) => {
      const queueNo = nextQueueNo(account, classOfQueue(queue));
      return { way, ...way.stored, to: way.to, queueNo };
    });
    const moved = await moveChunks(tx, bucket, customerId, placed, now);
    await runTogether(tx, writeAccounts(tx, bucket, [account]));
    return placed.filter(({ queueNo }) => !moved.has(queueNo)).map(({ way }) => way);
  });
}

/** Moves the untouched numbers of chunks with a message in progress. Returns the chunks that have such numbers. */
async function moveUnsent({ recorder }: RerouteDeps, lease: Lease, begun: readonly Way[]): Promise<readonly Way[]> {
  const given = begun.map((way) => ({ way, deliveryEvents: moveEventsOf(way) }));
  const deliveryEvents = given.flatMap((each) => each.deliveryEvents);
  if (deliveryEvents.length > 0) await recordAll(recorder, deliveryEvents, lease);
  return given.filter((each) => each.deliveryEvents.length > 0).map(({ way }) => way);
}

/** Moves the numbers of a chunk of which nothing was sent. */
export function moveEventsOf({ stored: { chunk, state }, to }: Way): DeliveryEvent[] {
  const rerouted = { event: { kind: 'rerouted' }, failoverChannel: to } as const;
  return deliveryEventsOfNumbers(chunk, rerouted, (index) => isUntouched(state, index));
}
