// When messages of a class may be handed over: windows by the wall clock of a time zone. A window is open at an instant when the wall
// clock shows a time within it, so an hour that daylight saving skips never opens, and one that it repeats opens twice.

import { createOffsetReader } from '../local-time.js';
import type { MessageClass } from './message-class.js';

export interface SendWindow {
  readonly class: MessageClass;
  /** `HH:MM`. */
  readonly from: string;
  /** `HH:MM`, or `24:00`; not after `from`: on the next day. */
  readonly to: string;
  readonly time_zone: string;
  /** On which it begins, from 1 for Monday to 7 for Sunday. */
  readonly days: readonly number[];
  readonly outside: 'hold' | 'reject';
}

export interface SendingHours {
  readonly isOpen: boolean;
  /** When that changes, in milliseconds since the epoch; infinity: never. */
  readonly changesAt: number;
  /** What happens to messages while it is closed. */
  readonly outside: SendWindow['outside'];
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;
const WEEK_MINUTES = 7 * DAY_MINUTES;
const WEEK_MS = WEEK_MINUTES * MINUTE_MS;
/** The epoch was a Thursday; weeks begin on Monday. */
const EPOCH_WEEK_MS = 3 * DAY_MINUTES * MINUTE_MS;
/** No time zone changes its offset so often within the weeks that are looked ahead. */
const MAX_STEPS = 20;

const ALWAYS_OPEN: SendingHours = { isOpen: true, changesAt: Number.POSITIVE_INFINITY, outside: 'hold' };

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The windows of one class. */
interface Timetable {
  readonly offsetAt: (ms: number) => number;
  /** Minutes of the week, in order, apart from each other. */
  readonly spans: readonly Span[];
  readonly outside: SendWindow['outside'];
  /** The last answer, which holds from then until it changes. */
  last: { readonly since: number; readonly state: SendingHours } | undefined;
}

/** By the list of a customer, which is replaced when it changes. */
const timetables = new WeakMap<readonly SendWindow[], ReadonlyMap<MessageClass, Timetable>>();

/** Whether messages of a class may be handed over at a time. A class without windows always may. */
export function sendingHoursAt(windows: readonly SendWindow[], messageClass: MessageClass, ms: number): SendingHours {
  if (windows.length === 0) return ALWAYS_OPEN;
  const known = timetables.get(windows) ?? createTimetables(windows);
  timetables.set(windows, known);
  const timetable = known.get(messageClass);
  if (timetable === undefined) return ALWAYS_OPEN;
  const { last } = timetable;
  if (last !== undefined && last.since <= ms && ms < last.state.changesAt) return last.state;
  const state = findState(timetable, ms);
  timetable.last = { since: ms, state };
  return state;
}

function createTimetables(windows: readonly SendWindow[]): ReadonlyMap<MessageClass, Timetable> {
  const byClass = new Map<MessageClass, SendWindow[]>();
  for (const window of windows) byClass.set(window.class, [...(byClass.get(window.class) ?? []), window]);
  return new Map(
    [...byClass].map(([messageClass, own]) => {
      const [first] = own;
      const spans = joinSpans(own.flatMap(spansOf));
      const offsetAt = createOffsetReader(first?.time_zone ?? 'UTC');
      return [messageClass, { offsetAt, spans, outside: first?.outside ?? 'hold', last: undefined }];
    }),
  );
}

/** The minutes of the week that a window is open; one over the end of the week is two spans. */
export function spansOf({ from, to, days }: Pick<SendWindow, 'from' | 'to' | 'days'>): Span[] {
  const [start, end] = [minutesOf(from), minutesOf(to)];
  const length = end > start ? end - start : end + DAY_MINUTES - start;
  return days.flatMap((day) => {
    const begin = (day - 1) * DAY_MINUTES + start;
    const over = begin + length - WEEK_MINUTES;
    return over > 0
      ? [
          { start: begin, end: WEEK_MINUTES },
          { start: 0, end: over },
        ]
      : [{ start: begin, end: begin + length }];
  });
}

export function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const { start, end } of [...spans].sort((one, other) => one.start - other.start)) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last.end)
      joined.splice(-1, 1, { start: last.start, end: Math.max(last.end, end) });
    else joined.push({ start, end });
  }
  return joined;
}

function findState(timetable: Timetable, ms: number): SendingHours {
  const { offsetAt, outside } = timetable;
  const isOpen = isOpenAt(timetable, ms, offsetAt(ms));
  let from = ms;
  for (let step = 0; step < MAX_STEPS; step++) {
    const offset = offsetAt(from);
    const boundary = from + untilBoundary(timetable, from, offset);
    if (offsetAt(boundary) === offset) {
      if (isOpenAt(timetable, boundary, offset) !== isOpen) return { isOpen, changesAt: boundary, outside };
      from = boundary;
      continue;
    }
    // The clock is set forward or back before that: what it shows then may be in another window.
    from = findOffsetChange(offsetAt, from, boundary);
    if (isOpenAt(timetable, from, offsetAt(from)) !== isOpen) return { isOpen, changesAt: from, outside };
  }
  return { isOpen, changesAt: Number.POSITIVE_INFINITY, outside };
}

function weekMsAt(ms: number, offset: number): number {
  const inWeek = (ms + offset + EPOCH_WEEK_MS) % WEEK_MS;
  return inWeek < 0 ? inWeek + WEEK_MS : inWeek;
}

function isOpenAt({ spans }: Timetable, ms: number, offset: number): boolean {
  const minute = weekMsAt(ms, offset) / MINUTE_MS;
  return spans.some(({ start, end }) => start <= minute && minute < end);
}

/** How long until the wall clock, if it is not set, shows the next beginning or end of a span. */
function untilBoundary({ spans }: Timetable, ms: number, offset: number): number {
  const now = weekMsAt(ms, offset);
  let nearest = WEEK_MS;
  for (const { start, end } of spans) {
    for (const minute of [start, end]) {
      const distance = (minute * MINUTE_MS - now + WEEK_MS) % WEEK_MS;
      nearest = Math.min(nearest, distance === 0 ? WEEK_MS : distance);
    }
  }
  return nearest;
}

/** The first millisecond after `from`, up to `to`, at which the offset differs from that at `from`. */
function findOffsetChange(offsetAt: (ms: number) => number, from: number, to: number): number {
  const before = offsetAt(from);
  let [same, changed] = [from, to];
  while (changed - same > 1) {
    const middle = Math.floor((same + changed) / 2);
    if (offsetAt(middle) === before) same = middle;
    else changed = middle;
  }
  return changed;
}
