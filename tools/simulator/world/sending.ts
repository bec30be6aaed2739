// What the owner of a channel does: takes it over, loads chunks, commits intents, submits, and records answers. Mirrors the files of
// `src/pipeline/channel`; events and moves of parts are the real ones.

import type { SubmitOutcome } from '#src/channels/channel.js';
import type { Chunk } from '#src/domain/chunk/chunk.js';
import { PART } from '#src/domain/chunk/chunk-state.js';
import { partsIn } from '#src/domain/chunk/part-walk.js';
import type { DeliveryEvent } from '#src/domain/outcome/delivery-event.js';
import { chooseFailoverChannel } from '#src/domain/plan/failover.js';
import { answerEventOf, answerOf, intentEventOf, lateAnswerEventOf } from '#src/pipeline/channel/parts/part-events.js';
import {
  createQueuedPosition,
  movePart,
  type PartPosition,
  type PartState,
  type Sendable,
} from '#src/pipeline/channel/parts/part-state.js';
import type { Instead } from '#src/pipeline/channel/parts/recheck.js';
import type { CarrierAnswer, Handed } from '../model/facts.js';
import type { Outcome } from '../script.js';
import { nameOf, referenceOf } from './names.js';
import { createRuntime, type OnWire, type Process, type Runtime } from './process.js';
import { record } from './recording.js';
import { learnMessageId } from './reports.js';
import { type ChunkRow, readChunk } from './store.js';
import { type CarrierPart, FAILOVER_CODE, partTextOf, type World } from './world.js';

/** Takes a channel over. What its last owner left on the wire becomes unknown before anything is sent. */
export function own(world: World, process: Process, channelId: bigint): void {
  const { store } = world;
  const before = world.ownerOf(channelId);
  if (before !== undefined) before.runtime.isClosed = true;
  const token = (store.tokens.get(channelId) ?? 0n) + 1n;
  store.tokens.set(channelId, token);
  const lease = { channelId, token };
  const runtime = createRuntime(lease);
  process.runtimes.set(channelId, runtime);
  // What it had in flight itself was marked by then, too.
  process.inFlight.forget(channelId);
  const events = [...store.chunks.values()]
    .filter((row) => isInterrupted(world, row, channelId))
    .flatMap((row) => {
      const { chunk, state, intendedAt } = readChunk(row);
      const submittedAt = intendedAt?.getTime() ?? world.nowMs;
      return partsIn(state, PART.intended).map(({ index, part }): DeliveryEvent => {
        return { chunk, index, part, event: { kind: 'unknown' }, channelId, code: 'process_ended', submittedAt };
      });
    });
  if (events.length === 0) runtime.isReady = true;
  record(process, events, lease, (_, failed) => {
    if (failed.size > 0) closeRuntime(runtime);
    else runtime.isReady = true;
  });
}

/** Queued, or removed from the queue by a pause. */
function isInterrupted({ store }: World, row: ChunkRow, channelId: bigint): boolean {
  if (row.channelId !== channelId || !row.partStates.includes(PART.intended)) return false;
  return row.queueNo !== null || store.tasks.get(row.taskKey)?.paused === true;
}

export function closeRuntime(runtime: Runtime): void {
  runtime.isClosed = true;
  runtime.queue = [];
}

export function load(world: World, runtime: Runtime): boolean {
  let hasLoaded = false;
  const rows = [...world.store.chunks.values()].filter(
    (row) => row.channelId === runtime.channelId && row.queueNo !== null && !runtime.places.has(row.queueNo),
  );
  rows.sort((one, other) => Number((one.queueNo ?? 0n) - (other.queueNo ?? 0n)));
  for (const row of rows) {
    if (row.queueNo === null || !world.isGranted(row.fixed.customerId, runtime.channelId)) continue;
    runtime.places.add(row.queueNo);
    const { chunk, state } = readChunk(row);
    for (const { index, part } of partsIn(state, PART.unsent)) {
      runtime.queue.push(createQueuedPosition(chunk, index, part));
      hasLoaded = true;
    }
  }
  return hasLoaded;
}

/** Reads the queue again, from its start. */
export function reload(runtime: Runtime): void {
  runtime.places.clear();
  runtime.queue = [];
}

