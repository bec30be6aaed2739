// Stranded numbers: for longer than the timeout, their channel has been down, removed or up for moments only, or their customer without
// its grant, and no other channel can take them. They are rejected and their money is released.

import type { ChunkKey } from '../../domain/chunk/chunk.js';
import { cutInto } from '../../domain/cut-into.js';
import { groupBy } from '../../domain/group-by.js';
import type { CustomerId } from '../../domain/id.js';
import { deliveryEventsOfNumbers } from '../../domain/outcome/delivery-event.js';
import { readQueuedCustomers } from '../../store/chunk/dispatch-queue.js';
import {
  type PausedKey,
  readGoneChannels,
  readOverdueChannels,
  readPausedOnChannels,
  readPausedOnRevoked,
  readStranded,
  readStrandedKeys,
} from '../../store/chunk/stranded.js';
import { bucketSql } from '../../store/cluster/distribution.js';
import { lockAccountsOrSkip } from '../../store/money/account.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { AnySql, Sql } from '../../store/sql.js';
import type { Quarantine } from '../quarantine/quarantine.js';
import { type SettleLimits, settleWithin } from '../settle/settle.js';

export interface StrandedDeps {
  readonly sql: Sql;
  readonly snapshot: () => Pick<Snapshot, 'customer' | 'revokedBefore'>;
  readonly limits: SettleLimits;
  readonly quarantine: Quarantine;
  /** How long a number waits for a channel that is down or removed, or a grant. */
  readonly unsentTimeoutMs: number;
  /** Channels that an operator has to release are not gone. */
  readonly isHeld?: () => boolean;
  /** In milliseconds. */
  readonly monotonicNow: () => number;
}

/** After an outage of the platform, channels get this long to come back before their numbers are rejected. */
const GRACE_MS = 5 * 60_000;
const CUSTOMERS_A_ROUND = 100;
/** Ten thousand numbers: bounds how long the transaction locks their accounts. */
const CHUNKS_A_ROUND = 20;
/** How often the paused tasks of a bucket are read, at most, while nothing of them is stranded. */
const PAUSED_MS = 60_000;

/** One round over a few chunks of a bucket; returns true if there may be more. */
export function createStrandedRound(deps: StrandedDeps): (bucket: number) => Promise<boolean> {
  const goneSince = new Map<bigint, number>();
  /** When the paused tasks of a bucket are read again. */
  const pausedAtMs = new Map<number, number>();
  let finding: Promise<bigint[]> | undefined;

  /** Channels that have been gone for the timeout, that this process has seen gone for a while, and that are down now. */
  const findGone = async (): Promise<bigint[]> => {
    if (deps.isHeld?.() === true) {
      goneSince.clear();
      return [];
    }
    const gone = await readGoneChannels(deps.sql, deps.unsentTimeoutMs);
    const now = deps.monotonicNow();
    const goneIds = new Set(gone.map(({ channelId }) => channelId));
    for (const channelId of goneSince.keys()) if (!goneIds.has(channelId)) goneSince.delete(channelId);
    for (const channelId of goneIds) if (!goneSince.has(channelId)) goneSince.set(channelId, now);
    const graceMs = Math.min(GRACE_MS, deps.unsentTimeoutMs);
    const isOver = (channelId: bigint) => now - (goneSince.get(channelId) ?? now) >= graceMs;
    return gone.filter(({ channelId, isUp }) => !isUp && isOver(channelId)).map(({ channelId }) => channelId);
  };

  return async (bucket) => {
    let isMore = false;
    // Shared by all buckets, which call this at about the same time.
    finding ??= findGone().finally(() => {
      finding = undefined;
    });
    const gone = await finding;
    const overdue =
      gone.length === 0
        ? []
        : await readOverdueChannels(bucketSql(deps.sql, bucket), bucket, gone, deps.unsentTimeoutMs);
    for (const channelId of overdue) if (await giveUpOnGone(deps, bucket, channelId)) isMore = true;
    if (deps.isHeld?.() !== true && (await giveUpOnRevoked(deps, bucket))) isMore = true;
    if (deps.isHeld?.() !== true && deps.monotonicNow() >= (pausedAtMs.get(bucket) ?? Number.NEGATIVE_INFINITY)) {
      if (await giveUpPaused(deps, bucket, gone)) isMore = true;
      else pausedAtMs.set(bucket, deps.monotonicNow() + Math.min(PAUSED_MS, deps.unsentTimeoutMs / 10));
    }
    return isMore;
  };
}

