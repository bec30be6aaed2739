// Counts outcomes, reports and error codes of a channel, for operators. Bounded, because carriers choose the codes.

import type { Report, SubmitOutcome } from '../../../channels/channel.js';
import type { ChannelCounts, ChannelFigures, CodeCount, CodeEvent } from '../../../domain/platform.js';
import { cleanWord } from '../../../domain/text.js';

export interface ChannelTally {
  outcome(outcome: SubmitOutcome): void;
  report(report: Pick<Report, 'status' | 'code'>): void;
  figures(): ChannelFigures;
}

/** Further codes are counted together under the last of these. */
const MAX_CODES = 200;
const OTHER_CODES = 'other codes';
const MAX_CODE_LENGTH = 64;
/** Rates are averages over this time. */
const RATE_MS = 5_000;
const SHOWN_CODES = 20;

interface Seen {
  readonly event: CodeEvent;
  readonly code: string;
  count: number;
  lastMs: number;
}

interface Reading {
  readonly atMs: number;
  readonly parts: number;
  readonly reports: number;
}

export function createTally(now: () => number): ChannelTally {
  const since = new Date(now()).toISOString();
  const counts: { -readonly [Name in keyof ChannelCounts]: number } = {
    accepted: 0,
    refused: 0,
    throttled: 0,
    unknown: 0,
    unsent: 0,
    reports: 0,
  };
  const codes = new Map<string, Seen>();
  let readings: Reading[] = [{ atMs: now(), parts: 0, reports: 0 }];

  const countCode = (event: CodeEvent, said: string): void => {
    // The code as recorded with the part, so that operators can search for it.
    let code = cleanWord(said, MAX_CODE_LENGTH);
    if (codes.size >= MAX_CODES && !codes.has(`${event} ${code}`)) code = OTHER_CODES;
    const key = `${event} ${code}`;
    const seen = codes.get(key) ?? { event, code, count: 0, lastMs: 0 };
    seen.count += 1;
    seen.lastMs = now();
    codes.set(key, seen);
  };

  return {
    outcome(outcome) {
      counts[outcome.kind] += 1;
      if (outcome.kind === 'refused' || outcome.kind === 'throttled' || outcome.kind === 'unknown') {
        countCode(outcome.kind, outcome.code);
      }
    },
    report({ status, code }) {
      counts.reports += 1;
      if (status !== 'delivered' && status !== 'intermediate') countCode(status, code);
    },
    figures() {
      const atMs = now();
      const parts = counts.accepted + counts.refused + counts.unknown;
      // The oldest reading within the period, or the last one before it.
      const recent = readings.findLastIndex((reading) => atMs - reading.atMs >= RATE_MS);
      readings = [...readings.slice(Math.max(0, recent)), { atMs, parts, reports: counts.reports }];
      const [first] = readings;
      const perSecond = (grown: number) =>
        first === undefined || atMs <= first.atMs ? 0 : Math.round((grown * 10_000) / (atMs - first.atMs)) / 10;
      return {
        since,
        counted_at: new Date(atMs).toISOString(),
        counts: { ...counts },
        parts_per_second: perSecond(parts - (first?.parts ?? 0)),
        reports_per_second: perSecond(counts.reports - (first?.reports ?? 0)),
        codes: listCodes(codes),
      };
    },
  };
}

function listCodes(codes: ReadonlyMap<string, Seen>): CodeCount[] {
  return [...codes.values()]
    .sort((one, other) => other.count - one.count)
    .slice(0, SHOWN_CODES)
    .map(({ event, code, count, lastMs }) => ({ event, code, count, last_at: new Date(lastMs).toISOString() }));
}
