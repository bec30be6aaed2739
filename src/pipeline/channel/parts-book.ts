// The one book of a channel's parts: it hears which were submitted, answered and lost, keeps the reports that came before
// their part was known, and knows which part a report is about. Nothing here scans: every question is answered by a key.

import type { Part, Report } from '../../channels/channel.js';
import { type MessageIdFormat, messageKeyOf, readReportedKeys } from '../../domain/message-id.js';
import { type Candidate, chooseCandidate } from '../../domain/part-matching.js';
import type { Flight, PartMemory } from './part-memory.js';

/** What is known of the part that is looked for. */
export type Question = Pick<Report, 'messageId' | 'reference' | 'phone'>;

/** A report that matched no part when it came. The table `orphan_delivery` holds them all; the book holds the newest. */
export interface KeptReport {
  readonly report: Report;
  /** When it came, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Resolves when the report is stored. */
  readonly stored: Promise<bigint>;
}

export interface PartsBook {
  /** A part is with the channel. */
  submitted(part: Part): void;
  /** It came back without being taken: refused, throttled, or never sent. */
  returned(part: Part): void;
  /** It has its message id. Returns the reports that came before: they are no longer kept, and are to be taken up. */
  accepted(part: Part, flight: Flight, messageId: string): readonly KeptReport[];
  /** Its answer is lost. Until the database knows, a report finds it here. */
  lost(part: Part, flight: Flight): void;
  /** The database knows. Returns the report that came while the answer was waited for, if there is exactly one. */
  lossRecorded(part: Part, flight: Flight): KeptReport | undefined;
  forgetLost(part: Part): void;
  /** A late answer, of a part that was given up and is not with the channel any more. */
  acceptedLate(flight: Flight, messageId: string): readonly KeptReport[];
  /** The parts in memory that a report may be about; what the database knows is not among them. */
  candidates(question: Question): Candidate<Flight>[];
  /** The part, where memory alone is certain: by our own reference, or by the exact id. */
  matchAtOnce(question: Question): Flight | undefined;
  /** Whether a part to this number is with the channel and unanswered: a report may be its own, come early. */
  isFlyingTo(phone: string): boolean;
  keep(kept: KeptReport): void;
  drop(kept: KeptReport): void;
  /** All that it keeps, the oldest first. */
  kept(): readonly KeptReport[];
  /** No longer kept, because its part was found; false where it is not certain enough, or taken out already. */
  takeOut(kept: KeptReport, found: Candidate<Flight>): boolean;
  /** Its final report is recorded: nothing more is expected. */
  finished(messageId: string): void;
}

export interface BookOptions {
  readonly channelId: bigint;
  readonly messageIdFormat: MessageIdFormat;
  readonly memory: PartMemory;
  readonly maxKept: number;
}

