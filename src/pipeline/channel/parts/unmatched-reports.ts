// The unmatched reports of a channel. The table `unmatched_report` has all of them; this holds the newest in memory, indexed by message id, reference and number, so that no lookup scans.

import type { Report } from '../../../channels/channel.js';
import { type MessageIdFormat, reportKeysOf } from '../../../domain/message/message-id.js';
import type { PartMemory } from './part-memory.js';

export interface UnmatchedReport {
  readonly report: Report;
  /** In milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Its id in the table; a promise while it is being stored. */
  readonly stored: bigint | Promise<bigint>;
}

export interface UnmatchedReports {
  add(entry: UnmatchedReport): void;
  /** Returns false if it was removed before. */
  remove(entry: UnmatchedReport): boolean;
  /** Oldest first. */
  all(): readonly UnmatchedReport[];
  /** Reports that may refer to this message id. */
  byMessageKey(key: string): readonly UnmatchedReport[];
  byReference(reference: string): readonly UnmatchedReport[];
  /** The only report to this number since then that has no reference; undefined if there is none, or if there may be others. */
  findOnly(phone: string, since: number): UnmatchedReport | undefined;
  /** Some reports received up to then are in the table, but not in memory. */
  noteNotInMemory(until: number): void;
}

/** Reports listed per number. `findOnly` needs only two; a flood of reports to one number must not be scanned. */
const MAX_A_PHONE = 8;
/** The memory of a report with its index entries. */
const REPORT_BYTES = 700;

/** The unmatched reports to one number. */
interface ToPhone {
  readonly listed: UnmatchedReport[];
  /** How many more there are. */
  unlisted: number;
}

export function createUnmatchedReports(memory: PartMemory, format: MessageIdFormat): UnmatchedReports {
  /** Releases the memory of each report. */
  const releases = new Map<UnmatchedReport, () => void>();
  const byMessageKey = createIndex();
  const byReference = createIndex();
  const toPhone = new Map<string, ToPhone>();
  /** Reports received up to this time may be missing in memory. */
  let incompleteUntil = Number.NEGATIVE_INFINITY;

  const addToPhone = (phone: string, entry: UnmatchedReport): void => {
    const known = toPhone.get(phone) ?? { listed: [], unlisted: 0 };
    if (known.listed.length < MAX_A_PHONE) known.listed.push(entry);
    else known.unlisted += 1;
    toPhone.set(phone, known);
  };

  const removeFromPhone = (phone: string, entry: UnmatchedReport): void => {
    const known = toPhone.get(phone);
    if (known === undefined) return;
    const at = known.listed.indexOf(entry);
    if (at < 0) known.unlisted -= 1;
    else known.listed.splice(at, 1);
    if (known.listed.length + known.unlisted === 0) toPhone.delete(phone);
  };

  const removeFromIndexes = (entry: UnmatchedReport): void => {
    const { messageId, reference, phone } = entry.report;
    releases.delete(entry);
    for (const key of reportKeysOf(messageId, format)) byMessageKey.remove(key, entry);
    if (reference !== undefined) byReference.remove(reference, entry);
    else if (phone !== undefined) removeFromPhone(phone, entry);
  };

  const noteNotInMemory = (until: number): void => {
    incompleteUntil = Math.max(incompleteUntil, until);
  };

  return {
    add(entry) {
      const { messageId, reference, phone, code } = entry.report;
      for (const key of reportKeysOf(messageId, format)) byMessageKey.add(key, entry);
      if (reference !== undefined) byReference.add(reference, entry);
      else if (phone !== undefined) addToPhone(phone, entry);
      const bytes = REPORT_BYTES + messageId.length + code.length + (reference ?? '').length;
      const onEvicted = () => {
        removeFromIndexes(entry);
        noteNotInMemory(entry.receivedAt);
      };
      // An entry without an effect: `reserve` may evict this report at once, which removes the entry again.
      releases.set(entry, () => {});
      const release = memory.reserve(bytes, onEvicted);
      if (releases.has(entry)) releases.set(entry, release);
    },
    remove(entry) {
      const release = releases.get(entry);
      if (release === undefined) return false;
      removeFromIndexes(entry);
      release();
      return true;
    },
    all: () => [...releases.keys()],
    byMessageKey: byMessageKey.get,
    byReference: byReference.get,
    findOnly(phone, since) {
      const known = toPhone.get(phone);
      if (known === undefined || known.unlisted > 0 || incompleteUntil >= since) return undefined;
      const [only, ...others] = known.listed.filter(({ receivedAt }) => receivedAt >= since);
      return others.length === 0 ? only : undefined;
    },
    noteNotInMemory,
  };
}

interface Index {
  add(key: string, entry: UnmatchedReport): void;
  remove(key: string, entry: UnmatchedReport): void;
  get(key: string): readonly UnmatchedReport[];
}

/** Most keys have one report. A set takes much memory, so it is created only for several. */
function createIndex(): Index {
  const byKey = new Map<string, UnmatchedReport | Set<UnmatchedReport>>();
  return {
    add(key, entry) {
      const known = byKey.get(key);
      if (known === undefined) byKey.set(key, entry);
      else if (known instanceof Set) known.add(entry);
      else byKey.set(key, new Set([known, entry]));
    },
    remove(key, entry) {
      const known = byKey.get(key);
      if (known instanceof Set) known.delete(entry);
      if (known === entry || (known instanceof Set && known.size === 0)) byKey.delete(key);
    },
    get(key) {
      const known = byKey.get(key);
      if (known === undefined) return [];
      return known instanceof Set ? [...known] : [known];
    },
  };
}