export function intend(world: World, process: Process, runtime: Runtime, count: number): boolean {
  const positions = runtime.queue
    .splice(0, count)
    .filter(({ chunk }) => world.isGranted(chunk.customerId, runtime.channelId));
  if (positions.length === 0) return false;
  const { lease } = runtime;
  const intents = new Map<DeliveryEvent, PartPosition>();
  for (const position of positions) {
    // Another copy is in flight, which decides; if its intent is refused, this one is sent.
    const other = process.inFlight.otherOf(sendableOf(position));
    if (other?.state === 'intending') runtime.waitingCopies.push({ position, other });
    else if (other !== undefined) movePart(position, 'dropped');
    if (other !== undefined) continue;
    moveIn(process, position, 'intending');
    intents.set(intentEventOf(position, lease, insteadOf(world, position, runtime.channelId)), position);
  }
  record(process, [...intents.keys()], lease, (refused, failed) => {
    for (const [intent, position] of intents) {
      const isGranted = !refused.has(intent) && !failed.has(intent);
      moveIn(process, position, isGranted ? 'intended' : 'dropped');
      if (isGranted) runtime.intended.push(position);
      for (const copy of runtime.waitingCopies.filter(({ other }) => other === position)) {
        runtime.waitingCopies.splice(runtime.waitingCopies.indexOf(copy), 1);
        if (refused.has(intent)) runtime.queue.push(copy.position);
        else movePart(copy.position, 'dropped');
      }
      if (failed.get(intent) === 'lease_lost') closeRuntime(runtime);
    }
  });
  return true;
}

/** Of a number whose filing with this channel was withdrawn. Mirrors `recheck.ts`. */
function insteadOf(world: World, { chunk, index }: PartPosition, channelId: bigint): Instead | undefined {
  if (!world.customerOf(chunk.customerId).unfiled.has(channelId)) return undefined;
  const to = chooseFailoverChannel(chunk, index, world.channel(channelId), world.usableChannels(chunk.customerId));
  if (to !== undefined) return { event: { kind: 'rerouted' }, failoverChannel: to };
  return { event: { kind: 'ended' }, code: 'no_route' };
}

/** Parts with a committed intent go to the carrier. */
export function wire(world: World, process: Process, runtime: Runtime, count: number): boolean {
  const positions = runtime.intended.splice(0, count);
  for (const position of positions) {
    if (!world.channel(runtime.channelId).isUp) unsend(world, process, runtime, position);
    else submit(world, process, runtime, position, 0);
  }
  return positions.length > 0;
}

function submit(world: World, process: Process, runtime: Runtime, position: PartPosition, tries: number): void {
  position.submittedAt = world.nowMs;
  moveIn(process, position, 'on_wire');
  const { channelId } = runtime;
  const { chunk, index } = position;
  const name = nameOf(position);
  const text = partTextOf(name);
  const reference = referenceOf(position);
  const phone = chunk.numbers.to[index] ?? '';
  const known = world.carrier.get(text) ?? [];
  const { messageId, reportedId } = nextMessageId(world, channelId, phone);
  const ids = { messageId, reportedId, reference };
  known.push({ name, channelId, ...ids, phone, isTaken: undefined, unacknowledged: new Set() });
  world.carrier.set(text, known);
  const submission = world.model.submit(name, Number(channelId), { messageId, reportedId });
  runtime.onWire.push({ position, submission, messageId, tries });
}

/** The channel could not hand it to a socket. */
export function unsend(world: World, process: Process, runtime: Runtime, position: PartPosition): void {
  moveIn(process, position, 'on_wire');
  answered(world, process, runtime, position, { ...PART_OF, kind: 'unsent' });
}

const PART_OF = { part: { reference: '', to: '', from: '', text: '', encoding: 'gsm7', part: 1, parts: 1 } } as const;
/** Hexadecimal, as its reports may spell it in decimal. */
function nextMessageId({ carrier, channel, nextMessage }: World, channelId: bigint, phone: string): Handed {
  const { ids } = channel(channelId);
  if (ids === 'repeated') {
    // Used again, for another handset.
    const ofPhone = [...carrier.values()].flat().filter((part) => part.channelId === channelId && part.phone === phone);
    const messageId = `m${ofPhone.length + 1}`;
    return { messageId, reportedId: messageId };
  }
  const number = nextMessage();
  if (ids !== 'respelled') return { messageId: `m${number}`, reportedId: `m${number}` };
  return { messageId: `0${(0xa000 + number).toString(16)}`, reportedId: String(0xa000 + number) };
}

const MAX_SUBMITS = 3;

const ANSWERS: Readonly<Record<Outcome, CarrierAnswer>> = {
  accepted: 'accepted',
  refused: 'refused',
  declined: 'refused',
  throttled: 'throttled',
  retried: 'throttled',
  lost_taken: 'lost',
  lost: 'lost',
};

const CODE: { readonly [outcome in Outcome]?: string } = { refused: '8', declined: FAILOVER_CODE };

/** Returns the oldest unanswered submission of a part, with the process that waits for its answer. */
export function findOnWire(
  world: World,
  part: string,
): { process: Process; runtime: Runtime; onWire: OnWire } | undefined {
  for (const process of world.processes) {
    if (!process.isAlive) continue;
    for (const runtime of process.runtimes.values()) {
      const onWire = runtime.onWire.find(({ position }) => partTextOf(nameOf(position)) === part);
      if (onWire !== undefined) return { process, runtime, onWire };
    }
  }
  return undefined;
}

