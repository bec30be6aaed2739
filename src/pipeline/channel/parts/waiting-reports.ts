// The reports of a channel without a known part. The table `orphan_delivery` has all of them; this holds the newest in memory, indexed
// by message id, reference and number, so that no lookup scans.

import type { Report } from '../../../channels/channel.js';
import { type MessageIdFormat, reportKeysOf } from '../../../domain/message/message-id.js';
import type { PartMemory } from './part-memory.js';

export interface WaitingReport {
  readonly report: Report;
  /** In milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Its id in the table; a promise while it is being stored. */
  readonly stored: bigint | Promise<bigint>;
}

export interface WaitingReports {
  add(waiting: WaitingReport): void;
  /** Returns false if it was removed before. */
  remove(waiting: WaitingReport): boolean;
  /** Oldest first. */
  all(): readonly WaitingReport[];
  /** Reports that may refer to this message id. */
  byMessageKey(key: string): readonly WaitingReport[];
  byReference(reference: string): readonly WaitingReport[];
  /** The only report to this number since then that has no reference; undefined if there is none, or if there may be others. */
  findOnly(phone: string, since: number): WaitingReport | undefined;
  /** Some reports received up to then are in the table, but not in memory. */
  noteNotInMemory(until: number): void;
}

/** Reports listed per number. `findOnly` needs only two; a flood of reports to one number must not be scanned. */
const MAX_A_PHONE = 8;
/** The memory of a report with its index entries. */
const REPORT_BYTES = 700;

/** The waiting reports to one number. */
interface ToPhone {
  readonly listed: WaitingReport[];
  /** How many more there are. */
  unlisted: number;
}

export function createWaitingReports(memory: PartMemory, format: MessageIdFormat): WaitingReports {
  /** Releases the memory of each report. */
  const releases = new Map<WaitingReport, () => void>();
  const byMessageKey = createIndex();
  const byReference = createIndex();
  const toPhone = new Map<string, ToPhone>();
  /** Reports received up to this time may be missing in memory. */
  let incompleteUntil = Number.NEGATIVE_INFINITY;

  const addToPhone = (phone: string, waiting: WaitingReport): void => {
    const known = toPhone.get(phone) ?? { listed: [], unlisted: 0 };
    if (known.listed.length < MAX_A_PHONE) known.listed.push(waiting);
    else known.unlisted += 1;
    toPhone.set(phone, known);
  };

  const removeFromPhone = (phone: string, waiting: WaitingReport): void => {
    const known = toPhone.get(phone);
    if (known === undefined) return;
    const at = known.listed.indexOf(waiting);
    if (at < 0) known.unlisted -= 1;
    else known.listed.splice(at, 1);
    if (known.listed.length + known.unlisted === 0) toPhone.delete(phone);
  };

  const removeFromIndexes = (waiting: WaitingReport): void => {
    const { messageId, reference, phone } = waiting.report;
    releases.delete(waiting);
    for (const key of reportKeysOf(messageId, format)) byMessageKey.remove(key, waiting);
    if (reference !== undefined) byReference.remove(reference, waiting);
    else if (phone !== undefined) removeFromPhone(phone, waiting);
  };

  const noteNotInMemory = (until: number): void => {
    incompleteUntil = Math.max(incompleteUntil, until);
  };

  return {
    add(waiting) {
      const { messageId, reference, phone, code } = waiting.report;
      for (const key of reportKeysOf(messageId, format)) byMessageKey.add(key, waiting);
      if (reference !== undefined) byReference.add(reference, waiting);
      else if (phone !== undefined) addToPhone(phone, waiting);
      const bytes = REPORT_BYTES + messageId.length + code.length + (reference ?? '').length;
      const onEvicted = () => {
        removeFromIndexes(waiting);
        noteNotInMemory(waiting.receivedAt);
      };
      // An entry without an effect: `reserve` may evict this report at once, which removes the entry again.
      releases.set(waiting, () => {});
      const release = memory.reserve(bytes, onEvicted);
      if (releases.has(waiting)) releases.set(waiting, release);
    },
    remove(waiting) {
      const release = releases.get(waiting);
      if (release === undefined) return false;
      removeFromIndexes(waiting);
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
  add(key: string, waiting: WaitingReport): void;
  remove(key: string, waiting: WaitingReport): void;
  get(key: string): readonly WaitingReport[];
}

/** Most keys have one report. A set takes much memory, so it is created only for several. */
function createIndex(): Index {
  const byKey = new Map<string, WaitingReport | Set<WaitingReport>>();
  return {
    add(key, waiting) {
      const known = byKey.get(key);
      if (known === undefined) byKey.set(key, waiting);
      else if (known instanceof Set) known.add(waiting);
      else byKey.set(key, new Set([known, waiting]));
    },
    remove(key, waiting) {
      const known = byKey.get(key);
      if (known instanceof Set) known.delete(waiting);
      if (known === waiting || (known instanceof Set && known.size === 0)) byKey.delete(key);
    },
    get(key) {
      const known = byKey.get(key);
      if (known === undefined) return [];
      return known instanceof Set ? [...known] : [known];
    },
  };
}
