// Times as RFC 3339 writes them, with an offset.

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,12}))?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/;

/** The largest time that fits the 43 bits an id has for it, in the year 2248. Later times are as good as this one. */
export const MAX_TIME_MS = 2 ** 43 - 1;
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
  return Math.min(Math.max(ms, 0), MAX_TIME_MS);
}

/** In digits, because 0.029 × 1000 is not 29 for floats. */
function ceilMs(fraction: string): number {
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return /[1-9]/.test(fraction.slice(3)) ? ms + 1 : ms;
}

const MS_PER_DAY = 86_400_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'));
const THREE_DIGITS = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, '0'));

/** Days that were written down lately, by their number: `2026-11-14T`. */
const dayTexts = new Map<number, string>();
const MAX_DAYS = 1000;

/** What `toISOString` says, at a fifth of its cost, which decides where every row has several times. */
export function formatTime(time: Date): string {
  const ms = time.getTime();
  const day = Math.floor(ms / MS_PER_DAY);
  const dayText = dayTexts.get(day) ?? formatDay(day);
  const ofDay = ms - day * MS_PER_DAY;
  const seconds = Math.floor(ofDay / 1000);
  const minutes = Math.floor(seconds / 60);
  const clock = `${TWO_DIGITS[Math.floor(minutes / 60)]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}`;
  return `${dayText}${clock}.${THREE_DIGITS[ofDay % 1000]}Z`;
}

function formatDay(day: number): string {
  const text = new Date(day * MS_PER_DAY).toISOString().slice(0, -'00:00:00.000Z'.length);
  if (dayTexts.size >= MAX_DAYS) dayTexts.clear();
  dayTexts.set(day, text);
  return text;
}

export function formatTimeOrNull(time: Date | null): string | null {
  return time === null ? null : formatTime(time);
}
