// Days and hours by the clock of a time zone. A day is named by its date, `2026-11-17`; it begins at the first instant that shows it.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** No clock is further from UTC. */
const MAX_OFFSET_MS = 16 * HOUR_MS;

const readers = new Map<string, (ms: number) => number>();

/** How far the clock of a time zone is ahead of UTC, in milliseconds. */
export function offsetAt(timeZone: string, ms: number): number {
  if (timeZone === 'UTC') return 0;
  const reader = readers.get(timeZone) ?? createOffsetReader(timeZone);
  readers.set(timeZone, reader);
  return reader(ms);
}

export function createOffsetReader(timeZone: string): (ms: number) => number {
  const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...fields, second: 'numeric' });
  return (ms) => {
    const shown = { year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0 };
    for (const { type, value } of format.formatToParts(ms))
      if (type in shown) shown[type as keyof typeof shown] = Number(value);
    const { year, month, day, hour, minute, second } = shown;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
  };
}

/**
 * UTC, or an area and a place. Engines also take offsets, which have no daylight saving, and abbreviations: CST is China to some, and
 * Chicago to them.
 */
export function isTimeZone(name: string): boolean {
  if (name !== 'UTC' && !/^[A-Z][A-Za-z]+\//.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export function dayAt(timeZone: string, ms: number): string {
  return new Date(ms + offsetAt(timeZone, ms)).toISOString().slice(0, 10);
}

export function shiftDay(day: string, by: number): string {
  return new Date(Date.parse(day) + by * DAY_MS).toISOString().slice(0, 10);
}

/** The first instant that shows this date. Clocks may skip midnight. */
export function startOfDay(timeZone: string, day: string): number {
  const midnight = Date.parse(day);
  const likely = midnight - offsetAt(timeZone, midnight);
  if (dayAt(timeZone, likely) === day && dayAt(timeZone, likely - 1) < day) return likely;
  let [before, from] = [midnight - MAX_OFFSET_MS, midnight + MAX_OFFSET_MS];
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    if (dayAt(timeZone, middle) < day) before = middle;
    else from = middle;
  }
  return from;
}

/** The start of the hour, which is not one of UTC where the clock is ahead by half an hour. */
export function startOfHour(timeZone: string, ms: number): number {
  const offset = offsetAt(timeZone, ms) % HOUR_MS;
  return Math.floor((ms + offset) / HOUR_MS) * HOUR_MS - offset;
}
