import type { Say } from './say.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** The largest unit that is not zero: `3 min`, `850 ms`. */
export function sayDuration(say: Say, milliseconds: number): string {
  if (milliseconds < SECOND_MS) return say('duration.ms', { value: String(Math.max(0, Math.round(milliseconds))) });
  if (milliseconds < MINUTE_MS) return say('duration.s', { value: (milliseconds / SECOND_MS).toFixed(1) });
  if (milliseconds < HOUR_MS) return say('duration.min', { value: String(Math.round(milliseconds / MINUTE_MS)) });
  if (milliseconds < 2 * DAY_MS) return say('duration.h', { value: (milliseconds / HOUR_MS).toFixed(1) });
  return say('duration.d', { value: String(Math.round(milliseconds / DAY_MS)) });
}
