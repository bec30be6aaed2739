// A channel that cannot carry its chunks gives those that can still go another way to channels that serve their firm and
// are up. A chunk goes as it is; one in the middle of a message stays with its carrier, and gives away the numbers of which
// nothing has gone out. What finds no way is read again only when there are other ways: other channels are up, or the configuration
// has changed.

import type { StoredChunk } from '../../../domain/chunk/chunk.js';
import { hasBegunMessage, isUntouched } from '../../../domain/chunk/chunk-state.js';
import type { ChannelConfig } from '../../../domain/entities/channel.js';
import { nextQueueNo } from '../../../domain/money/ledger.js';
import { deliveryEventsOfNumbers } from '../../../domain/outcome/delivery-event.js';
import { isAlike, keepAllParts } from '../../../domain/plan/failover.js';
import { MESSAGE_CLASSES } from '../../../domain/rules/message-class.js';
import { classOfQueue, customerOfQueue, placesOf, type QueueKey } from '../../../domain/rules/queue-place.js';
import { type Lease, readLiveChannels } from '../../../store/channel/channel-lease.js';
import { moveChunks, readQueuedChunks } from '../../../store/chunk/dispatch-queue.js';
import type { Sql } from '../../../store/connect.js';
import { lockAccounts, writeAccounts } from '../../../store/money/account.js';
import { runTogether } from '../../../store/run-together.js';
import type { Snapshot } from '../../../store/snapshot/snapshot.js';
import { type Recorder, recordAll } from '../../settle/recorder.js';
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

/** How far a queue has been tried. */
interface Tried {
  /** Up to this place every chunk has been moved, or has no way. */
  after: bigint;
  /** Chunks up to this place had a way and parts on the wire: they are tried again, those behind are not. */
  until: bigint | undefined;
}

interface BucketQueues {
  readonly watch: QueueWatch;
  /** Queues with chunks that were left where they are. */
  readonly left: Map<QueueKey, Tried>;
  /** Queues with chunks that were not tried. */
  readonly due: Set<QueueKey>;
}

export function createRerouter(deps: RerouteDeps, from: ChannelConfig): Rerouter {
  const { sql, snapshot } = deps;
  const { channelId } = from;
  const queues = new Map<number, BucketQueues>();
  let live: ReadonlySet<bigint> = new Set();
  let liveThen = '';

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

  const look = async (bucket: number): Promise<void> => {
    const { watch, left, due } = queueOf(bucket);
    for (const { queue, last } of await watch.look()) {
      const tried = left.get(queue);
      if (tried === undefined || last === undefined || last > tried.after) due.add(queue);
    }
  };

  /** With other channels up, or another configuration, what had no way may have one. */
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

/** How many chunks found another way, and what is left; undefined when nothing is. */
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
    const page = await readQueuedChunks(deps.sql, bucket, lease.channelId, [{ queue, after }], PAGE);
    const moves = page.flatMap((stored, turn) => findWay(stored, turn, from, waysOf(deps, stored, ways)));
    const begun = moves.filter(({ stored }) => hasBegunMessage(stored.state));
    const whole = moves.filter((move) => !begun.includes(move));
    const stayed = await moveWhole(deps.sql, rerouted, whole);
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

/** A channel that asks for a filing carries only what is filed with it. */
function waysOf({ snapshot }: RerouteDeps, { chunk }: StoredChunk, ways: readonly ChannelConfig[]): ChannelConfig[] {
  return ways.filter((channel) => snapshot().isFiled(channel, chunk.serviceAccountId));
}

interface Way {
  readonly stored: StoredChunk;
  readonly to: bigint;
}

/**
 * Channels take turns; one that has refused the numbers before is not asked again, nor one that would cut a text into more or
 * fewer parts than it was priced for, or submissions than are stored.
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

/** Returns those that stayed: they have parts on the wire, or have changed their place since. */
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
      return { way, chunk: way.stored.chunk, to: way.to, queueNo };
    });
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
  if (deliveryEvents.length > 0) await recordAll(recorder, deliveryEvents, lease);
  return given.filter((ofChunk) => ofChunk.length > 0).length;
}
