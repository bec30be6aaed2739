// Finds the part that a report is about. The matcher follows every part of the channel through its states. It searches memory first,
// then the database, in batches. A report without a match waits until its part is known. This file collects the candidates; the rules
// that choose among them are in `domain/message/part-matching.ts`.

import type { Part, Report } from '../../../channels/channel.js';
import { submissionsOf } from '../../../domain/chunk/chunk.js';
import type { CustomerId } from '../../../domain/id.js';
import {
  type MessageIdFormat,
  messageKeyOf,
  readExactKey,
  readReportedKeys,
} from '../../../domain/message/message-id.js';
import { type Candidate, chooseCandidate, mayMatch } from '../../../domain/message/part-matching.js';
import type { DeliveryEvent } from '../../../domain/outcome/delivery-event.js';
import { formatReference } from '../../../domain/record/part-reference.js';
import type { PartMemory } from './part-memory.js';
import type { PartPosition, PartState, Sendable } from './part-state.js';
import { createUnmatchedReports, type UnmatchedReport } from './unmatched-reports.js';

/** A part that was submitted, by whichever process. */
type SubmittedPart = Pick<DeliveryEvent, 'chunk' | 'index' | 'part' | 'submittedAt'>;

/** What a report says about its part. */
export type ReportLookup = Pick<Report, 'messageId' | 'reference' | 'phone'>;

/** The parts and unmatched reports of a channel in the database. */
export interface StoredParts {
  /** The parts that each report may be about. */
  find(lookups: readonly ReportLookup[]): Promise<ReadonlyMap<ReportLookup, readonly Candidate<PartPosition>[]>>;
  /** Stores unmatched reports and returns their ids, in the same order. One that cannot be stored does not fail the others. */
  store(reports: readonly Report[]): readonly Promise<bigint>[];
  /** Resolves when the lost answers of these customers of a bucket are recorded. */
  awaitRecorded(bucket: number, customerIds: ReadonlySet<CustomerId>): Promise<void>;
}

export interface MatchResult {
  readonly found: ReadonlyMap<Report, PartPosition>;
  /** Reports whose part is not known yet. */
  readonly unmatched: readonly UnmatchedReport[];
}

export interface ReportMatcher {
  /** A part changed its state. `messageId` is set when it was accepted. */
  partMoved(part: Sendable, from: PartState, messageId?: string): void;
  /** The lost answer of a part that an earlier process sent is recorded. */
  lossRecorded(part: SubmittedPart): void;
  /** A late answer gave an unknown part this message id. */
  learnMessageId(position: PartPosition, messageId: string): void;
  /** The final report with this message id is recorded. */
  forget(messageId: string): void;
  /** The part, if memory is enough to be certain: by our reference or by the exact message id. */
  recall(report: Report): PartPosition | undefined;
  /** Finds the parts of reports. Unmatched ones wait from now on. */
  match(reports: readonly Report[], now: number): Promise<MatchResult>;
  /** Looks up all unmatched reports again: another process may have recorded their parts. */
  rematch(): Promise<void>;
  /**
   * Looks up the unmatched reports that `isDue` selects, by reference and message id. Not by number alone: a report that may be about one
   * of several lost parts would settle the one that is given up last.
   */
  rematchDue(isDue: (entry: UnmatchedReport) => boolean): Promise<void>;
  /** Called with each unmatched report when its part becomes known. */
  onFound(listener: (entry: UnmatchedReport, position: PartPosition) => void): void;
  /** The position of a part whose answer was lost: from memory while the loss is being recorded, then from the database. */
  findSubmitted(part: Part): Promise<PartPosition | undefined>;
  /** Resolves when no lookup is in progress. */
  idle(): Promise<void>;
  /** Releases its memory. */
  close(): void;
}

export interface ReportMatcherOptions {
  readonly channelId: bigint;
  readonly messageIdFormat: MessageIdFormat;
  readonly memory: PartMemory;
  readonly stored: StoredParts;
  /** Stored unmatched reports, oldest first. */
  readonly unmatched?: readonly UnmatchedReport[];
  /** The table has older ones, which are not in `unmatched`. */
  readonly hasOlder?: boolean;
}

const REMATCH_BATCH = 500;

