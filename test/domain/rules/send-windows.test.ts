// Windows against a simple model: the wall clock of the time zone, minute by minute.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isTimeZone } from '../../../src/domain/local-time.js';
import { checkSendWindows } from '../../../src/domain/rules/check-send-windows.js';
import { type SendWindow, sendingHoursAt } from '../../../src/domain/rules/send-windows.js';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

/** What the wall clock shows, as a minute of the day and a day of the week, by the library alone. */
function readClock(timeZone: string): (ms: number) => { minute: number; day: number } {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short', hour: '2-digit', minute: '2-digit' });
  const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const minute = Number(parts.get('hour')) * 60 + Number(parts.get('minute'));
    return { minute, day: days.indexOf(parts.get('weekday') ?? '') + 1 };
  };
}

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

function isOpenByModel(windows: readonly SendWindow[], { minute, day }: { minute: number; day: number }): boolean {
  const before = day === 1 ? 7 : day - 1;
  return windows.some(({ from, to, days }) => {
    const [start, end] = [minutesOf(from), minutesOf(to)];
    if (start < end) return days.includes(day) && start <= minute && minute < end;
    return (days.includes(day) && minute >= start) || (days.includes(before) && minute < end);
  });
}

const clock = fc.integer({ min: 0, max: 1439 }).map((at) => {
  const text = (value: number) => String(value).padStart(2, '0');
  return `${text(Math.floor(at / 60))}:${text(at % 60)}`;
});
const days = fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 });
const zones = ['Asia/Shanghai', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'];

/** About changes to and from daylight saving, and on an ordinary day. */
const moments = [
  '2026-03-28T20:00Z',
  '2026-10-24T20:00Z',
  '2026-03-08T04:00Z',
  '2026-11-01T03:00Z',
  '2026-04-04T12:00Z',
  '2026-07-01T12:00Z',
];

test('a window opens and closes when the wall clock says so, on days when the clock is set, too', () => {
  const window = fc.record({ from: clock, to: clock, days, time_zone: fc.constantFrom(...zones) });
  const start = fc.record({ moment: fc.constantFrom(...moments), minutes: fc.integer({ min: 0, max: 1440 }) });
  fc.assert(
    fc.property(window, start, (drawn, { moment, minutes }) => {
      fc.pre(drawn.from !== drawn.to);
      const windows: SendWindow[] = [{ ...drawn, class: 'promotion', outside: 'hold' }];
      const shows = readClock(drawn.time_zone);
      const at = Date.parse(moment) + minutes * MINUTE;
      const isOpen = isOpenByModel(windows, shows(at));
      const state = sendingHoursAt(windows, 'promotion', at);
      expect(state.isOpen).toBe(isOpen);
      let changes = at + MINUTE;
      while (changes < at + 2 * DAY && isOpenByModel(windows, shows(changes)) === isOpen) changes += MINUTE;
      if (changes < at + 2 * DAY) expect(new Date(state.changesAt)).toEqual(new Date(changes));
      else expect(state.changesAt).toBeGreaterThanOrEqual(changes);
    }),
    { numRuns: 60 },
  );
});

describe('what is known by heart', () => {
  const stateAt = (window: Partial<SendWindow>, at: string, of: SendWindow['class'] = 'promotion') => {
    const whole: SendWindow = {
      class: 'promotion',
      from: '08:00',
      to: '21:00',
      time_zone: 'Asia/Shanghai',
      days: [1, 2, 3, 4, 5, 6, 7],
      outside: 'hold',
      ...window,
    };
    const { isOpen, changesAt } = sendingHoursAt([whole], of, Date.parse(at));
    return [isOpen, Number.isFinite(changesAt) ? new Date(changesAt).toISOString() : null];
  };

  test.each([
    ['in the day', {}, '2026-11-17T20:59:59.999+08:00', [true, '2026-11-17T13:00:00.000Z']],
    ['at the end', {}, '2026-11-17T21:00:00+08:00', [false, '2026-11-18T00:00:00.000Z']],
    ['on another day', { days: [1] }, '2026-11-17T09:00:00+08:00', [false, '2026-11-23T00:00:00.000Z']],
    [
      'over midnight',
      { from: '22:00', to: '06:00', days: [7] },
      '2026-11-23T05:59:00+08:00',
      [true, '2026-11-22T22:00:00.000Z'],
    ],
    ['all day, every day', { from: '00:00', to: '24:00' }, '2026-11-17T00:00:00Z', [true, null]],
    [
      'an hour that is skipped',
      { from: '02:15', to: '02:45', time_zone: 'Europe/Berlin' },
      '2026-03-29T00:30:00Z',
      [false, '2026-03-30T00:15:00.000Z'],
    ],
    [
      'an hour that comes twice',
      { from: '02:15', to: '02:45', time_zone: 'Europe/Berlin' },
      '2026-10-25T00:45:00Z',
      [false, '2026-10-25T01:15:00.000Z'],
    ],
  ] as const)('%s', (_, window, at, expected) => {
    expect(stateAt(window, at)).toEqual(expected);
  });

  test('a class without a window is always open', () => {
    expect(stateAt({}, '2026-11-17T23:00:00+08:00', 'otp')).toEqual([true, null]);
  });
});

test('every fault of a list is found at once', () => {
  const good = { class: 'promotion', from: '08:00', to: '12:00', time_zone: 'UTC' };
  const pointersOf = (windows: unknown) => checkSendWindows({ send_windows: windows }).map(({ pointer }) => pointer);
  expect(pointersOf([good, { ...good, from: '12:00', to: '18:00' }, { ...good, class: 'otp' }])).toEqual([]);
  expect(pointersOf([{ ...good, to: '08:00' }, good, { ...good, from: '11:59' }])).toEqual([
    '/send_windows/0/to',
    '/send_windows/1/from',
    '/send_windows/2/from',
  ]);
  const night = { ...good, from: '20:00', to: '02:00', days: [7] };
  expect(pointersOf([night, { ...good, from: '01:00', to: '03:00', days: [1] }])).toEqual(['/send_windows/1/from']);
  expect(
    pointersOf([good, { ...good, from: '13:00', to: '14:00', time_zone: 'Asia/Tokyo', outside: 'reject' }]),
  ).toEqual(['/send_windows/1/time_zone', '/send_windows/1/outside']);
  for (const name of ['UTC', 'Asia/Shanghai', 'America/Argentina/Buenos_Aires'])
    expect([name, isTimeZone(name)]).toEqual([name, true]);
  for (const name of ['Mars/Base', '+08:00', 'CST', 'PRC', 'EST5EDT', 'utc'])
    expect([name, isTimeZone(name)]).toEqual([name, false]);
});
