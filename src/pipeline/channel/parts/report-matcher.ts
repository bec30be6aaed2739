// The one book of a channel's parts: it hears which were submitted, answered and lost, and knows which part a report is about.
// Memory first; the database is asked for what memory has lost, many at a time. A report whose part is not known waits until
// it is. The rules are in `domain/part-matching.ts`; here is who may be meant.

import type { Part, Report } from '../../../channels/channel.js';
import { submissionsOf } from '../../../domain/chunk/chunk.js';
import { type MessageIdFormat, messageKeyOf, readReportedKeys } from '../../../domain/message/message-id.js';
import { type Candidate, chooseCandidate } from '../../../domain/message/part-matching.js';
import { formatReference } from '../../../domain/message/part-reference.js';
import type { PartMemory, PartPosition } from './part-memory.js';
import { createWaitingReports, type WaitingReport } from './waiting-reports.js';

/** What is known of the part that is looked for. */
export type ReportLookup = Pick<Report, 'messageId' | 'reference' | 'phone'>;

/** What the database knows of a channel's parts, as the book asks it. */
export interface StoredParts {
  /** The parts that each question may be about. */
  find(questions: readonly ReportLookup[]): Promise<ReadonlyMap<ReportLookup, readonly Candidate<PartPosition>[]>>;
  /** Stores reports that wait, each by itself where they cannot be stored together. Their ids, in the same order. */
  keep(reports: readonly Report[]): readonly Promise<bigint>[];
  /** Resolves when what was lost in this bucket is recorded. */
  awaitRecorded(bucket: number): Promise<void>;
}

/** What became of reports. */
export interface Matched {
  readonly found: ReadonlyMap<Report, PartPosition>;
  /** Those whose part is not known yet. */
  readonly waiting: readonly WaitingReport[];
}

export interface ReportMatcher {
  /** A part is with the channel. */
  submitted(part: Part): void;
  /** It came back without being taken: refused, throttled, or never sent. */
  returned(part: Part): void;
  /** It has its message id. */
  accepted(part: Part, sent: PartPosition, messageId: string): void;
  /** Its answer is lost. Until the database knows, a report finds it here. */
  lost(part: Part, sent: PartPosition): void;
  /** The database knows. */
  lossRecorded(part: Part, sent: PartPosition): void;
  /** A part that was given up and is not with the channel any more, to be found by its late answer. */
  findGivenUp(part: Part): Promise<PartPosition | undefined>;
  /** That answer, when it is recorded. */
  acceptedLate(sent: PartPosition, messageId: string): void;
  /** The part, where memory alone is certain: by our own reference, or by the exact id. */
  recall(report: Report): PartPosition | undefined;
  /** Finds the parts of reports. Those that have none wait from then on, as they were received now. */
  match(reports: readonly Report[], now: number): Promise<Matched>;
  /** Stores a report whose part is known and cannot be settled yet. Its id in the table. */
  store(report: Report): Promise<bigint>;
  /** Hears of reports that waited and whose part is known now; they wait no longer. */
  onFound(listener: (waiting: WaitingReport, sent: PartPosition) => void): void;
  /** Reports that a process before this one stored, the oldest first, and whether there are older ones. */
  resume(waiting: readonly WaitingReport[], hasOlder: boolean): void;
  /** Looks for the parts of all that wait again: what they wait for may have been recorded by another process. */
  rematch(): Promise<void>;
  /** Its final report is recorded: nothing more is expected. */
  finished(messageId: string): void;
  /** Resolves when nothing is being looked for. */
  idle(): Promise<void>;
  /** Gives the room back that it has in the memory of the process. */
  close(): void;
}

export interface ReportMatcherOptions {
  readonly channelId: bigint;
  readonly messageIdFormat: MessageIdFormat;
  readonly memory: PartMemory;
  readonly stored: StoredParts;
}

const REMATCHED_AT_ONCE = 500;

