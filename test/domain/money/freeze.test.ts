// The rule that decides on a freeze, held against the plainest account of it: all freezes ever, with their days.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asTaskId } from '../../../src/domain/id.js';
import {
  explainObstacle,
  findObstacle,
  fitsFrom,
  frozenToday,
  hasMoreRoom,
  tryFreeze,
} from '../../../src/domain/money/freeze.js';
import type { Account } from '../../../src/domain/money/ledger.js';
import { moneyFromMillionths } from '../../../src/domain/money/money.js';
import { accountOf } from '../../support/model/task-of.js';

const money = moneyFromMillionths;
const NOON = new Date('2026-11-15T12:00:00.000Z');
const DAY_MS = 24 * 3_600_000;

const freeze = (account: Account, price: bigint, now: Date) =>
  tryFreeze(account, { taskId: asTaskId(1n), price: money(price), numbers: 1 }, now);

test('a freeze is refused exactly where the money or the day has no room for it', () => {
  const step = fc.record({
    price: fc.bigInt({ min: 0n, max: 60n }),
    hours: fc.constantFrom(0, 0, 1, 7, 24, 49),
  });
  const given = fc.record({
    dailyLimit: fc.option(fc.bigInt({ min: 0n, max: 100n }), { nil: null }),
    available: fc.bigInt({ min: -50n, max: 400n }),
    creditLimit: fc.bigInt({ min: 0n, max: 50n }),
    startHour: fc.nat({ max: 23 }),
  });
  const property = fc.property(given, fc.array(step, { maxLength: 30 }), (terms, steps) => {
    const { available, creditLimit, dailyLimit } = terms;
    const limit = dailyLimit === null ? null : money(dailyLimit);
    const account = accountOf({ available: money(available), creditLimit: money(creditLimit), dailyLimit: limit });
    const made: { day: number; price: bigint }[] = [];
    let now = Date.parse('2026-11-15') + terms.startHour * 3_600_000;
    for (const { price, hours } of steps) {
      now += hours * 3_600_000;
      const day = Math.floor(now / DAY_MS);
      const sum = (of: typeof made) => of.reduce((total, freeze) => total + freeze.price, 0n);
      const today = sum(made.filter((freeze) => freeze.day === day));
      const isCovered = price <= available + creditLimit - sum(made);
      const hasRoom = dailyLimit === null || today + price <= dailyLimit;
      const obstacle = freeze(account, price, new Date(now));
      expect(obstacle === undefined).toBe(price === 0n || (isCovered && hasRoom));
      if (obstacle === undefined) made.push({ day, price });
      if (obstacle === 'limit') expect(hasRoom).toBe(false);
      if (obstacle === 'funds') expect(isCovered).toBe(false);
      const counted = sum(made.filter((freeze) => freeze.day === day));
      expect(frozenToday(account, new Date(now))).toBe(counted);
      expect(account.posted.length).toBe(made.filter((freeze) => freeze.price > 0n).length);
    }
  });
  fc.assert(property, { numRuns: 500 });
});

describe('the day', () => {
  test('begins at midnight UTC', () => {
    const account = accountOf({ dailyLimit: money(10n) });
    expect(freeze(account, 10n, new Date('2026-11-15T23:59:59.999Z'))).toBeUndefined();
    expect(freeze(account, 1n, new Date('2026-11-15T23:59:59.999Z'))).toBe('limit');
    expect(freeze(account, 10n, new Date('2026-11-16T00:00:00.000Z'))).toBeUndefined();
  });

  test('that has begun stays, also where the clock is set back', () => {
    const account = accountOf({ dailyLimit: money(10n), frozenOn: '2026-11-16', frozenThatDay: money(4n) });
    expect(frozenToday(account, NOON)).toBe(4n);
    expect(freeze(account, 7n, NOON)).toBe('limit');
    expect(freeze(account, 6n, NOON)).toBeUndefined();
    expect([account.frozenOn, account.frozenThatDay]).toEqual(['2026-11-16', 10n]);
    expect(fitsFrom(account, money(5n), NOON)).toEqual(new Date('2026-11-17T00:00:00.000Z'));
  });

  test('of tomorrow has room, unless the price is above the limit itself, which is said before a lack of money', () => {
    const account = accountOf({ available: money(0n), dailyLimit: money(10n) });
    expect(fitsFrom(account, money(10n), NOON)).toEqual(new Date('2026-11-16T00:00:00.000Z'));
    expect(fitsFrom(account, money(11n), NOON)).toBeNull();
    expect([findObstacle(account, money(10n), NOON), findObstacle(account, money(11n), NOON)]).toEqual([
      'funds',
      'limit',
    ]);
  });
});

test('an obstacle is explained with its figures', () => {
  const account = accountOf({
    dailyLimit: money(2_000_000n),
    frozenOn: '2026-11-15',
    frozenThatDay: money(1_500_000n),
  });
  const say = (price: bigint, obstacle: 'funds' | 'limit') =>
    explainObstacle(account, money(price), obstacle, NOON).text;
  expect(say(1_000_000n, 'limit')).toMatch(/1\.500000 of the daily limit of 2\.000000 .* 2026-11-16T00:00:00\.000Z/);
  expect(say(3_000_000n, 'limit')).toMatch(/3\.000000 and the daily limit 2\.000000: no day has room/);
  expect(say(1_000_000n, 'funds')).toContain('balance');
});

test('what found no room finds none as long as there is no more', () => {
  const amount = fc.bigInt({ min: 0n, max: 20n }).map(money);
  const means = fc.record({
    available: fc.bigInt({ min: -10n, max: 20n }).map(money),
    creditLimit: fc.constantFrom(money(0n), money(5n)),
    dailyLimit: fc.option(amount, { nil: null }),
    frozenOn: fc.constantFrom(null, '2026-11-14', '2026-11-15'),
  });
  const property = fc.property(means, amount, amount, amount, amount, (then, frozenThen, spent, earned, price) => {
    // Within a day what counts against its limit only grows.
    const before = { ...then, frozenThatDay: frozenThen };
    const available = money(then.available - spent + earned);
    const after = { ...then, available, frozenThatDay: money(frozenThen + spent) };
    if (findObstacle(before, price, NOON) === undefined || hasMoreRoom(before, after)) return;
    expect(findObstacle(after, price, NOON)).toBeDefined();
  });
  fc.assert(property, { numRuns: 1000 });
});

test.each([
  ['a top-up', { available: money(1001n) }],
  ['more credit', { creditLimit: money(1n) }],
  ['more credit, with a lower balance,', { creditLimit: money(1n), available: money(900n) }],
  ['another limit', { dailyLimit: money(5n) }],
  ['another day', { frozenOn: '2026-11-16' }],
])('%s makes room', (_, change) => {
  expect(hasMoreRoom(accountOf(), accountOf(change))).toBe(true);
  expect(hasMoreRoom(accountOf(), accountOf())).toBe(false);
});
