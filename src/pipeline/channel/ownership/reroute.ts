// Moves the queued chunks of a channel that is down or switched off to other channels that serve their firm and are up. Chunks without
// another channel are read again only when other channels come up or the configuration changes.

import type { StoredChunk } from '../../../domain/chunk/chunk.js';
import type { ChannelConfig } from '../../../domain/entities/channel.js';
import { MESSAGE_CLASSES } from '../../../domain/rules/message-class.js';
import { classOfQueue, customerOfQueue, placesOf, type QueueKey } from '../../../domain/rules/queue-place.js';
import { type Lease, readLiveChannels } from '../../../store/channel/channel-lease.js';
import { readAllQueuedChunks } from '../../../store/chunk/dispatch-queue.js';
import { bucketSql } from '../../../store/cluster/distribution.js';
import type { Snapshot } from '../../../store/snapshot/snapshot.js';
import { createQueueWatch, type QueueWatch } from '../sending/queue-watch.js';
import { type MoveDeps, moveAway, planMove } from './move-chunks.js';

const PAGE = { chunks: 50, parts: Number.MAX_SAFE_INTEGER };

export interface RerouteDeps extends MoveDeps {
  readonly snapshot: () => Snapshot;
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

  const findAlternativeChannels = (queue: QueueKey): readonly ChannelConfig[] =>
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

  const isMovable = (queues: BucketQueues): boolean =>
    [...queues.due].some((queue) => findAlternativeChannels(queue).length > 0);

  const moveOf = async (lease: Lease, bucket: number, queue: QueueKey): Promise<number> => {
    const { left, due } = queueOf(bucket);
    const channels = findAlternativeChannels(queue);
    if (channels.length === 0) return 0;
    const before = left.get(queue);
    const isRetry = before?.until !== undefined && !due.has(queue);
    const { moved, tried } = await rerouteQueue(deps, {
      bucket,
      queue,
      lease,
      from,
      channels,
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
  readonly channels: readonly ChannelConfig[];
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
  const { bucket, queue, lease, from, channels, until } = rerouted;
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
    const moves = page.flatMap((stored, at) => planMove(stored, at, from, filterFiled(deps, stored, channels)));
    const { whole, cut, again } = await moveAway(deps, rerouted, moves);
    moved += whole + cut;
    onTheWire.push(...again.map(({ stored }) => stored.chunk.queueNo));
    isLeft ||= page.length > whole;
    after = page.at(-1)?.chunk.queueNo ?? after;
    isMore = page.length === PAGE.chunks && (until === undefined || after < until);
  }
  const [firstOnTheWire] = onTheWire;
  if (!isLeft) return { moved, tried: undefined };
  const tried = { after: firstOnTheWire === undefined ? after : firstOnTheWire - 1n, until: onTheWire.at(-1) };
  return { moved, tried };
}

/** A channel that requires filing accepts only filed senders. */
function filterFiled(
  { snapshot }: RerouteDeps,
  { chunk }: StoredChunk,
  channels: readonly ChannelConfig[],
): ChannelConfig[] {
  return channels.filter((channel) => snapshot().isFiled(channel, chunk.serviceAccountId));
}