export function makePartsBook({ channelId, messageIdFormat, memory, maxKept }: BookOptions): PartsBook {
  const flying = new Map<string, number>();
  const lost = new Map<string, { readonly part: Part; readonly flight: Flight }>();
  const lostTo = makeIndex<string>();
  const kept = new Map<KeptReport, readonly string[]>();
  const keptBy = makeIndex<KeptReport>();

  const land = (part: Part): void => {
    const left = (flying.get(part.to) ?? 0) - 1;
    if (left > 0) flying.set(part.to, left);
    else flying.delete(part.to);
  };

  const drop = (entry: KeptReport): void => {
    for (const key of kept.get(entry) ?? []) keptBy.remove(key, entry);
    kept.delete(entry);
  };

  const keysOf = ({ messageId, reference, phone }: Question): string[] => {
    const { exact, guesses } = readReportedKeys(messageId, messageIdFormat);
    const ids = exact === undefined ? [] : [exact, ...guesses];
    return [
      ...ids.map((id) => `id ${id}`),
      ...(reference === undefined ? [] : [`reference ${reference}`]),
      ...(phone === undefined ? [] : [`phone ${phone}`]),
    ];
  };

  const candidates = (question: Question): Candidate<Flight>[] => {
    const { exact, guesses } = readReportedKeys(question.messageId, messageIdFormat);
    const found: Candidate<Flight>[] = [];
    const add = (how: Candidate<Flight>['how'], flight: Flight | undefined): void => {
      if (flight !== undefined) found.push({ how, to: numberOf(flight), found: flight });
    };
    if (question.reference !== undefined) add('reference', lost.get(question.reference)?.flight);
    if (exact !== undefined) add('exact', memory.find(channelId, exact));
    for (const guess of guesses) add('other_spelling', memory.find(channelId, guess));
    // A report that names a part of ours is about no other, and one may be early for a part that is still unanswered.
    if (question.reference === undefined && question.phone !== undefined && !flying.has(question.phone)) {
      for (const reference of lostTo.get(question.phone)) add('lost_answer', lost.get(reference)?.flight);
    }
    return found;
  };

  /** Takes the kept reports that are about a part which has its id now. */
  const takeUp = (flight: Flight, messageId: string): KeptReport[] => {
    const key = messageKeyOf(messageId);
    memory.remember(channelId, key, flight);
    const early = [...keptBy.get(`id ${key}`)].filter(({ report }) => {
      const { exact } = readReportedKeys(report.messageId, messageIdFormat);
      const how = exact === key ? 'exact' : 'other_spelling';
      return chooseCandidate(report.phone, [{ how, to: numberOf(flight), found: flight }]) !== undefined;
    });
    for (const entry of early) drop(entry);
    return early;
  };

  return {
    submitted: (part) => void flying.set(part.to, (flying.get(part.to) ?? 0) + 1),
    returned: land,
    accepted(part, flight, messageId) {
      land(part);
      return takeUp(flight, messageId);
    },
    acceptedLate: takeUp,
    lost(part, flight) {
      land(part);
      lost.set(part.reference, { part, flight });
      lostTo.add(part.to, part.reference);
    },
    lossRecorded(part, flight) {
      const named = [...keptBy.get(`reference ${part.reference}`)];
      const early = named.length > 0 || flying.has(part.to) ? named : unnamed(keptBy.get(`phone ${part.to}`), flight);
      // Two reports to one number, and no telling which is whose: they stay with the operator.
      const [only] = early;
      if (only === undefined || early.length > 1) return undefined;
      drop(only);
      return only;
    },
    forgetLost(part) {
      lost.delete(part.reference);
      lostTo.remove(part.to, part.reference);
    },
    candidates,
    matchAtOnce(question) {
      const certain = candidates(question).filter(({ how }) => how === 'reference' || how === 'exact');
      return chooseCandidate(question.phone, certain)?.found;
    },
    isFlyingTo: (phone) => flying.has(phone),
    keep(entry) {
      const keys = keysOf(entry.report);
      kept.set(entry, keys);
      for (const key of keys) keptBy.add(key, entry);
      const [oldest] = kept.size > maxKept ? kept.keys() : [];
      if (oldest !== undefined) drop(oldest);
    },
    drop,
    kept: () => [...kept.keys()],
    takeOut(entry, { how, found }) {
      if (!kept.has(entry)) return false;
      if (how === 'lost_answer') {
        const early = unnamed(keptBy.get(`phone ${entry.report.phone}`), found);
        if (early.length !== 1 || early[0] !== entry) return false;
      }
      drop(entry);
      return true;
    },
    finished: (messageId) => memory.forget(channelId, messageKeyOf(messageId)),
  };
}

/** Those that name no part of ours and came since the part left. */
function unnamed(entries: Iterable<KeptReport>, flight: Flight): KeptReport[] {
  return [...entries].filter(
    ({ report, receivedAt }) => report.reference === undefined && receivedAt >= flight.submittedAt,
  );
}

function numberOf({ chunk, index }: Flight): string {
  return chunk.numbers.to[index] ?? '';
}

interface Index<Value> {
  add(key: string, value: Value): void;
  remove(key: string, value: Value): void;
  get(key: string): Iterable<Value>;
}

function makeIndex<Value>(): Index<Value> {
  const byKey = new Map<string, Set<Value>>();
  return {
    add: (key, value) => void byKey.set(key, (byKey.get(key) ?? new Set()).add(value)),
    remove(key, value) {
      const values = byKey.get(key);
      values?.delete(value);
      if (values?.size === 0) byKey.delete(key);
    },
    get: (key) => byKey.get(key) ?? [],
  };
}
