import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nameZone, readMomentField, startOfDay, writeMomentField } from '../../packages/console/src/format/moment.js';

const JANUARY_MS = Date.UTC(2026, 0, 15);
const JULY_MS = Date.UTC(2026, 6, 15);

const before = process.env.TZ;
afterEach(() => {
  if (before === undefined) delete process.env.TZ;
  else process.env.TZ = before;
});

test.each([
  ['Asia/Shanghai', JANUARY_MS, 'UTC+8'],
  ['America/New_York', JANUARY_MS, 'UTC−5'],
  ['America/New_York', JULY_MS, 'UTC−4'],
  ['Asia/Kolkata', JULY_MS, 'UTC+5:30'],
  ['America/St_Johns', JANUARY_MS, 'UTC−3:30'],
  ['Etc/UTC', JULY_MS, 'UTC'],
])('the zone of a viewer in %s is named by its distance from UTC', (zone, atMs, name) => {
  process.env.TZ = zone;
  expect(nameZone('local', atMs)).toBe(name);
  expect(nameZone('utc', atMs)).toBe('UTC');
});

describe('a day of a filter', () => {
  beforeEach(() => {
    process.env.TZ = 'Asia/Shanghai';
  });

  test('begins when it begins for the viewer', () => {
    expect(startOfDay('2026-11-15', 'local')?.toISOString()).toBe('2026-11-14T16:00:00.000Z');
    expect(startOfDay('2026-11-15', 'local', 1)?.toISOString()).toBe('2026-11-15T16:00:00.000Z');
  });

  test('is one of UTC for who reads times in UTC', () => {
    expect(startOfDay('2026-11-15', 'utc')?.toISOString()).toBe('2026-11-15T00:00:00.000Z');
    expect(startOfDay('2026-12-31', 'utc', 1)?.toISOString()).toBe('2027-01-01T00:00:00.000Z');
  });

  test('is none while it is half written', () => {
    expect(startOfDay(undefined, 'local')).toBeUndefined();
    expect(startOfDay('2026-11', 'utc')).toBeUndefined();
  });
});

test.each([
  ['local', '2026-11-15T08:30', '2026-11-15T00:30:00.000Z'],
  ['utc', '2026-11-15T08:30', '2026-11-15T08:30:00.000Z'],
] as const)('a field for date and time is read and filled by the clock of the viewer: %s', (zone, text, at) => {
  process.env.TZ = 'Asia/Shanghai';
  expect(readMomentField(text, zone)).toBe(at);
  expect(writeMomentField(at, zone)).toBe(text);
  expect(readMomentField('', zone)).toBeUndefined();
  expect(writeMomentField(undefined, zone)).toBe('');
});