export function createReportMatcher({
  channelId,
  messageIdFormat,
  memory,
  stored,
}: ReportMatcherOptions): ReportMatcher {
  /** How many parts to each number are with the channel. */
  const flying = new Map<string, number>();
  const lost = new Map<string, PartPosition>();
  const lostTo = new Map<string, Set<string>>();
  const waiting = createWaitingReports(memory, messageIdFormat);
  const underWay = new Set<Promise<unknown>>();
  let tell: (waiting: WaitingReport, sent: PartPosition) => void = () => {};

  const track = async <Result>(work: Promise<Result>): Promise<Result> => {
    underWay.add(work);
    try {
      return await work;
    } finally {
      underWay.delete(work);
    }
  };

  const land = (part: Part): void => {
    const left = (flying.get(part.to) ?? 0) - 1;
    if (left > 0) flying.set(part.to, left);
    else flying.delete(part.to);
  };

  /** The parts in memory that a report may be about. */
  const candidates = ({ messageId, reference, phone }: ReportLookup): Candidate<PartPosition>[] => {
    const { exact, guesses } = readReportedKeys(messageId, messageIdFormat);
    const found: Candidate<PartPosition>[] = [];
    const add = (how: Candidate<PartPosition>['how'], sent: PartPosition | undefined): void => {
      if (sent !== undefined) found.push({ how, to: numberOf(sent), found: sent });
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
    const sent = chooseCandidate(report.phone, certain)?.found;
    return sent !== undefined && mayMean(report, sent) ? sent : undefined;
  };

  const choose = (
    question: ReportLookup,
    known: readonly Candidate<PartPosition>[] = [],
  ): Candidate<PartPosition> | undefined => {
    // A part to the same number is unanswered: the report may be its own, come early.
    const mayBeEarly = question.phone !== undefined && flying.has(question.phone);
    const distinct = new Map<string, Candidate<PartPosition>>();
    for (const candidate of [...candidates(question), ...known]) {
      if (!mayMean(question, candidate.found) || (candidate.how === 'lost_answer' && mayBeEarly)) continue;
      const name = `${candidate.how} ${nameOf(candidate.found)}`;
      if (!distinct.has(name)) distinct.set(name, candidate);
    }
    const newestFirst = [...distinct.values()].sort((a, b) => b.found.submittedAt - a.found.submittedAt);
    const chosen = chooseCandidate(question.phone, newestFirst);
    // Of a message of several parts only the database knows whether another of them was given up.
    const isCertain = chosen?.how !== 'lost_answer' || partsOf(chosen.found) === 1 || known.some(isSame(chosen));
    return isCertain ? chosen : undefined;
  };

  /** Until the database knows of the lost parts that these reports may be about. */
  const awaitLosses = async (reports: readonly Report[]): Promise<void> => {
    const meant = reports.flatMap(candidates).filter(({ how }) => how === 'lost_answer');
    const buckets = new Set(meant.map(({ found }) => found.chunk.bucket));
    await Promise.all([...buckets].map(stored.awaitRecorded));
  };

  const match = async (reports: readonly Report[], now: number): Promise<Matched> => {
    const found = new Map<Report, PartPosition>();
    const unsure = reports.filter((report) => {
      const sent = recall(report);
      if (sent !== undefined) found.set(report, sent);
      return sent === undefined;
    });
    if (unsure.length === 0) return { found, waiting: [] };
    await awaitLosses(unsure);
    const known = await stored.find(unsure);
    // From here to where they wait nothing else runs: an answer in between would not find them.
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

  const takeUp = (entry: WaitingReport, sent: PartPosition): void => {
    if (waiting.remove(entry)) tell(entry, sent);
  };

  /** It has its id now: reports that waited for it are its own, where the number agrees. */
  const learnId = (sent: PartPosition, messageId: string): void => {
    const key = messageKeyOf(messageId);
    memory.remember(channelId, key, sent);
    for (const entry of waiting.byMessageKey(key)) {
      if (!mayMean(entry.report, sent)) continue;
      const { exact } = readReportedKeys(entry.report.messageId, messageIdFormat);
      const how = exact === key ? 'exact' : 'other_spelling';
      const candidate = { how, to: numberOf(sent), found: sent } as const;
      if (chooseCandidate(entry.report.phone, [candidate]) !== undefined) takeUp(entry, sent);
    }
  };

  /** Asks again for reports that wait. One that is known by its number alone must be the only one that came since. */
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

  const forgetLost = (part: Part): void => {
    lost.delete(part.reference);
    const names = lostTo.get(part.to);
    names?.delete(part.reference);
    if (names?.size === 0) lostTo.delete(part.to);
  };

  return {
    submitted: (part) => void flying.set(part.to, (flying.get(part.to) ?? 0) + 1),
    returned: land,
    accepted(part, sent, messageId) {
      land(part);
      learnId(sent, messageId);
      for (const entry of waiting.byReference(part.reference)) takeUp(entry, sent);
    },
    lost(part, sent) {
      land(part);
      lost.set(part.reference, sent);
      lostTo.set(part.to, (lostTo.get(part.to) ?? new Set()).add(part.reference));
    },
    lossRecorded(part, sent) {
      const named = waiting.byReference(part.reference);
      const only = waiting.onlyTo(part.to, sent.submittedAt);
      const entries = only === undefined ? named : [...named, only];
      // What cannot be asked now goes on waiting.
      if (entries.length > 0) track(rematchSome(entries)).catch(() => undefined);
      // A report whose part is being looked for in the database may have asked just before it knew.
      void Promise.allSettled(underWay).then(() => forgetLost(part));
    },
    async findGivenUp({ reference, to }) {
      const question = { messageId: '', reference, phone: to };
      const known = await track(stored.find([question]));
      return chooseCandidate(undefined, known.get(question) ?? [])?.found;
    },
    acceptedLate: learnId,
    recall,
    match: (reports, now) => track(match(reports, now)),
    store: (report) => track(stored.keep([report])[0] ?? Promise.reject(new Error('a report was not stored'))),
    onFound(listener) {
      tell = listener;
    },
    resume(entries, hasOlder) {
      for (const entry of entries) waiting.add(entry);
      const [oldest] = entries;
      if (hasOlder && oldest !== undefined) waiting.leftOut(oldest.receivedAt);
    },
    rematch: () => track(rematch()),
    finished: (messageId) => memory.forget(channelId, messageKeyOf(messageId)),
    async idle() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
    close() {
      for (const entry of waiting.all()) waiting.remove(entry);
    },
  };
}

/** A report that names a part of ours is about no other, whatever id it carries. */
function mayMean({ reference }: ReportLookup, sent: PartPosition): boolean {
  return reference === undefined || reference === nameOf(sent);
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
