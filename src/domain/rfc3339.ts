// Times as RFC 3339 writes them, with an offset.

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,12}))?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/;

/** The largest time that fits the 43 bits an id has for it, in the year 2248. Later times are as good as this one. */
const MAX_MS = 2 ** 43 - 1;
const MS_PER_MINUTE = 60_000;

/**
 * The first whole millisecond that is not before the time, since that is how fine our times are. Undefined when the
 * text is no time or names a day that the calendar does not have.
 */
export function parseRfc3339Ms(text: string): number | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zulu, sign, offsetHour, offsetMinute] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // A date that rolls over into another one is not in the calendar.
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  // RFC 3339 allows a leap second, which reads as the first moment of the next minute.
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  date.setUTCHours(Number(hour), Number(minute), Number(second), ceilMs(fraction));
  if (zulu !== undefined) return clampMs(date.getTime());
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  const offsetMs = (Number(offsetHour) * 60 + Number(offsetMinute)) * MS_PER_MINUTE;
  return clampMs(date.getTime() - (sign === '-' ? -offsetMs : offsetMs));
}

export function clampMs(ms: number): number {
  return Math.min(Math.max(ms, 0), MAX_MS);
}

/** In digits, because 0.029 × 1000 is not 29 for floats. */
function ceilMs(fraction: string): number {
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return /[1-9]/.test(fraction.slice(3)) ? ms + 1 : ms;
}
