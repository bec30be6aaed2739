// Moves the queued chunks of a customer to other channels. A chunk with a message in progress stays, because all parts of a message use one
// carrier; only its untouched numbers move.

import type { StoredChunk } from '../../../domain/chunk/chunk.js';
import { hasBegunMessage, isUntouched, PART } from '../../../domain/chunk/chunk-state.js';
import type { ChannelConfig } from '../../../domain/entities/channel.js';
import { nextQueueNo } from '../../../domain/money/ledger.js';
import { type DeliveryEvent, deliveryEventsOfNumbers } from '../../../domain/outcome/delivery-event.js';
import { isAlike, keepAllParts } from '../../../domain/plan/failover.js';
import { classOfQueue, customerOfQueue, type QueueKey } from '../../../domain/rules/queue-place.js';
import type { Lease } from '../../../store/channel/channel-lease.js';
import { moveChunks } from '../../../store/chunk/dispatch-queue.js';
import { bucketSql } from '../../../store/cluster/distribution.js';
import { lockAccounts, writeAccounts } from '../../../store/money/account.js';
import { runTogether } from '../../../store/run-together.js';
import type { Sql } from '../../../store/sql.js';
import { type Recorder, recordAll } from '../../settle/recorder.js';

export interface MoveDeps {
  readonly sql: Sql;
  readonly recorder: Pick<Recorder, 'record'>;
}

/** A chunk, and the channel that it moves to. */
export interface ChunkMove {
  readonly stored: StoredChunk;
  readonly to: bigint;
}

/** The queue that the chunks leave, and the lease of its channel where the caller holds one. */
export interface LeftQueue {
  readonly bucket: number;
  readonly queue: QueueKey;
  readonly lease?: Lease;
}

/**
 * Rotates over the channels, by the position `at` of the chunk in its page. Excludes a channel that refused the numbers before, and one
 * that would split a text into another number of parts than was priced, or of submissions than are stored.
 */
export function planMove(
  stored: StoredChunk,
  at: number,
  from: ChannelConfig,
  channels: readonly ChannelConfig[],
): ChunkMove[] {
  const { chunk } = stored;
  const serving = channels.filter(
    (channel) =>
      channel.firms.includes(chunk.firm) &&
      !chunk.tried.includes(channel.channelId) &&
      (isAlike(channel, from) || keepAllParts(chunk, channel)),
  );
  const channel = serving[at % Math.max(1, serving.length)];
  return channel === undefined ? [] : [{ stored, to: channel.channelId }];
}

/** The result of a move. */
export interface MovedAway {
  /** How many moved. */
  readonly whole: number;
  /** Of how many only some numbers moved. */
  readonly cut: number;
  /** Those that may move later: with a part on the wire, changed since they were read, or cut. */
  readonly again: readonly ChunkMove[];
}

export async function moveAway(
  { sql, recorder }: MoveDeps,
  from: LeftQueue,
  moves: readonly ChunkMove[],
): Promise<MovedAway> {
  const begun = moves.filter(({ stored }) => hasBegunMessage(stored.state));
  const whole = moves.filter((move) => !begun.includes(move) && !isOnTheWire(move));
  const stayed = await moveWhole(bucketSql(sql, from.bucket), from, whole);
  const cut = begun.filter((move) => moveEventsOf(move).length > 0);
  if (cut.length > 0) await recordAll(recorder, cut.flatMap(moveEventsOf), from.lease);
  // Also what was cut: a number may have been intended since it was read.
  const again = moves.filter((move) => isOnTheWire(move) || stayed.includes(move) || cut.includes(move));
  return { whole: whole.length - stayed.length, cut: cut.length, again };
}

/** Whether a part is sent and not answered. If it is withdrawn, its number may move. */
function isOnTheWire({ stored }: ChunkMove): boolean {
  return stored.state.partStates.includes(PART.intended);
}

/** Moves the numbers of a chunk of which nothing was sent. */
export function moveEventsOf({ stored: { chunk, state }, to }: ChunkMove): DeliveryEvent[] {
  const rerouted = { event: { kind: 'rerouted' }, failoverChannel: to } as const;
  return deliveryEventsOfNumbers(chunk, rerouted, (index) => isUntouched(state, index));
}

/** Returns the chunks that stayed. Later intents for a moved chunk are refused, because its place has changed. */
async function moveWhole(
  sql: Sql,
  { bucket, queue, lease }: LeftQueue,
  moves: readonly ChunkMove[],
): Promise<readonly ChunkMove[]> {
  if (moves.length === 0) return [];
  const customerId = customerOfQueue(queue);
  return await sql.begin(async (tx) => {
    const { accounts, now } = await lockAccounts(tx, bucket, [customerId], lease === undefined ? [] : [lease]);
    const [account] = accounts.values();
    if (account === undefined) return moves;
    const placed = moves.map((move) => ({
      ...move.stored,
      move,
      to: move.to,
      queueNo: nextQueueNo(account, classOfQueue(queue)),
    }));
    const moved = await moveChunks(tx, bucket, customerId, placed, now);
    await runTogether(tx, writeAccounts(tx, bucket, [account]));
    return placed.filter(({ queueNo }) => !moved.has(queueNo)).map(({ move }) => move);
  });
}
