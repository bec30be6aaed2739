// Finds the parts that reports are about when this process no longer remembers them: by message id among the submitted
// parts, then among those whose answer was lost.

import { asTaskId, type CustomerId, type TaskId, timeOfId } from '../domain/id.js';
import { ZERO } from '../domain/money.js';
import { type Chunk, readChunksOfTasks, type StoredChunk } from '../store/chunk.js';
import type { Sql } from '../store/connect.js';
import { type LocatedPart, locateParts, readSubmittedParts } from '../store/history.js';
import { type OpenUnknown, readUnknownByPhone } from '../store/unknown-part.js';
import { type Flight, formatReference, parseReference } from './flight.js';

/** What is known of the part that is looked for. */
export interface Question {
  readonly messageId: string;
  readonly reference?: string;
  readonly phone?: string;
}

export interface LocateDeps<Q extends Question> {
  readonly sql: Sql;
  readonly channelId: bigint;
  /** The message keys under which the part may be stored. */
  readonly keysOf: (question: Q) => readonly string[];
  readonly isFlyingTo: (phone: string) => boolean;
}

/** The part of each question, where there is one. */
export async function locateReports<Q extends Question>(
  deps: LocateDeps<Q>,
  questions: readonly Q[],
): Promise<Map<Q, Flight>> {
  const found = new Map<Q, Flight>();
  await locateSubmitted(deps, questions, found);
  const open = questions.filter((question) => !found.has(question) && question.phone !== undefined);
  if (open.length > 0) await locateUnknown(deps, open, found);
  const named = questions.filter((question) => !found.has(question) && question.reference !== undefined);
  if (named.length > 0) await locateNamed(deps, named, found);
  return found;
}

async function locateSubmitted<Q extends Question>(
  deps: LocateDeps<Q>,
  questions: readonly Q[],
  found: Map<Q, Flight>,
): Promise<void> {
  const keys = new Set(questions.flatMap((question) => deps.keysOf(question)));
  if (keys.size === 0) return;
  const located = await locateParts(deps.sql, deps.channelId, [...keys]);
  const byKey = new Map<string, LocatedPart>();
  // Newest first: where an upstream has used an id twice, the report is about the later message.
  for (const part of located) if (!byKey.has(part.messageKey)) byKey.set(part.messageKey, part);
  const chunks = await readChunks(deps.sql, located);
  for (const question of questions) {
    const key = deps.keysOf(question).find((candidate) => byKey.has(candidate));
    const part = key === undefined ? undefined : byKey.get(key);
    if (part !== undefined) found.set(question, flightOf(part, chunks));
  }
}

async function locateUnknown<Q extends Question>(
  deps: LocateDeps<Q>,
  questions: readonly Q[],
  found: Map<Q, Flight>,
): Promise<void> {
  const phones = new Set(questions.flatMap(({ phone = '' }) => (/^\d{1,18}$/.test(phone) ? [phone] : [])));
  const unknown = await readUnknownByPhone(deps.sql, deps.channelId, [...phones]);
  if (unknown.length === 0) return;
  const chunks = await readChunks(deps.sql, unknown);
  for (const question of questions) {
    const part = chooseUnknown(question, unknown, deps.isFlyingTo);
    const flight = part && flightInChunk(part, chunks, part.since.getTime());
    if (flight !== undefined) found.set(question, flight);
  }
}

/** By our own reference alone: a part that was given up as not accepted, and of which the upstream speaks after all. */
async function locateNamed<Q extends Question>(
  deps: LocateDeps<Q>,
  questions: readonly Q[],
  found: Map<Q, Flight>,
): Promise<void> {
  const references = questions.map(({ reference = '' }) => parseReference(reference));
  const located = await readSubmittedParts(
    deps.sql,
    references.filter((reference) => reference !== undefined),
  );
  const chunks = await readChunks(deps.sql, located);
  const byName = new Map(located.map((part) => [formatReference(part), part]));
  for (const question of questions) {
    const part = byName.get(question.reference ?? '');
    if (part !== undefined) found.set(question, flightOf(part, chunks));
  }
}

/** By our own reference where it came back; otherwise only where no other part to that number could be meant. */
function chooseUnknown(
  question: Question,
  unknown: readonly OpenUnknown[],
  isFlyingTo: (phone: string) => boolean,
): OpenUnknown | undefined {
  const reference = question.reference === undefined ? undefined : parseReference(question.reference);
  if (reference !== undefined) {
    return unknown.find(
      ({ customerId, taskId, seq, part }) =>
        customerId === reference.customerId &&
        taskId === reference.taskId &&
        seq === reference.seq &&
        part === reference.part,
    );
  }
  const { phone = '' } = question;
  if (isFlyingTo(phone)) return undefined;
  const candidates = unknown.filter((part) => String(part.phoneKey) === phone);
  return candidates.length === 1 ? candidates[0] : undefined;
}

type ChunksByTask = ReadonlyMap<string, readonly StoredChunk[]>;

async function readChunks(
  sql: Sql,
  parts: readonly { readonly customerId: CustomerId; readonly taskId: TaskId }[],
): Promise<ChunksByTask> {
  const tasks = new Map<CustomerId, Set<TaskId>>();
  for (const { customerId, taskId } of parts) {
    tasks.set(customerId, (tasks.get(customerId) ?? new Set()).add(taskId));
  }
  const chunks = new Map<string, StoredChunk[]>();
  for (const [customerId, taskIds] of tasks) {
    for (const stored of await readChunksOfTasks(sql, customerId, [...taskIds])) {
      const key = `${customerId} ${stored.chunk.taskId}`;
      chunks.set(key, [...(chunks.get(key) ?? []), stored]);
    }
  }
  return chunks;
}

/** The number's place in its chunk, while it has one. */
function flightInChunk(
  part: { readonly customerId: CustomerId; readonly taskId: TaskId; readonly seq: number; readonly part: number },
  chunks: ChunksByTask,
  submittedAt: number,
): Flight | undefined {
  for (const { chunk } of chunks.get(`${part.customerId} ${part.taskId}`) ?? []) {
    const index = chunk.numbers.seq.indexOf(part.seq);
    if (index >= 0) return { chunk, index, part: part.part, submittedAt };
  }
  return undefined;
}

function flightOf(part: LocatedPart, chunks: ChunksByTask): Flight {
  const submittedAt = timeOfId(part.submitId).getTime();
  return (
    flightInChunk(part, chunks, submittedAt) ?? { chunk: closedChunkOf(part), index: 0, part: part.part, submittedAt }
  );
}

/** Stands for a chunk that is gone because all its numbers have their receipts: what a late report's record needs. */
function closedChunkOf(part: LocatedPart): Chunk {
  const { customerId, taskId, firm } = part;
  const numbers = {
    seq: [part.seq],
    phone: [part.phone],
    to: [String(part.phoneKey)],
    text: '',
    parts: [part.parts],
  };
  const closed = { chunkNo: 0, jobId: 0n, channelId: 0n, serviceAccountId: 0n, unitPrice: ZERO };
  return { customerId, taskId: asTaskId(taskId), firm, numbers, offsets: Uint32Array.of(0, part.parts), ...closed };
}
