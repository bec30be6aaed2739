// Days by the clock of a time zone: statistics and statements are cut by that of the customer.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const formats = new Map<string, Intl.DateTimeFormat>();

/** The date that the clock shows, as `2026-11-17`. */
export function dayAt(timeZone: string, atMs: number): string {
  const known = formats.get(timeZone);
  const fields = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const format = known ?? new Intl.DateTimeFormat('en-CA', { timeZone, ...fields });
  formats.set(timeZone, format);
  return format.format(atMs);
}

export function shiftDay(day: string, by: number): string {
  return new Date(Date.parse(day) + by * 24 * HOUR_MS).toISOString().slice(0, 10);
}

/** The first minute that shows the date. */
export function startOfDay(timeZone: string, day: string): number {
  const midnight = Date.parse(day);
  if (timeZone === 'UTC') return midnight;
  let [before, from] = [midnight - 16 * HOUR_MS, midnight + 16 * HOUR_MS];
  while (from - before > MINUTE_MS) {
    const middle = Math.floor((before + from) / 2 / MINUTE_MS) * MINUTE_MS;
    if (dayAt(timeZone, middle) < day) before = middle;
    else from = middle;
  }
  return from;
}
