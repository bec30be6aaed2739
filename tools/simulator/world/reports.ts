// Delivery reports: how the owner of a channel finds their parts, and what it does without one. Mirrors
// `src/pipeline/channel/reports`; which candidate is chosen is decided by the real rules.

import type { Report } from '#src/channels/channel.js';
import { type StoredChunk, taskKeyOf } from '#src/domain/chunk/chunk.js';
import { hasRefusedPart } from '#src/domain/chunk/chunk-state.js';
import { messageKeyOf, readExactKey, readReportedKeys } from '#src/domain/message/message-id.js';
import { type Candidate, chooseCandidate, mayMatch } from '#src/domain/message/part-matching.js';
import { parseReference } from '#src/domain/record/part-reference.js';
import { reportEventOf } from '#src/pipeline/channel/parts/part-events.js';
import { createRecordedPosition, movePart, type PartPosition } from '#src/pipeline/channel/parts/part-state.js';
import { findChunk, substituteChunk } from '#src/pipeline/channel/reports/find-parts.js';
import type { ReportStatus } from '../script.js';
import { referenceOf } from './names.js';
import type { Process, Runtime } from './process.js';
import { record } from './recording.js';
import { readChunk, type SubmitRecord, type UnmatchedReport } from './store.js';
import type { CarrierPart, World } from './world.js';
import { partTextOf } from './world.js';

/** A report arrives at the owner of its channel. The carrier repeats it until it is acknowledged. */
export function receiveReport(
  world: World,
  process: Process,
  runtime: Runtime,
  sent: CarrierPart,
  status: ReportStatus,
): void {
  sent.unacknowledged.add(status);
  const { reportedId: messageId, channelId, name } = sent;
  const channel = world.channel(channelId);
  const reference = channel.hasReference ? sent.reference : undefined;
  const phone = channel.phones === 'none' ? undefined : sent.phone.slice(channel.phones === 'national' ? 2 : 0);
  const code = codeOf(status, name.part);
  const about = { part: partTextOf(name), messageId, phone, reference, status, code };
  const report = { ...about, channelId, receivedAt: world.nowMs };
  world.model.report(name, Number(channelId), status, code);
  const position = recall(runtime, report) ?? find(world, runtime, report)?.found;
  if (position === undefined) {
    store(world, report);
    sent.unacknowledged.delete(status);
  } else recordReport(world, process, runtime, position, report, () => sent.unacknowledged.delete(status));
}

/** Carriers have their own. */
function codeOf(status: ReportStatus, part: number): string {
  return `${status.toUpperCase().slice(0, 7)}:${part}`;
}

type ReceivedReport = Omit<UnmatchedReport, 'id'> & { readonly id?: bigint };

/** Stored until its part is found. */
function store(world: World, report: ReceivedReport): void {
  if (report.id !== undefined) return;
  const id = world.nextReportId++;
  world.store.unmatchedReports.set(id, { ...report, id });
}

function recordReport(
  world: World,
  process: Process,
  runtime: Runtime,
  position: PartPosition,
  received: ReceivedReport,
  onStored: () => void,
): void {
  const { messageId, status, code, id } = received;
  if (id !== undefined && runtime.resolving.has(id)) return;
  if (id !== undefined) runtime.resolving.add(id);
  const report: Report = { kind: 'report', messageId, status, code, ack() {}, nack() {} };
  const event = reportEventOf(position, runtime.lease, report, id);
  record(process, [event], runtime.lease, (_, failed) => {
    if (id !== undefined) runtime.resolving.delete(id);
    // Retried later: the answer to its part is not recorded yet.
    if (failed.get(event) === 'early') store(world, received);
    if (failed.get(event) === 'lease_lost') return;
    onStored();
    if (failed.size > 0 || status === 'intermediate') return;
    if (position.state === 'recorded') movePart(position, 'settled');
    runtime.memory.delete(messageKeyOf(messageId));
  });
}

/** The part, if memory is enough to be certain. */
function recall(runtime: Runtime, { messageId, reference, phone }: ReceivedReport): PartPosition | undefined {
  const named = reference === undefined ? undefined : runtime.lost.get(reference);
  if (named !== undefined) return named;
  const position = runtime.memory.get(readExactKey(messageId) ?? '');
  if (position === undefined || !mayBeAbout(reference, position)) return undefined;
  return mayMatch('exact', numberOf(position), phone) ? position : undefined;
}

/** A report with our reference is about that part only. */
function mayBeAbout(reference: string | undefined, position: PartPosition): boolean {
  return reference === undefined || reference === referenceOf(position);
}

function numberOf({ chunk, index }: PartPosition): string {
  return chunk.numbers.to[index] ?? '';
}