/** A channel that cannot send, for some customers or for all. */
interface StrandedOn {
  readonly channelId: bigint;
  /** For which customers it still cannot. A separate statement: on a cluster channels are on another machine than chunks. */
  readonly readStrandedOf: (tx: AnySql) => Promise<(customerId: CustomerId) => boolean>;
}

function onGone({ unsentTimeoutMs }: StrandedDeps, channelId: bigint): StrandedOn {
  return {
    channelId,
    readStrandedOf: async (tx) => {
      const gone = await readGoneChannels(tx, unsentTimeoutMs);
      const isGone = gone.some((other) => other.channelId === channelId && !other.isUp);
      return () => isGone;
    },
  };
}

function onRevoked(deps: StrandedDeps, bucket: number, channelId: bigint): StrandedOn {
  return {
    channelId,
    readStrandedOf: async () => {
      const now = readRevoked(deps, bucket);
      return (customerId) => now.some((grant) => grant.channelId === channelId && grant.customerId === customerId);
    },
  };
}

/** Grants of the bucket's customers that were revoked as long ago as the timeout. */
function readRevoked({ snapshot, unsentTimeoutMs }: StrandedDeps, bucket: number) {
  return snapshot()
    .revokedBefore(new Date(Date.now() - unsentTimeoutMs))
    .filter(({ customerId }) => snapshot().customer(customerId)?.bucket === bucket);
}

async function giveUpOnGone(deps: StrandedDeps, bucket: number, channelId: bigint): Promise<boolean> {
  const sql = bucketSql(deps.sql, bucket);
  const on = onGone(deps, channelId);
  let isMore = false;
  for (let after = 0n, customers = CUSTOMERS_A_ROUND; customers === CUSTOMERS_A_ROUND; ) {
    const page = await readQueuedCustomers(sql, bucket, channelId, after, CUSTOMERS_A_ROUND);
    if (await giveUpQueues(deps, bucket, on, page)) isMore = true;
    customers = page.length;
    after = page.at(-1) ?? after;
  }
  return isMore;
}

/** One look at the oldest chunk of each channel tells whether any customer has waited for so long. */
async function giveUpOnRevoked(deps: StrandedDeps, bucket: number): Promise<boolean> {
  const { unsentTimeoutMs } = deps;
  const revoked = groupBy(readRevoked(deps, bucket), ({ channelId }) => channelId);
  if (revoked.size === 0) return false;
  const sql = bucketSql(deps.sql, bucket);
  let isMore = false;
  for (const channelId of await readOverdueChannels(sql, bucket, [...revoked.keys()], unsentTimeoutMs)) {
    const customerIds = (revoked.get(channelId) ?? []).map(({ customerId }) => customerId);
    for (let at = 0; at < customerIds.length; at += CUSTOMERS_A_ROUND) {
      const page = customerIds.slice(at, at + CUSTOMERS_A_ROUND);
      if (await giveUpQueues(deps, bucket, onRevoked(deps, bucket, channelId), page)) isMore = true;
    }
  }
  return isMore;
}

