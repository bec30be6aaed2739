// What operators read in the morning: the day that is over beside the one before, and what is so now.

import { dayAt, shiftDay, startOfDay } from './local-time.js';

const HOUR_MS = 3_600_000;
/** By the clock of the billing time zone. */
const DIGEST_HOUR = 8;

export interface DayMoney {
  readonly currency: string;
  /** In millionths. */
  readonly charged: bigint;
  readonly cost: bigint;
  readonly margin: bigint;
}

/** Numbers count on the day of their receipt, as in the statistics. */
export interface DayFigures {
  readonly sent: number;
  readonly delivered: number;
  /** The most frequent first. */
  readonly rejections: readonly { readonly code: string; readonly count: number }[];
  readonly money: readonly DayMoney[];
}

export interface Digest {
  readonly day: string;
  readonly timeZone: string;
  readonly figures: DayFigures;
  readonly before: DayFigures;
  /** Segments of which it is not known whether the carrier accepted them. */
  readonly unconfirmed: number;
  /** Templates that wait for their review. */
  readonly reviews: number;
  readonly channelsDown: readonly string[];
}

/** The day that the digest of the moment is about: it is over, and its morning after has come. */
export function digestDayAt(timeZone: string, nowMs: number): string {
  const today = dayAt(timeZone, nowMs);
  const isMorning = nowMs >= startOfDay(timeZone, today) + DIGEST_HOUR * HOUR_MS;
  return shiftDay(today, isMorning ? -1 : -2);
}

/** Nothing was sent, nothing waits and nothing is down: no mail is sent. */
export function isQuiet({ figures, unconfirmed, reviews, channelsDown }: Digest): boolean {
  const { sent, rejections, money } = figures;
  return sent + rejections.length + money.length + unconfirmed + reviews + channelsDown.length === 0;
}
