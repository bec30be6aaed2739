// The stretches of time that the overview looks at, cut into hours or days of the viewer.

import { showMoment } from '../../api/moment.js';
import type { Period } from '../../api/statistics.js';
import type { Language, Zone } from '../../shell/preferences.js';

export const RANGES = ['24h', '7d', '30d'] as const;
export type Range = (typeof RANGES)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface Slot {
  /** As the service writes it: the beginning, in UTC. */
  readonly key: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly label: string;
  readonly title: string;
}

export interface Cut {
  readonly period: Period;
  readonly by: 'hour' | 'day';
  readonly slots: readonly Slot[];
}

/** Hours are labelled without their day, days without their year: the title of the column has the rest. Statistics are kept by hour and by day of UTC, so that is how the period is cut. */
export function cutPeriod(range: Range, nowMs: number, language: Language, zone: Zone): Cut {
  const by = range === '24h' ? 'hour' : 'day';
  const stepMs = by === 'hour' ? HOUR_MS : DAY_MS;
  const count = { '24h': 24, '7d': 7, '30d': 30 }[range];
  const endMs = (Math.floor(nowMs / stepMs) + 1) * stepMs;
  const every = { '24h': 4, '7d': 1, '30d': 5 }[range];
  const slots = Array.from({ length: count }, (_, index): Slot => {
    const startMs = endMs - (count - index) * stepMs;
    const isDay = by === 'day';
    const shownZone = isDay ? 'utc' : zone;
    const text = showMoment(startMs, language, shownZone, isDay ? 'day' : 'minute');
    const short = isDay ? showMoment(startMs, language, shownZone, 'date') : text.slice(-5);
    return {
      key: new Date(startMs).toISOString(),
      startMs,
      endMs: startMs + stepMs,
      label: index % every === 0 ? short : '',
      title: text,
    };
  });
  return { period: { startAt: new Date(endMs - count * stepMs), endAt: new Date(endMs) }, by, slots };
}

/** Whether a row of the statistics belongs to a slot: keys are days (`2026-11-15`) or times. */
export function isOfSlot(key: string | null, slot: Slot): boolean {
  if (key === null) return false;
  const atMs = Date.parse(key.length === 10 ? `${key}T00:00:00Z` : key);
  return atMs >= slot.startMs && atMs < slot.endMs;
}
