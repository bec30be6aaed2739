// Spans of time in the grains that sums are kept in, by the clock of a time zone.

import { dayAt, shiftDay, startOfDay, startOfHour } from '../../domain/local-time.js';

export const HOUR_MS = 3_600_000;

/** `until` is exclusive. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

/** A span as whole days, which are midnights of UTC for their dates; the whole hours around them; and what is left. */
export function divide(span: Period, timeZone: string): { days: Period[]; hours: Period[]; rest: Period[] } {
  const first = firstDayFrom(timeZone, span.from);
  const end = dayAt(timeZone, span.until);
  if (first >= end) return { days: [], ...cutHours([span], timeZone) };
  const around = [
    { from: span.from, until: startOfDay(timeZone, first) },
    { from: startOfDay(timeZone, end), until: span.until },
  ];
  return { days: [{ from: Date.parse(first), until: Date.parse(end) }], ...cutHours(around, timeZone) };
}

function firstDayFrom(timeZone: string, ms: number): string {
  const day = dayAt(timeZone, ms);
  return startOfDay(timeZone, day) === ms ? day : shiftDay(day, 1);
}

function cutHours(spans: readonly Period[], timeZone: string): { hours: Period[]; rest: Period[] } {
  const cut = spans.filter(({ from, until }) => from < until).map((span) => cutOut(span, timeZone));
  return {
    hours: cut.flatMap(({ within }) => (within === undefined ? [] : [within])),
    rest: cut.flatMap(({ rest }) => rest),
  };
}

/** The whole hours within a span, and what is left around them. */
export function cutOut({ from, until }: Period, timeZone: string): { within: Period | undefined; rest: Period[] } {
  const keep = (spans: Period[]) => spans.filter((piece) => piece.from < piece.until);
  const begun = startOfHour(timeZone, from);
  const first = begun === from ? from : begun + HOUR_MS;
  const last = startOfHour(timeZone, until);
  if (first >= last) return { within: undefined, rest: keep([{ from, until }]) };
  const around = [
    { from, until: first },
    { from: last, until },
  ];
  return { within: { from: first, until: last }, rest: keep(around) };
}