/** Paused tasks are in no queue: the customer may resume them, but not on a channel that cannot send. */
async function giveUpPaused(deps: StrandedDeps, bucket: number, gone: readonly bigint[]): Promise<boolean> {
  const { unsentTimeoutMs, quarantine } = deps;
  const sql = bucketSql(deps.sql, bucket);
  const passed = quarantine.waitingTasks('give_up', bucket);
  const revoked = readRevoked(deps, bucket);
  const none: PausedKey[] = [];
  const [onChannels, ofRevoked] = await Promise.all([
    gone.length === 0 ? none : readPausedOnChannels(sql, bucket, gone, unsentTimeoutMs, CHUNKS_A_ROUND, passed),
    revoked.length === 0 ? none : readPausedOnRevoked(sql, bucket, revoked, unsentTimeoutMs, CHUNKS_A_ROUND, passed),
  ]);
  let hasRejectedSome = false;
  for (const [channelId, keys] of groupBy(onChannels, (key) => key.channelId)) {
    if (await giveUpKeys(deps, bucket, onGone(deps, channelId), keys)) hasRejectedSome = true;
  }
  for (const [channelId, keys] of groupBy(ofRevoked, (key) => key.channelId)) {
    if (await giveUpKeys(deps, bucket, onRevoked(deps, bucket, channelId), keys)) hasRejectedSome = true;
  }
  return hasRejectedSome;
}

async function giveUpQueues(
  deps: StrandedDeps,
  bucket: number,
  on: StrandedOn,
  customerIds: readonly CustomerId[],
): Promise<boolean> {
  const sql = bucketSql(deps.sql, bucket);
  const passed = deps.quarantine.waitingTasks('give_up', bucket);
  const { channelId } = on;
  const timeoutMs = deps.unsentTimeoutMs;
  const keys = await readStrandedKeys(sql, bucket, channelId, customerIds, timeoutMs, CHUNKS_A_ROUND, passed);
  return await giveUpKeys(deps, bucket, on, keys);
}

async function giveUpKeys(
  deps: StrandedDeps,
  bucket: number,
  on: StrandedOn,
  keys: readonly ChunkKey[],
): Promise<boolean> {
  let hasRejectedSome = false;
  for (const page of cutInto(keys, CHUNKS_A_ROUND)) {
    await deps.quarantine.run('give_up', bucket, page, async (chunks, mayWait) => {
      const { hasRejected, leftOut } = await giveUpChunks(deps, bucket, on, chunks, mayWait);
      if (hasRejected) hasRejectedSome = true;
      return leftOut;
    });
  }
  return hasRejectedSome;
}

const STRANDED = { event: { kind: 'stranded' }, code: 'no_channel' } as const;

/** Leaves out customers whose account is locked, unless it may wait. Unknown parts and parts on the wire have other deadlines. */
async function giveUpChunks(
  deps: StrandedDeps,
  bucket: number,
  { channelId, readStrandedOf }: StrandedOn,
  keys: readonly ChunkKey[],
  mayWait: boolean,
): Promise<{ readonly hasRejected: boolean; readonly leftOut: ReadonlySet<CustomerId> }> {
  const customerIds = [...new Set(keys.map(({ customerId }) => customerId))];
  return await bucketSql(deps.sql, bucket).begin(async (tx) => {
    const { leftOut } = await lockAccountsOrSkip(tx, bucket, customerIds, mayWait);
    const isStranded = await readStrandedOf(tx);
    const held = keys.filter(({ customerId }) => !leftOut.has(customerId) && isStranded(customerId));
    const stranded = held.length === 0 ? [] : await readStranded(tx, bucket, held, channelId, deps.unsentTimeoutMs);
    const deliveryEvents = stranded.flatMap(({ chunk }) => deliveryEventsOfNumbers(chunk, STRANDED));
    if (deliveryEvents.length === 0) return { hasRejected: false, leftOut };
    const { chunks } = await settleWithin(tx, bucket, deliveryEvents, [], deps.limits);
    return { hasRejected: [...chunks.values()].some(({ changed }) => changed), leftOut };
  });
}