export function createReportMatcher(options: ReportMatcherOptions): ReportMatcher {
  const { messageIdFormat, memory, stored } = options;
  const channel = String(options.channelId);
  /** How many parts to each number are on the wire, or accepted and not recorded yet. */
  const onWireTo = new Map<string, number>();
  /** Parts whose lost answer is being recorded, by reference. */
  const lost = new Map<string, PartPosition>();
  /** Their references, by number. */
  const lostTo = new Map<string, Set<string>>();
  const unmatched = createUnmatchedReports(memory, messageIdFormat);
  const underWay = new Set<Promise<unknown>>();
  let onFound: (entry: UnmatchedReport, position: PartPosition) => void = () => {};

  for (const entry of options.unmatched ?? []) unmatched.add(entry);
  const [oldest] = options.unmatched ?? [];
  if (options.hasOlder && oldest !== undefined) unmatched.noteNotInMemory(oldest.receivedAt);

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
  const candidatesInMemory = ({ messageId, reference, phone }: ReportLookup): Candidate<PartPosition>[] => {
    const { exact, guesses } = readReportedKeys(messageId, messageIdFormat);
    const found: Candidate<PartPosition>[] = [];
    const add = (how: Candidate<PartPosition>['how'], position: PartPosition | undefined): void => {
      if (position !== undefined) found.push({ how, to: numberOf(position), found: position });
    };
    if (reference !== undefined) add('reference', lost.get(reference));
    if (exact !== undefined) add('exact', memory.find(channel, exact));
    for (const guess of guesses) add('other_spelling', memory.find(channel, guess));
    if (reference === undefined && phone !== undefined) {
      for (const lostReference of lostTo.get(phone) ?? []) add('lost_answer', lost.get(lostReference));
    }
    return found;
  };

  /** Most reports end here, so it makes no list of candidates. */
  const recall = (report: ReportLookup): PartPosition | undefined => {
    const { messageId, reference, phone } = report;
    const named = reference === undefined ? undefined : lost.get(reference);
    if (named !== undefined) return named;
    const exact = readExactKey(messageId, messageIdFormat);
    const position = exact === undefined ? undefined : memory.find(channel, exact);
    if (position === undefined || !mayBeAbout(report, position)) return undefined;
    return mayMatch('exact', numberOf(position), phone) ? position : undefined;
  };

  /** The part that a report is about, chosen among the parts in memory and those in the database. */
  const choose = (
    lookup: ReportLookup,
    inDatabase: readonly Candidate<PartPosition>[] = [],
  ): Candidate<PartPosition> | undefined => {
    // A part to the same number is unanswered, or its answer is not recorded: the report may be about that part.
    const mayBeEarly = lookup.phone !== undefined && onWireTo.has(lookup.phone);
    const distinct = new Map<string, Candidate<PartPosition>>();
    for (const candidate of [...candidatesInMemory(lookup), ...inDatabase]) {
      if (!mayBeAbout(lookup, candidate.found) || (candidate.how === 'lost_answer' && mayBeEarly)) continue;
      const key = `${candidate.how} ${referenceOf(candidate.found)}`;
      if (!distinct.has(key)) distinct.set(key, candidate);
    }
    const newestFirst = [...distinct.values()].sort((a, b) => b.found.submittedAt - a.found.submittedAt);
    const chosen = chooseCandidate(lookup.phone, newestFirst);
    // Found by its number alone, the report may be about a refused part of the same message. Only the database knows if there is one.
    const isConfirmed = chosen?.how !== 'lost_answer' || partsOf(chosen.found) === 1 || inDatabase.some(isSame(chosen));
    return isConfirmed ? chosen : undefined;
  };

  /** Waits until the parts with lost answers that these reports may be about are recorded as unknown. */
  const awaitLostRecorded = async (reports: readonly Report[]): Promise<void> => {
    const customers = new Map<number, Set<CustomerId>>();
    for (const { how, found } of reports.flatMap(candidatesInMemory)) {
      if (how !== 'lost_answer') continue;
      const { bucket, customerId } = found.chunk;
      customers.set(bucket, (customers.get(bucket) ?? new Set()).add(customerId));
    }
    await Promise.all([...customers].map(([bucket, customerIds]) => stored.awaitRecorded(bucket, customerIds)));
  };

  const match = async (reports: readonly Report[], now: number): Promise<MatchResult> => {
    const found = new Map<Report, PartPosition>();
    const unsure = reports.filter((report) => {
      const position = recall(report);
      if (position !== undefined) found.set(report, position);
      return position === undefined;
    });
    if (unsure.length === 0) return { found, unmatched: [] };
    await awaitLostRecorded(unsure);
    const inDatabase = await stored.find(unsure);
    // No await from here until the unmatched reports are in memory: an answer in between would not find them.
    const withoutPart = unsure.filter((report) => {
      const chosen = choose(report, inDatabase.get(report));
      if (chosen !== undefined) found.set(report, chosen.found);
      return chosen === undefined;
    });
    return { found, unmatched: withoutPart.length === 0 ? [] : addUnmatched(withoutPart, now) };
  };

  const addUnmatched = (reports: readonly Report[], receivedAt: number): UnmatchedReport[] => {
    const ids = stored.store(reports);
    return reports.map((report, at) => {
      const id = ids[at] ?? Promise.reject(new Error('a report was not stored'));
      const entry = { report, receivedAt, stored: id };
      unmatched.add(entry);
      id.catch(() => unmatched.remove(entry));
      return entry;
    });
  };

  const resolve = (entry: UnmatchedReport, position: PartPosition): void => {
    if (unmatched.remove(entry)) onFound(entry, position);
  };

  /** Resolves unmatched reports with this message id, if the number matches. */
  const learnMessageId = (position: PartPosition, messageId: string): void => {
    const key = messageKeyOf(messageId);
    memory.remember(channel, key, position);
    for (const entry of unmatched.byMessageKey(key)) {
      if (!mayBeAbout(entry.report, position)) continue;
      const { exact } = readReportedKeys(entry.report.messageId, messageIdFormat);
      const how = exact === key ? 'exact' : 'other_spelling';
      const candidate = { how, to: numberOf(position), found: position } as const;
      if (chooseCandidate(entry.report.phone, [candidate]) !== undefined) resolve(entry, position);
    }
  };

  /** Looks up unmatched reports again. One that matches by its number alone must be the only one since the part was sent. */
  const rematchSome = async (entries: readonly UnmatchedReport[], { byNumber = true } = {}): Promise<void> => {
    const inDatabase = await stored.find(entries.map(({ report }) => report));
    for (const entry of entries) {
      const { report } = entry;
      const chosen = choose(report, inDatabase.get(report));
      if (chosen === undefined) continue;
      const { how, found } = chosen;
      const isUnambiguous =
        how !== 'lost_answer' || (byNumber && unmatched.findOnly(report.phone ?? '', found.submittedAt) === entry);
      if (isUnambiguous) resolve(entry, found);
    }
  };

  const rematch = async (entries: readonly UnmatchedReport[], how?: { readonly byNumber: boolean }): Promise<void> => {
    for (let at = 0; at < entries.length; at += REMATCH_BATCH) {
      await rematchSome(entries.slice(at, at + REMATCH_BATCH), how);
    }
  };

  /** Until the loss of its answer is recorded, reports find the part here. */
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

  /** Looks up the unmatched reports that may be about this part. */
  const rematchAbout = (part: SubmittedPart): void => {
    const named = unmatched.byReference(referenceOf(part));
    const onlyToNumber = unmatched.findOnly(numberOf(part), part.submittedAt ?? Number.POSITIVE_INFINITY);
    const entries = onlyToNumber === undefined ? named : [...named, onlyToNumber];
    // If the lookup fails, they keep unmatched.
    if (entries.length > 0) track(rematchSome(entries)).catch(() => undefined);
  };

  const onLossRecorded = ({ part, position }: Sendable): void => {
    rematchAbout(position);
    // A lookup in progress may have read the database before the loss was recorded: the part stays in memory until it ends.
    void Promise.allSettled(underWay).then(() => removeLost(part));
  };

  const onAccepted = ({ part, position }: Sendable, messageId: string): void => {
    learnMessageId(position, messageId);
    for (const entry of unmatched.byReference(part.reference)) resolve(entry, position);
  };

  return {
    partMoved(part, from, messageId) {
      const { state, answer } = part.position;
      const [was, is] = [mayBeReported(from, answer), mayBeReported(state, answer)];
      if (was !== is) countOnWire(part.part, is ? 1 : -1);
      if (state === 'answered' && messageId !== undefined) onAccepted(part, messageId);
      if (state === 'answered' && answer === 'unknown') addLost(part);
      if (state === 'recorded' && answer === 'unknown') onLossRecorded(part);
    },
    lossRecorded(part) {
      // A lookup in progress may have read the database before: its report is in memory when it ends.
      void Promise.allSettled(underWay).then(() => rematchAbout(part));
    },
    learnMessageId,
    forget: (messageId) => memory.forget(channel, messageKeyOf(messageId)),
    recall,
    match: (reports, now) => track(match(reports, now)),
    rematch: () => track(rematch(unmatched.all())),
    rematchDue: (isDue) => track(rematch(unmatched.all().filter(isDue), { byNumber: false })),
    onFound(listener) {
      onFound = listener;
    },
    async findSubmitted({ reference }) {
      const beingRecorded = lost.get(reference);
      if (beingRecorded !== undefined) return beingRecorded;
      const lookup = { messageId: '', reference };
      const inDatabase = await track(stored.find([lookup]));
      return chooseCandidate(undefined, inDatabase.get(lookup) ?? [])?.found;
    },
    async idle() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
    close() {
      for (const entry of unmatched.all()) unmatched.remove(entry);
    },
  };
}

/** Whether a report may be about a part in this state that the database does not know by its message id. */
function mayBeReported(state: PartState, answer: PartPosition['answer']): boolean {
  return state === 'on_wire' || (answer === 'accepted' && (state === 'answered' || state === 'quarantined'));
}

/** A report with our reference is about that part only, whatever message id it has. */
function mayBeAbout({ reference }: ReportLookup, position: PartPosition): boolean {
  return reference === undefined || reference === referenceOf(position);
}

function numberOf({ chunk, index }: SubmittedPart): string {
  return chunk.numbers.to[index] ?? '';
}

function partsOf({ chunk, index }: PartPosition): number {
  return submissionsOf(chunk.numbers, index);
}

function referenceOf({ chunk, index, part }: SubmittedPart): string {
  const { customerId, taskId, numbers } = chunk;
  return formatReference({ customerId, taskId, seq: numbers.seq[index] ?? 0, part });
}

function isSame(one: Candidate<PartPosition>): (other: Candidate<PartPosition>) => boolean {
  return (other) => other.how === one.how && referenceOf(other.found) === referenceOf(one.found);
}
