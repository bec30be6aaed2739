// Finds the part that a report is about. The matcher follows every part of the channel through its states. It looks in memory
// first and asks the database for what memory has forgotten, many reports at a time. A report whose part is not known waits until
// it is. The rules are in `domain/message/part-matching.ts`; here is which parts they choose from.

import type { Part, Report } from '../../../channels/channel.js';
import { submissionsOf } from '../../../domain/chunk/chunk.js';
import { type MessageIdFormat, messageKeyOf, readReportedKeys } from '../../../domain/message/message-id.js';
import { type Candidate, chooseCandidate } from '../../../domain/message/part-matching.js';
import { formatReference } from '../../../domain/message/part-reference.js';
import type { PartMemory } from './part-memory.js';
import type { PartPosition, PartState, Sendable } from './part-state.js';
import { createWaitingReports, type WaitingReport } from './waiting-reports.js';

/** What a report says about its part. */
export type ReportLookup = Pick<Report, 'messageId' | 'reference' | 'phone'>;

/** What the database knows of the parts of a channel. */
export interface StoredParts {
  /** The parts that each report may be about. */
  find(lookups: readonly ReportLookup[]): Promise<ReadonlyMap<ReportLookup, readonly Candidate<PartPosition>[]>>;
  /** Stores reports that wait, each alone where they cannot be stored together. Their ids, in the same order. */
  keep(reports: readonly Report[]): readonly Promise<bigint>[];
  /** Resolves when the lost answers of this bucket are recorded. */
  awaitRecorded(bucket: number): Promise<void>;
}

export interface Matched {
  readonly found: ReadonlyMap<Report, PartPosition>;
  /** Those whose part is not known yet. */
  readonly waiting: readonly WaitingReport[];
}

export interface ReportMatcher {
  /** Follows a part from its state before to the one it is in, with the message id of its acceptance. */
  partMoved(part: Sendable, from: PartState, messageId?: string): void;
  /** A part that was unknown has this message id after all. */
  learnMessageId(position: PartPosition, messageId: string): void;
  /** The final report with this message id is recorded. */
  forget(messageId: string): void;
  /** The part, where memory alone is certain: by our reference, or by the exact message id. */
  recall(report: Report): PartPosition | undefined;
  /** Finds the parts of reports. Those without a part wait from now on. */
  match(reports: readonly Report[], now: number): Promise<Matched>;
  /** Looks for the parts of all waiting reports again: another process may have recorded them. */
  rematch(): Promise<void>;
  /** Calls this with each report that waited and whose part is known now. */
  onFound(listener: (waiting: WaitingReport, position: PartPosition) => void): void;
  /** The position of a part that the database knows as submitted. */
  findSubmitted(part: Part): Promise<PartPosition | undefined>;
  /** Resolves when no look-up is under way. */
  idle(): Promise<void>;
  /** Releases its memory. */
  close(): void;
}

export interface ReportMatcherOptions {
  readonly channelId: bigint;
  readonly messageIdFormat: MessageIdFormat;
  readonly memory: PartMemory;
  readonly stored: StoredParts;
  /** Reports that were stored before, the oldest first. */
  readonly waiting?: readonly WaitingReport[];
  /** There are older ones in the table. */
  readonly hasOlder?: boolean;
}

const REMATCHED_AT_ONCE = 500;

