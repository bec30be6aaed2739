// Spans of time in the grains that sums are kept in.

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** `until` is exclusive. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

/** A span as whole days, the whole hours around them, and what is left. */
export function divide(span: Period): { days: Period[]; hours: Period[]; rest: Period[] } {
  const { within, rest } = cutOut(span, HOUR_MS);
  if (within === undefined) return { days: [], hours: [], rest };
  const { within: days, rest: hours } = cutOut(within, DAY_MS);
  return { days: days === undefined ? [] : [days], hours, rest };
}

/** The whole units within a span, and what is left around them. */
export function cutOut({ from, until }: Period, unitMs: number): { within: Period | undefined; rest: Period[] } {
  const keep = (spans: Period[]) => spans.filter((piece) => piece.from < piece.until);
  const first = Math.ceil(from / unitMs) * unitMs;
  const last = Math.floor(until / unitMs) * unitMs;
  if (first >= last) return { within: undefined, rest: keep([{ from, until }]) };
  const around = [
    { from, until: first },
    { from: last, until },
  ];
  return { within: { from: first, until: last }, rest: keep(around) };
}
