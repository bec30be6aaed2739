// The stretches of time that the overview looks at, cut into hours or days of the viewer.

import type { Period } from '../../api/statistics.js';
import { dayAt, shiftDay, startOfDay } from '../../format/local-day.js';
import { type MomentStyle, showMoment } from '../../format/moment.js';
import type { Language, Zone } from '../../preferences.js';

export const RANGES = ['24h', '7d', '30d'] as const;
export type Range = (typeof RANGES)[number];

const HOUR_MS = 3_600_000;

export interface Slot {
  /** The beginning, in UTC. */
  readonly key: string;
  /** Where slots are days. */
  readonly day: string;
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

const COUNTS = { '24h': 24, '7d': 7, '30d': 30 };
const LABEL_EVERY = { '24h': 4, '7d': 1, '30d': 5 };

/** Days are those of the billing time zone, as statistics count them; hours are shown in the viewer's. */
export function cutPeriod(range: Range, nowMs: number, language: Language, zone: Zone, billingZone: string): Cut {
  const count = COUNTS[range];
  const by = range === '24h' ? 'hour' : 'day';
  const today = dayAt(billingZone, nowMs);
  const nextHourMs = (Math.floor(nowMs / HOUR_MS) + 1) * HOUR_MS;
  const startOf = (index: number) =>
    by === 'hour'
      ? nextHourMs - (count - index) * HOUR_MS
      : startOfDay(billingZone, shiftDay(today, index + 1 - count));
  const slots = Array.from({ length: count }, (_, index): Slot => {
    const startMs = startOf(index);
    const day = shiftDay(today, index + 1 - count);
    // A date is shown as it is, not as the viewer's clock would show its first moment.
    const show = (style: MomentStyle) =>
      by === 'day' ? showMoment(Date.parse(day), language, 'utc', style) : showMoment(startMs, language, zone, style);
    const title = show(by === 'day' ? 'day' : 'minute');
    const short = by === 'day' ? show('date') : title.slice(-5);
    const label = index % LABEL_EVERY[range] === 0 ? short : '';
    return { key: new Date(startMs).toISOString(), day, startMs, endMs: startOf(index + 1), label, title };
  });
  return { period: { startAt: new Date(startOf(0)), endAt: new Date(startOf(count)) }, by, slots };
}

/** Whether a row of the statistics belongs to a slot: keys are days (`2026-11-15`) or times. */
export function isOfSlot(key: string | null, slot: Slot): boolean {
  if (key === null) return false;
  if (key.length === 10) return key === slot.day;
  const atMs = Date.parse(key);
  return atMs >= slot.startMs && atMs < slot.endMs;
}
