// Finds the parts of reports in the database, for parts that this process does not remember: by message id, by our reference, and by
// number among the parts whose answer was lost.

import { type Chunk, chunkKeyOf, type StoredChunk, taskKeyOf } from '../../../domain/chunk/chunk.js';
import { hasRefusedPart, isMoved } from '../../../domain/chunk/chunk-state.js';
import { groupBy } from '../../../domain/group-by.js';
import { firstIdAt } from '../../../domain/id.js';
import { type MessageIdFormat, messageKeyOf, readReportedKeys } from '../../../domain/message/message-id.js';
import { type Candidate, chooseCandidate } from '../../../domain/message/part-matching.js';
import { ZERO } from '../../../domain/money/money.js';
import { formatReference, parseReference } from '../../../domain/record/part-reference.js';
import type { PartKey } from '../../../domain/record/records.js';
import { readChunksOfTasks } from '../../../store/chunk/chunk.js';
import { bucketSql } from '../../../store/cluster/distribution.js';
import type { Snapshot } from '../../../store/snapshot/snapshot.js';
import type { Sql } from '../../../store/sql.js';
import {
  type IdSpan,
  type LocatedPart,
  readPartsByMessageId,
  readSubmittedParts,
} from '../../../store/wire/records.js';
import { type OpenUnknown, readUnknownByPhone } from '../../../store/wire/unknown-part.js';
import { createRecordedPosition, type PartPosition } from '../parts/part-state.js';
import type { ReportLookup } from '../parts/report-matcher.js';

export interface FindDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly channelId: bigint;
  readonly messageIdFormat: MessageIdFormat;
  readonly now: () => number;
}

/** Most reports are about recent parts. Older ones are read only for reports without a recent match. */
const RECENT_MS = 35 * 24 * 3_600_000;
/** Above every id. */
const NO_END = 2n ** 63n - 1n;
/** Other texts are not the phone key of any part. */
const PHONE_KEY = /^\d{1,18}$/;

/** The parts in the database that each lookup may be about. */
export async function findCandidates(
  deps: FindDeps,
  lookups: readonly ReportLookup[],
): Promise<Map<ReportLookup, Candidate<PartPosition>[]>> {
  const recentFrom = firstIdAt(new Date(deps.now() - RECENT_MS));
  const [submitted, unknown, referenced] = await Promise.all([
    readByMessageId(deps, lookups, { from: recentFrom, until: NO_END }),
    readUnknown(deps, lookups),
    readByReference(deps, lookups),
  ]);
  const chunks = await readChunks(deps.sql, [...submitted.values()].flat(), unknown, [...referenced.values()]);
  const found = new Map<ReportLookup, Candidate<PartPosition>[]>();
  for (const lookup of lookups) {
    found.set(lookup, [
      ...referencedCandidates(deps, lookup, referenced, chunks),
      ...submittedCandidates(deps, lookup, submitted, chunks),
      ...unknownCandidates(lookup, unknown, chunks),
    ]);
  }
  await addOlder(deps, found, recentFrom);
  return found;
}

/**
 * Adds older parts for lookups whose message id matches no recent part. Lookups with our reference are excluded: the reference has
 * been looked up without a time limit.
 */
async function addOlder(
  deps: FindDeps,
  found: Map<ReportLookup, Candidate<PartPosition>[]>,
  until: bigint,
): Promise<void> {
  const unmatched = [...found].filter(([{ reference, phone }, candidates]) => {
    const how = chooseCandidate(phone, candidates)?.how;
    return reference === undefined && (how === undefined || how === 'lost_answer');
  });
  const older = await readByMessageId(
    deps,
    unmatched.map(([lookup]) => lookup),
    { from: 0n, until },
  );
  if (older.size === 0) return;
  const chunks = await readChunks(deps.sql, [...older.values()].flat());
  for (const [lookup, candidates] of unmatched) candidates.push(...submittedCandidates(deps, lookup, older, chunks));
}

type ByReference = ReadonlyMap<string, LocatedPart>;
type ByMessageKey = ReadonlyMap<string, readonly LocatedPart[]>;
type ChunksByTask = ReadonlyMap<string, readonly StoredChunk[]>;

/** Newest first under each key: if a carrier used an id twice, the report is about the later message. */
async function readByMessageId(deps: FindDeps, lookups: readonly ReportLookup[], span: IdSpan): Promise<ByMessageKey> {
  const keys = new Set<string>();
  for (const { messageId } of lookups) {
    const { exact, guesses } = readReportedKeys(messageId, deps.messageIdFormat);
    if (exact !== undefined) for (const key of [exact, ...guesses]) keys.add(key);
  }
  if (keys.size === 0) return new Map();
  const located = await readPartsByMessageId(deps.sql, deps.channelId, [...keys], span);
  return groupBy(located, ({ messageId }) => messageKeyOf(messageId ?? ''));
}

interface UnknownPart extends OpenUnknown {
  readonly submittedAt: number;
}

/** With the time at which each was submitted: an earlier report is not about it. */
async function readUnknown(deps: FindDeps, lookups: readonly ReportLookup[]): Promise<UnknownPart[]> {
  const phones = new Set(lookups.flatMap(({ phone = '' }) => (PHONE_KEY.test(phone) ? [phone] : [])));
  const unknown = phones.size === 0 ? [] : await readUnknownByPhone(deps.sql, deps.channelId, [...phones]);
  const times = new Map<string, number>();
  for (const [bucket, parts] of groupBy(unknown, (part) => part.bucket)) {
    for (const part of await readSubmittedParts(bucketSql(deps.sql, bucket), bucket, deps.channelId, parts)) {
      times.set(formatReference(part), part.submittedAt.getTime());
    }
  }
  return unknown.map((part) => ({ ...part, submittedAt: times.get(formatReference(part)) ?? part.since.getTime() }));
}