export function createReportMatcher(options: ReportMatcherOptions): ReportMatcher {
  const { channelId, messageIdFormat, memory, stored } = options;
  /** How many parts to each number are on the wire. */
  const onWireTo = new Map<string, number>();
  /** Parts whose lost answer is being recorded, by reference and by number. */
  const lost = new Map<string, PartPosition>();
  const lostTo = new Map<string, Set<string>>();
  const waiting = createWaitingReports(memory, messageIdFormat);
  const underWay = new Set<Promise<unknown>>();
  let onFound: (waiting: WaitingReport, position: PartPosition) => void = () => {};

  for (const entry of options.waiting ?? []) waiting.add(entry);
  const [oldest] = options.waiting ?? [];
  if (options.hasOlder && oldest !== undefined) waiting.leftOut(oldest.receivedAt);

  const track = async <Result>(work: Promise<Result>): Promise<Result> => {
    underWay.add(work);
    try {
      return await work;
    } finally {
      underWay.delete(work);
    }
  };

  const countOnWire = ({ to }: Part, by: 1 | -1): void => {
    const left = (onWireTo.get(to) ?? 0) + by;
    if (left > 0) onWireTo.set(to, left);
    else onWireTo.delete(to);
  };

  /** The parts in memory that a report may be about. */
  const candidates = ({ messageId, reference, phone }: ReportLookup): Candidate<PartPosition>[] => {
    const { exact, guesses } = readReportedKeys(messageId, messageIdFormat);
    const found: Candidate<PartPosition>[] = [];
    const add = (how: Candidate<PartPosition>['how'], position: PartPosition | undefined): void => {
      if (position !== undefined) found.push({ how, to: numberOf(position), found: position });
    };
    if (reference !== undefined) add('reference', lost.get(reference));
    if (exact !== undefined) add('exact', memory.find(channelId, exact));
    for (const guess of guesses) add('other_spelling', memory.find(channelId, guess));
    if (reference === undefined && phone !== undefined) {
      for (const name of lostTo.get(phone) ?? []) add('lost_answer', lost.get(name));
    }
    return found;
  };

  const recall = (report: ReportLookup): PartPosition | undefined => {
    const certain = candidates(report).filter(({ how }) => how === 'reference' || how === 'exact');
    const position = chooseCandidate(report.phone, certain)?.found;
    return position !== undefined && mayMean(report, position) ? position : undefined;
  };

  const choose = (
    lookup: ReportLookup,
    known: readonly Candidate<PartPosition>[] = [],
  ): Candidate<PartPosition> | undefined => {
    // A part to the same number is unanswered: the report may be about that part, and early.
    const mayBeEarly = lookup.phone !== undefined && onWireTo.has(lookup.phone);
    const distinct = new Map<string, Candidate<PartPosition>>();
    for (const candidate of [...candidates(lookup), ...known]) {
      if (!mayMean(lookup, candidate.found) || (candidate.how === 'lost_answer' && mayBeEarly)) continue;
      const name = `${candidate.how} ${nameOf(candidate.found)}`;
      if (!distinct.has(name)) distinct.set(name, candidate);
    }
    const newestFirst = [...distinct.values()].sort((a, b) => b.found.submittedAt - a.found.submittedAt);
    const chosen = chooseCandidate(lookup.phone, newestFirst);
    // Of a message of several parts only the database knows whether another of them was given up.
    const isCertain = chosen?.how !== 'lost_answer' || partsOf(chosen.found) === 1 || known.some(isSame(chosen));
    return isCertain ? chosen : undefined;
  };

  /** Waits until the database knows of the lost parts that these reports may be about. */
  const awaitLosses = async (reports: readonly Report[]): Promise<void> => {
    const meant = reports.flatMap(candidates).filter(({ how }) => how === 'lost_answer');
    const buckets = new Set(meant.map(({ found }) => found.chunk.bucket));
    await Promise.all([...buckets].map(stored.awaitRecorded));
  };

  const match = async (reports: readonly Report[], now: number): Promise<Matched> => {
    const found = new Map<Report, PartPosition>();
    const unsure = reports.filter((report) => {
      const position = recall(report);
      if (position !== undefined) found.set(report, position);
      return position === undefined;
    });
    if (unsure.length === 0) return { found, waiting: [] };
    await awaitLosses(unsure);
    const known = await stored.find(unsure);
    // Synchronous from here until they wait: an answer in between would not find them.
    const unmatched = unsure.filter((report) => {
      const chosen = choose(report, known.get(report));
      if (chosen !== undefined) found.set(report, chosen.found);
      return chosen === undefined;
    });
    return { found, waiting: unmatched.length === 0 ? [] : keep(unmatched, now) };
  };

  const keep = (reports: readonly Report[], receivedAt: number): WaitingReport[] => {
    const ids = stored.keep(reports);
    return reports.map((report, at) => {
      const id = ids[at] ?? Promise.reject(new Error('a report was not stored'));
      const entry = { report, receivedAt, stored: id };
      waiting.add(entry);
      id.catch(() => waiting.remove(entry));
      return entry;
    });
  };

  const takeUp = (entry: WaitingReport, position: PartPosition): void => {
    if (waiting.remove(entry)) onFound(entry, position);
  };

  /** Waiting reports with this message id are about this part, where the number agrees. */
  const learnMessageId = (position: PartPosition, messageId: string): void => {
    const key = messageKeyOf(messageId);
    memory.remember(channelId, key, position);
    for (const entry of waiting.byMessageKey(key)) {
      if (!mayMean(entry.report, position)) continue;
      const { exact } = readReportedKeys(entry.report.messageId, messageIdFormat);
      const how = exact === key ? 'exact' : 'other_spelling';
      const candidate = { how, to: numberOf(position), found: position } as const;
      if (chooseCandidate(entry.report.phone, [candidate]) !== undefined) takeUp(entry, position);
    }
  };

  /** Looks again for waiting reports. One that is known by its number alone must be the only one since the part was sent. */
  const rematchSome = async (entries: readonly WaitingReport[]): Promise<void> => {
    const known = await stored.find(entries.map(({ report }) => report));
    for (const entry of entries) {
      const { report } = entry;
      const chosen = choose(report, known.get(report));
      if (chosen === undefined) continue;
      const { how, found } = chosen;
      const isCertain = how !== 'lost_answer' || waiting.onlyTo(report.phone ?? '', found.submittedAt) === entry;
      if (isCertain) takeUp(entry, found);
    }
  };

  const rematch = async (): Promise<void> => {
    const entries = waiting.all();
    for (let at = 0; at < entries.length; at += REMATCHED_AT_ONCE) {
      await rematchSome(entries.slice(at, at + REMATCHED_AT_ONCE));
    }
  };

  /** A report to this part waits here until the database knows of the loss. */
  const addLost = ({ part, position }: Sendable): void => {
    lost.set(part.reference, position);
    lostTo.set(part.to, (lostTo.get(part.to) ?? new Set()).add(part.reference));
  };

  const removeLost = ({ reference, to }: Part): void => {
    lost.delete(reference);
    const references = lostTo.get(to);
    references?.delete(reference);
    if (references?.size === 0) lostTo.delete(to);
  };

  /** The database knows of the loss: waiting reports may be about this part. */
  const onLossRecorded = ({ part, position }: Sendable): void => {
    const named = waiting.byReference(part.reference);
    const only = waiting.onlyTo(part.to, position.submittedAt);
    const entries = only === undefined ? named : [...named, only];
    // If the look-up fails, they go on waiting.
    if (entries.length > 0) track(rematchSome(entries)).catch(() => undefined);
    // A look-up under way may have read the database just before it knew.
    void Promise.allSettled(underWay).then(() => removeLost(part));
  };

  const onAccepted = ({ part, position }: Sendable, messageId: string): void => {
    learnMessageId(position, messageId);
    for (const entry of waiting.byReference(part.reference)) takeUp(entry, position);
  };

  return {
    partMoved(part, from, messageId) {
      const { state, answer } = part.position;
      if (state === 'on_wire') countOnWire(part.part, 1);
      else if (from === 'on_wire') countOnWire(part.part, -1);
      if (state === 'answered' && messageId !== undefined) onAccepted(part, messageId);
      if (state === 'answered' && answer === 'unknown') addLost(part);
      if (state === 'recorded' && answer === 'unknown') onLossRecorded(part);
    },
    learnMessageId,
    forget: (messageId) => memory.forget(channelId, messageKeyOf(messageId)),
    recall,
    match: (reports, now) => track(match(reports, now)),
    rematch: () => track(rematch()),
    onFound(listener) {
      onFound = listener;
    },
    async findSubmitted({ reference, to }) {
      const lookup = { messageId: '', reference, phone: to };
      const known = await track(stored.find([lookup]));
      return chooseCandidate(undefined, known.get(lookup) ?? [])?.found;
    },
    async idle() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
    close() {
      for (const entry of waiting.all()) waiting.remove(entry);
    },
  };
}

/** A report that names a part of ours is about no other, whatever id it carries. */
function mayMean({ reference }: ReportLookup, position: PartPosition): boolean {
  return reference === undefined || reference === nameOf(position);
}

function numberOf({ chunk, index }: PartPosition): string {
  return chunk.numbers.to[index] ?? '';
}

function partsOf({ chunk, index }: PartPosition): number {
  return submissionsOf(chunk.numbers, index);
}

function nameOf({ chunk, index, part }: PartPosition): string {
  const { customerId, taskId, numbers } = chunk;
  return formatReference({ customerId, taskId, seq: numbers.seq[index] ?? 0, part });
}

function isSame(one: Candidate<PartPosition>): (other: Candidate<PartPosition>) => boolean {
  return (other) => other.how === one.how && nameOf(other.found) === nameOf(one.found);
}
