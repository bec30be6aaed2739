// Chunks leave a channel that is down, or whose grant was revoked. What moves is read first and written later, so that anything may
// happen in between. Mirrors `reroute.ts` and `leave-channels.ts`; who goes where is decided by the real rules.

import { hasBegunMessage, isUntouched, PART } from '#src/domain/chunk/chunk-state.js';
import { nextQueueNo } from '#src/domain/money/ledger.js';
import { deliveryEventsOfNumbers } from '#src/domain/outcome/delivery-event.js';
import { type ChunkMove, moveEventsOf, planMove } from '#src/pipeline/channel/ownership/move-chunks.js';
import type { Process, Runtime } from './process.js';
import { record, settleNow } from './recording.js';
import { type ChunkRow, readChunk } from './store.js';
import type { SimulatedChannel, SimulatedCustomer, World } from './world.js';

/** The owner of a channel that is down moves its queue to others. Returns false if nothing can move. */
export function reroute(world: World, process: Process, runtime: Runtime): boolean {
  const { channelId } = runtime;
  const from = world.channel(channelId);
  if (from.isUp) return false;
  const moves = world.customers.flatMap(({ id, granted }) => {
    const usable = world.channels.filter((channel) => channel.isUp && granted.has(channel.channelId));
    return planMoves(world, from, usable, (row) => row.fixed.customerId === id);
  });
  const begun = moves.filter(({ stored }) => hasBegunMessage(stored.state));
  const whole = moves.filter((move) => !begun.includes(move) && !move.stored.state.partStates.includes(PART.intended));
  const events = begun.flatMap(moveEventsOf);
  if (whole.length > 0) {
    process.pendingWrites.push({
      run() {
        if (world.store.tokens.get(channelId) === runtime.lease.token) moveWhole(world, whole);
      },
    });
  }
  record(process, events, runtime.lease);
  return whole.length + events.length > 0;
}

/** The queued chunks of a customer leave the channels that it may not use. What no other channel may carry is rejected. */
export function leave(world: World, process: Process, customer: SimulatedCustomer): boolean {
  let hasFound = false;
  for (const from of world.channels) {
    if (customer.granted.has(from.channelId)) continue;
    const ofCustomer = (row: ChunkRow) => row.fixed.customerId === customer.id;
    const granted = world.channels.filter(({ channelId }) => customer.granted.has(channelId));
    const moves = planMoves(
      world,
      from,
      granted.filter(({ isUp }) => isUp),
      ofCustomer,
    );
    const lasting = new Set(planMoves(world, from, granted, ofCustomer).map(({ stored }) => stored.chunk.key));
    const ended = { event: { kind: 'ended' }, code: 'no_route' } as const;
    const ends = queuedOn(world, from, ofCustomer)
      .map(readChunk)
      .filter(({ chunk }) => !lasting.has(chunk.key))
      .flatMap(({ chunk, state }) => deliveryEventsOfNumbers(chunk, ended, (index) => isUntouched(state, index)));
    if (ends.length > 0) process.pendingWrites.push({ run: () => settleNow(world, ends) });
    const begun = moves.filter(({ stored }) => hasBegunMessage(stored.state));
    const whole = moves.filter((move) => !begun.includes(move));
    const events = begun.flatMap(moveEventsOf);
    if (whole.length > 0) process.pendingWrites.push({ run: () => moveWhole(world, whole) });
    if (events.length > 0) process.pendingWrites.push({ run: () => settleNow(world, events) });
    hasFound ||= whole.length + events.length + ends.length > 0;
  }
  return hasFound;
}

function queuedOn(
  { store }: World,
  { channelId }: SimulatedChannel,
  isIncluded: (row: ChunkRow) => boolean,
): ChunkRow[] {
  return [...store.chunks.values()].filter(
    (row) => row.channelId === channelId && row.queueNo !== null && isIncluded(row),
  );
}

function planMoves(
  world: World,
  from: SimulatedChannel,
  usable: readonly SimulatedChannel[],
  isIncluded: (row: ChunkRow) => boolean,
): ChunkMove[] {
  const others = usable.filter(({ channelId }) => channelId !== from.channelId);
  return queuedOn(world, from, isIncluded).flatMap((row, at) =>
    planMove(readChunk(row), at, from as never, others as never),
  );
}

/** A chunk that has changed since it was read, or has a part on the wire, stays. */
function moveWhole(world: World, moves: readonly ChunkMove[]): void {
  const { store } = world;
  for (const { stored, to } of moves) {
    const row = store.chunks.get(stored.chunk.key);
    if (row === undefined || row.queueNo !== stored.chunk.queueNo) continue;
    const isSame = row.partStates.every((state, at) => state === stored.state.partStates[at]);
    if (!isSame || row.partStates.includes(PART.intended)) continue;
    const account = store.lockAccount(row.fixed.customerId);
    row.channelId = to;
    row.queueNo = nextQueueNo(account, 'notice');
    row.queuedAt = world.nowMs;
    store.writeAccount(account);
  }
  world.committed();
}