/** The part that the database says it is about. */
function find(world: World, runtime: Runtime, report: ReceivedReport): Candidate<PartPosition> | undefined {
  const { store } = world;
  const { reference, phone, messageId, channelId } = report;
  const candidates: Candidate<PartPosition>[] = [];
  const key = reference === undefined ? undefined : parseReference(reference);
  const ofTask = key === undefined ? [] : store.submitsOf(taskKeyOf(key));
  for (const submit of ofTask) {
    const isIt = submit.channelId === channelId && submit.seq === key?.seq && submit.part === key.part;
    if (isIt) candidates.push(candidateOf(world, 'reference', submit));
  }
  const { exact, guesses } = readReportedKeys(messageId);
  for (const guess of guesses) {
    const position = runtime.memory.get(guess);
    if (position !== undefined) candidates.push({ how: 'other_spelling', to: numberOf(position), found: position });
  }
  for (let at = store.submits.length - 1; at >= 0; at--) {
    const submit = store.submits[at];
    if (submit?.channelId !== channelId || submit.upstreamMessageId === null) continue;
    const stored = messageKeyOf(submit.upstreamMessageId);
    if (stored === exact) candidates.push(candidateOf(world, 'exact', submit));
    else if (guesses.includes(stored)) candidates.push(candidateOf(world, 'other_spelling', submit));
  }
  if (reference === undefined && phone !== undefined && !isOnWireTo(runtime, phone)) {
    candidates.push(...unknownTo(world, channelId, phone));
  }
  return chooseCandidate(
    phone,
    candidates.filter(({ found }) => mayBeAbout(reference, found)),
  );
}

/** An unanswered part to the same number, or one whose acceptance is not recorded: the report may be about that part. */
function isOnWireTo(runtime: Runtime, phone: string): boolean {
  const isTo = ({ chunk, index }: PartPosition) => chunk.numbers.to[index] === phone;
  const inFlight = [...runtime.onWire.map(({ position }) => position), ...runtime.accepted, ...runtime.lost.values()];
  return inFlight.some(isTo);
}

function candidateOf(world: World, how: Candidate<PartPosition>['how'], submit: SubmitRecord): Candidate<PartPosition> {
  const { seq, part, channelId, submittedAt } = submit;
  const chunks = chunksOf(world, taskKeyOf(submit));
  const stored = findChunk({ ...submit, seq, part }, channelId, chunks);
  const located = {
    ...submit,
    bucket: 0,
    messageId: submit.upstreamMessageId,
    phoneKey: BigInt(submit.phoneKey),
    submittedAt: new Date(submittedAt),
  };
  const found =
    stored === undefined
      ? createRecordedPosition(substituteChunk(located), 0, part, submittedAt)
      : createRecordedPosition(stored.chunk, stored.chunk.numbers.seq.indexOf(seq), part, submittedAt);
  return { how, to: submit.phoneKey, found };
}

function unknownTo(world: World, channelId: bigint, phone: string): Candidate<PartPosition>[] {
  const found: Candidate<PartPosition>[] = [];
  for (const row of world.store.unknown.values()) {
    if (row.channelId !== channelId || row.phoneKey !== phone) continue;
    const stored = chunksOf(world, taskKeyOf(row)).find(({ chunk }) => chunk.chunkNo === row.chunkNo);
    if (stored === undefined) continue;
    const index = stored.chunk.numbers.seq.indexOf(row.seq);
    if (hasRefusedPart(stored.state, index)) continue;
    const position = createRecordedPosition(stored.chunk, index, row.part, row.since);
    found.push({ how: 'lost_answer', to: phone, found: position });
  }
  return found;
}

function chunksOf(world: World, taskKey: string): StoredChunk[] {
  return world.store.chunksOfTask(taskKey).map(readChunk);
}

/** The answer to a part names its message id: unmatched reports of it are recorded behind the answer. */
export function learnMessageId(
  world: World,
  process: Process,
  runtime: Runtime,
  position: PartPosition,
  messageId: string,
): void {
  const key = messageKeyOf(messageId);
  runtime.memory.set(key, position);
  for (const report of world.store.unmatchedReports.values()) {
    if (report.channelId !== runtime.channelId || !mayBeAbout(report.reference, position)) continue;
    const { exact, guesses } = readReportedKeys(report.messageId);
    if (exact !== key && !guesses.includes(key)) continue;
    const how = exact === key ? 'exact' : 'other_spelling';
    if (chooseCandidate(report.phone, [{ how, to: numberOf(position), found: position }]) === undefined) continue;
    recordReport(world, process, runtime, position, report, () => {});
  }
}

/** Looks up the unmatched reports again. Returns whether one has a part now. */
export function rematch(world: World, process: Process, runtime: Runtime): boolean {
  let hasFound = false;
  for (const report of world.store.unmatchedReports.values()) {
    if (report.channelId !== runtime.channelId) continue;
    const chosen = find(world, runtime, report);
    // Found by its number alone, it must be the only report to that number.
    const isUnsure = chosen?.how === 'lost_answer' && !isOnlyTo(world, report);
    const position = recall(runtime, report) ?? (isUnsure ? undefined : chosen?.found);
    if (position === undefined) continue;
    recordReport(world, process, runtime, position, report, () => {});
    hasFound = true;
  }
  return hasFound;
}

function isOnlyTo({ store }: World, { id, phone, channelId }: UnmatchedReport): boolean {
  for (const other of store.unmatchedReports.values()) {
    if (other.id !== id && other.phone === phone && other.channelId === channelId) return false;
  }
  return true;
}

/** The part of a lost answer: from memory while the loss is being recorded, then from the database. */
export function findSubmitted(world: World, runtime: Runtime, sent: CarrierPart): PartPosition | undefined {
  const inMemory = runtime.lost.get(sent.reference);
  if (inMemory !== undefined) return inMemory;
  const key = parseReference(sent.reference);
  if (key === undefined) return undefined;
  const submit = world.store
    .submitsOf(taskKeyOf(key))
    .find(({ channelId, seq, part }) => channelId === sent.channelId && seq === key.seq && part === key.part);
  return submit && candidateOf(world, 'reference', submit).found;
}