/** The carrier answers, or its answer is lost. Returns false if the part is not on the wire. */
export function answer(world: World, part: string, asked: Outcome): boolean {
  const found = findOnWire(world, part);
  const sent = world.carrier.get(part)?.at(-1);
  if (sent === undefined) return false;
  const outcome = answerOfCarrier(world, sent, asked);
  const isTaken = outcome === 'accepted' || outcome === 'lost_taken';
  if (found === undefined) {
    // Its sender is gone: the carrier has it or not.
    if (sent.isTaken !== undefined) return false;
    sent.isTaken = isTaken;
    return true;
  }
  const { process, runtime, onWire } = found;
  sent.isTaken ??= isTaken;
  runtime.onWire.splice(runtime.onWire.indexOf(onWire), 1);
  const { position, submission, messageId, tries } = onWire;
  world.model.answer(sent.name, submission, ANSWERS[outcome], CODE[outcome]);
  if (outcome === 'retried' && tries + 1 < MAX_SUBMITS && !runtime.isClosed) {
    moveIn(process, position, 'intended');
    submit(world, process, runtime, position, tries + 1);
    return true;
  }
  answered(world, process, runtime, position, outcomeOf(outcome, messageId));
  return true;
}

/** A part that the carrier has reported on is not throttled, and refused only where a report cannot be taken for that of another part. */
function answerOfCarrier(world: World, { isTaken, channelId }: CarrierPart, asked: Outcome): Outcome {
  if (isTaken !== true || asked === 'accepted') return asked;
  const isRefusal = asked === 'refused' || asked === 'declined';
  return isRefusal && world.channel(channelId).hasReference ? asked : 'lost_taken';
}

function outcomeOf(outcome: Outcome, messageId: string): SubmitOutcome {
  switch (outcome) {
    case 'accepted':
      return { ...PART_OF, kind: 'accepted', messageId };
    case 'refused':
      return { ...PART_OF, kind: 'refused', code: '8' };
    case 'declined':
      return { ...PART_OF, kind: 'refused', code: FAILOVER_CODE };
    case 'throttled':
    case 'retried':
      return { ...PART_OF, kind: 'throttled', code: '58' };
    case 'lost':
    case 'lost_taken':
      return { ...PART_OF, kind: 'unknown', code: 'no_answer' };
  }
}

function answered(
  world: World,
  process: Process,
  runtime: Runtime,
  position: PartPosition,
  outcome: SubmitOutcome,
): void {
  const { chunk, index } = position;
  const toRecord = answerOf(outcome, (code) => failoverChannel(world, runtime.channelId, chunk, index, code));
  position.answer = toRecord.kind;
  moveIn(process, position, 'answered');
  if (outcome.kind === 'unknown') runtime.lost.set(referenceOf(position), position);
  if (outcome.kind === 'accepted') runtime.accepted.add(position);
  if (outcome.kind === 'refused') dropNumber(runtime, chunk, index);
  record(process, [answerEventOf(position, runtime.lease, toRecord)], runtime.lease, (_, failed) => {
    runtime.lost.delete(referenceOf(position));
    runtime.accepted.delete(position);
    if (failed.size > 0) return closeRuntime(runtime);
    moveIn(process, position, 'recorded');
    if (toRecord.kind !== 'withdrawn' || runtime.isClosed) return;
    moveIn(process, position, 'queued');
    runtime.queue.unshift(position);
  });
  // After the answer in the line: the reports that waited for this message id.
  if (outcome.kind === 'accepted') learnMessageId(world, process, runtime, position, outcome.messageId);
}

/** The other parts of the number are not sent on this channel. */
function dropNumber(runtime: Runtime, chunk: Chunk, index: number): void {
  runtime.queue = runtime.queue.filter((other) => other.chunk.key !== chunk.key || other.index !== index);
}

function failoverChannel(
  world: World,
  channelId: bigint,
  chunk: Chunk,
  index: number,
  code: string | undefined,
): bigint | undefined {
  if (code !== undefined && code !== FAILOVER_CODE) return undefined;
  return chooseFailoverChannel(chunk, index, world.channel(channelId), world.usableChannels(chunk.customerId));
}

/** An answer to a part whose answer was lost. */
export function answerLate(
  process: Process,
  runtime: Runtime,
  position: PartPosition,
  outcome: 'accepted' | 'refused',
  messageId: string,
  onRecorded: () => void,
): void {
  const late =
    outcome === 'accepted'
      ? ({ ...PART_OF, kind: 'accepted', messageId } as const)
      : ({ ...PART_OF, kind: 'refused', code: '8' } as const);
  record(process, [lateAnswerEventOf(position, runtime.lease, late)], runtime.lease, (_, failed) => {
    if (failed.size === 0) onRecorded();
  });
}

function moveIn(process: Process, position: PartPosition, to: PartState): void {
  movePart(position, to);
  process.inFlight.partMoved(sendableOf(position));
}

function sendableOf(position: PartPosition): Sendable {
  return { part: { ...PART_OF.part, reference: referenceOf(position) }, position };
}