/** By our reference alone: includes parts that were resolved as not accepted. */
async function readByReference(deps: FindDeps, lookups: readonly ReportLookup[]): Promise<ByReference> {
  const keys = lookups.flatMap(({ reference = '' }) => parseReference(reference) ?? []);
  const byBucket = groupBy(keys, ({ customerId }) => deps.snapshot().customer(customerId)?.bucket ?? 0);
  const located = new Map<string, LocatedPart>();
  for (const [bucket, ofBucket] of byBucket) {
    const parts = await readSubmittedParts(bucketSql(deps.sql, bucket), bucket, deps.channelId, ofBucket);
    for (const part of parts) located.set(formatReference(part), part);
  }
  return located;
}

function referencedCandidates(
  deps: FindDeps,
  { reference = '' }: ReportLookup,
  referenced: ByReference,
  chunks: ChunksByTask,
): Candidate<PartPosition>[] {
  const part = referenced.get(reference);
  return part === undefined ? [] : [candidateOf(deps, 'reference', part, chunks)];
}

function submittedCandidates(
  deps: FindDeps,
  { messageId }: ReportLookup,
  submitted: ByMessageKey,
  chunks: ChunksByTask,
): Candidate<PartPosition>[] {
  const { exact, guesses } = readReportedKeys(messageId, deps.messageIdFormat);
  const withKey = (how: Candidate<PartPosition>['how'], key: string) =>
    (submitted.get(key) ?? []).map((part) => candidateOf(deps, how, part, chunks));
  return [
    ...(exact === undefined ? [] : withKey('exact', exact)),
    ...guesses.flatMap((guess) => withKey('other_spelling', guess)),
  ];
}

function unknownCandidates(
  { phone, reference }: ReportLookup,
  unknown: readonly UnknownPart[],
  chunks: ChunksByTask,
): Candidate<PartPosition>[] {
  if (reference !== undefined || phone === undefined) return [];
  return unknown.flatMap((part): Candidate<PartPosition>[] => {
    const stored = (chunks.get(taskKeyOf(part)) ?? []).find(({ chunk }) => chunk.chunkNo === part.chunkNo);
    if (String(part.phoneKey) !== phone || stored === undefined) return [];
    const found = positionIn(stored, part, part.submittedAt);
    // The report may be about the refused part of the same message.
    return hasRefusedPart(stored.state, found.index) ? [] : [{ how: 'lost_answer', to: phone, found }];
  });
}

function candidateOf(
  { channelId }: FindDeps,
  how: Candidate<PartPosition>['how'],
  part: LocatedPart,
  chunks: ChunksByTask,
): Candidate<PartPosition> {
  const submittedAt = part.submittedAt.getTime();
  const stored = findChunk(part, channelId, chunks.get(taskKeyOf(part)) ?? []);
  const found =
    stored === undefined
      ? createRecordedPosition(substituteChunk(part), 0, part.part, submittedAt)
      : positionIn(stored, part, submittedAt);
  return { how, to: String(part.phoneKey), found };
}

async function readChunks(
  sql: Sql,
  ...lists: readonly (readonly (PartKey & { readonly bucket: number })[])[]
): Promise<ChunksByTask> {
  const chunks: StoredChunk[] = [];
  for (const [bucket, parts] of groupBy(lists.flat(), (part) => part.bucket)) {
    chunks.push(...(await readChunksOfTasks(bucketSql(sql, bucket), bucket, parts)));
  }
  return groupBy(chunks, ({ chunk }) => chunk.taskKey);
}

/**
 * The chunk that the number is in now, if it may have been submitted from there on this channel. A number that moved is listed in several
 * chunks and is in one of them at most; none if it has its receipt. A chunk that lists this channel as tried is a later attempt: the
 * report is about an earlier one and is kept as a record.
 */
export function findChunk(
  { seq }: PartKey,
  channelId: bigint,
  ofTask: readonly StoredChunk[],
): StoredChunk | undefined {
  return ofTask.find(({ chunk, state }) => {
    const index = chunk.numbers.seq.indexOf(seq);
    return index >= 0 && !isMoved(state, index) && !chunk.tried.includes(channelId);
  });
}

function positionIn({ chunk }: StoredChunk, { seq, part }: PartKey, submittedAt: number): PartPosition {
  return createRecordedPosition(chunk, chunk.numbers.seq.indexOf(seq), part, submittedAt);
}

/** Stands in for the chunk of a number that has its receipt, or of an earlier attempt: has what the record of a late report needs. */
export function substituteChunk(part: LocatedPart): Chunk {
  const { bucket, customerId, taskId, firm } = part;
  const numbers = {
    seq: [part.seq],
    phone: [part.phone],
    to: [String(part.phoneKey)],
    text: '',
    parts: [part.parts],
  };
  const chunkNo = 0;
  return {
    bucket,
    customerId,
    taskId,
    chunkNo,
    key: chunkKeyOf({ customerId, taskId, chunkNo }),
    taskKey: taskKeyOf(part),
    queueNo: 0n,
    channelId: 0n,
    serviceAccountId: 0n,
    firm,
    unitPrice: ZERO,
    expiresAt: null,
    tried: [],
    numbers,
    offsets: Uint32Array.of(0, part.parts),
  };
}
