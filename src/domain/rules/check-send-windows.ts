// Rules on the windows of a customer that a schema cannot say. Entries are judged one by one, so that a fault in one does not
// hide those of the others.

import { errorText } from '../fault/error-text.js';
import { createFault, type Fault, joinPointer } from '../fault/fault.js';
import { minutesOf, type SendWindow, spansOf } from './send-windows.js';

type Given = Partial<Record<keyof SendWindow, unknown>>;

const CLOCK = /^([01]\d|2[0-3]):[0-5]\d$|^24:00$/;

/** The faults of `send_windows` in a body, beyond those of its schema. */
export function checkSendWindows(body: unknown): Fault[] {
  const given = (body as { readonly send_windows?: unknown } | null)?.send_windows;
  if (!Array.isArray(given)) return [];
  const windows = given.map((entry): Given => (typeof entry === 'object' && entry !== null ? entry : {}));
  return windows.flatMap((window, at) => [
    ...checkLength(window, at),
    ...checkAlike(windows, window, at),
    ...checkOverlap(windows, window, at),
  ]);
}

function faultAt(
  at: number,
  field: keyof SendWindow,
  key: 'empty_window' | 'windows_differ' | 'windows_overlap',
): Fault {
  return createFault(joinPointer(joinPointer('/send_windows', at), field), 'out_of_range', errorText(key));
}

function checkLength({ from, to }: Given, at: number): Fault[] {
  if (!isClock(from) || !isClock(to)) return [];
  return minutesOf(from) % 1440 === minutesOf(to) % 1440 && !(from === '00:00' && to === '24:00')
    ? [faultAt(at, 'to', 'empty_window')]
    : [];
}

/** One clock and one way for all windows of a class: otherwise it would depend on their order what happens outside. */
function checkAlike(windows: readonly Given[], window: Given, at: number): Fault[] {
  const first = windows.find((other) => other.class === window.class);
  if (first === undefined || first === window) return [];
  return (['time_zone', 'outside'] as const).flatMap((field) =>
    (first[field] ?? 'hold') === (window[field] ?? 'hold') ? [] : [faultAt(at, field, 'windows_differ')],
  );
}

function checkOverlap(windows: readonly Given[], window: Given, at: number): Fault[] {
  const own = spansOfGiven(window);
  const overlaps = windows
    .slice(0, at)
    .some(
      (other) =>
        other.class === window.class &&
        spansOfGiven(other).some((one) => own.some((two) => one.start < two.end && two.start < one.end)),
    );
  return overlaps ? [faultAt(at, 'from', 'windows_overlap')] : [];
}

function spansOfGiven({ from, to, days = [1, 2, 3, 4, 5, 6, 7] }: Given) {
  if (!isClock(from) || !isClock(to) || !Array.isArray(days)) return [];
  return spansOf({ from, to, days: days.filter((day) => Number.isInteger(day) && day >= 1 && day <= 7) });
}

function isClock(value: unknown): value is string {
  return typeof value === 'string' && CLOCK.test(value);
}
