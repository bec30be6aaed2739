// The reports of a channel that matched no part when they came, and wait for one. The table `orphan_delivery` holds them all;
// this holds the newest, found by whatever may be known of their part one day. Nothing here scans.

import type { Report } from '../../../channels/channel.js';
import { type MessageIdFormat, reportKeysOf } from '../../../domain/message/message-id.js';
import type { PartMemory } from './part-memory.js';

export interface WaitingReport {
  readonly report: Report;
  /** When it came, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Its id in the table, when it is stored. */
  readonly stored: bigint | Promise<bigint>;
}

export interface WaitingReports {
  add(waiting: WaitingReport): void;
  /** False when it waits no longer. */
  remove(waiting: WaitingReport): boolean;
  /** The oldest first. */
  all(): readonly WaitingReport[];
  /** Those that may mean this message id. */
  byMessageKey(key: string): readonly WaitingReport[];
  byReference(reference: string): readonly WaitingReport[];
  /** The one that names this number, names no part of ours, and came since; undefined when there is none, or no telling. */
  onlyTo(phone: string, since: number): WaitingReport | undefined;
  /** Some that came until then wait in the table alone. */
  leftOut(until: number): void;
}

/** Two suffice to know nothing; whoever reports to one number without end is not looked through. */
const MAX_A_PHONE = 8;
/** A report with its keys and its places in the maps. */
const REPORT_BYTES = 700;

interface ToPhone {
  readonly listed: WaitingReport[];
  unlisted: number;
}

export function createWaitingReports(memory: PartMemory, format: MessageIdFormat): WaitingReports {
  const places = new Map<WaitingReport, () => void>();
  const byId = createIndex();
  const byReference = createIndex();
  const toPhone = new Map<string, ToPhone>();
  let leftOutUntil = Number.NEGATIVE_INFINITY;

  const list = (phone: string, waiting: WaitingReport): void => {
    const known = toPhone.get(phone) ?? { listed: [], unlisted: 0 };
    if (known.listed.length < MAX_A_PHONE) known.listed.push(waiting);
    else known.unlisted += 1;
    toPhone.set(phone, known);
  };

  const unlist = (phone: string, waiting: WaitingReport): void => {
    const known = toPhone.get(phone);
    if (known === undefined) return;
    const at = known.listed.indexOf(waiting);
    if (at < 0) known.unlisted -= 1;
    else known.listed.splice(at, 1);
    if (known.listed.length + known.unlisted === 0) toPhone.delete(phone);
  };

  const takeOut = (waiting: WaitingReport): void => {
    const { messageId, reference, phone } = waiting.report;
    places.delete(waiting);
    for (const key of reportKeysOf(messageId, format)) byId.remove(key, waiting);
    if (reference !== undefined) byReference.remove(reference, waiting);
    else if (phone !== undefined) unlist(phone, waiting);
  };

  const leftOut = (until: number): void => {
    leftOutUntil = Math.max(leftOutUntil, until);
  };

  return {
    add(waiting) {
      const { messageId, reference, phone, code } = waiting.report;
      for (const key of reportKeysOf(messageId, format)) byId.add(key, waiting);
      if (reference !== undefined) byReference.add(reference, waiting);
      else if (phone !== undefined) list(phone, waiting);
      const bytes = REPORT_BYTES + messageId.length + code.length + (reference ?? '').length;
      const onEvicted = () => {
        takeOut(waiting);
        leftOut(waiting.receivedAt);
      };
      places.set(waiting, () => {});
      const release = memory.hold(bytes, onEvicted);
      if (places.has(waiting)) places.set(waiting, release);
    },
    remove(waiting) {
      const release = places.get(waiting);
      if (release === undefined) return false;
      takeOut(waiting);
      release();
      return true;
    },
    all: () => [...places.keys()],
    byMessageKey: byId.get,
    byReference: byReference.get,
    onlyTo(phone, since) {
      const known = toPhone.get(phone);
      if (known === undefined || known.unlisted > 0 || leftOutUntil >= since) return undefined;
      const [only, ...others] = known.listed.filter(({ receivedAt }) => receivedAt >= since);
      return others.length === 0 ? only : undefined;
    },
    leftOut,
  };
}

interface Index {
  add(key: string, waiting: WaitingReport): void;
  remove(key: string, waiting: WaitingReport): void;
  get(key: string): readonly WaitingReport[];
}

/** Nearly every key has one, and a set takes more than all the rest: there is one only where there are several. */
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
