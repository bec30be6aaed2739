import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makePacer } from '../../src/pipeline/pacer.js';

/** A clock that only the test moves. */
function makeClock() {
  let nowMs = 1_000_000;
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { now: () => nowMs, pass };
}

/** Takes as much as it is given for so long, looking every few milliseconds. */
function takeFor(
  pacer: ReturnType<typeof makePacer>,
  clock: ReturnType<typeof makeClock>,
  ms: number,
  stepMs = 5,
): number {
  let taken = 0;
  for (let passed = 0; passed < ms; passed += stepMs) {
    clock.pass(stepMs);
    taken += pacer.take(1000);
  }
  return taken;
}

test('without a limit everything goes', () => {
  const pacer = makePacer(undefined, makeClock().now);
  expect(pacer.take(1_000_000)).toBe(1_000_000);
  expect([pacer.delayMs(), pacer.rate()]).toEqual([0, undefined]);
});

test('in no window do more parts go than the rate and a tenth of a second of burst allow', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5000 }),
      fc.array(fc.record({ waitMs: fc.integer({ min: 0, max: 400 }), wanted: fc.integer({ min: 1, max: 500 }) }), {
        minLength: 1,
        maxLength: 200,
      }),
      (limit, steps) => {
        const clock = makeClock();
        const pacer = makePacer(limit, clock.now);
        const taken: { at: number; parts: number }[] = [];
        for (const { waitMs, wanted } of steps) {
          clock.pass(waitMs);
          taken.push({ at: clock.now(), parts: pacer.take(wanted) });
        }
        for (const [from, { at }] of taken.entries()) {
          let parts = 0;
          for (const each of taken.slice(from)) {
            parts += each.parts;
            expect(parts).toBeLessThanOrEqual(Math.max(1, limit * 0.1) + ((each.at - at) * limit) / 1000 + 1e-6);
          }
        }
      },
    ),
  );
});

test('a steady sender gets the whole rate, and is told how long to wait for the next part', () => {
  const clock = makeClock();
  const pacer = makePacer(200, clock.now);
  takeFor(pacer, clock, 1000);
  expect(takeFor(pacer, clock, 10_000)).toBeGreaterThanOrEqual(1995);
  while (pacer.take(1) === 1);
  const delayMs = pacer.delayMs();
  expect(delayMs).toBeGreaterThan(0);
  clock.pass(delayMs);
  expect(pacer.take(1)).toBe(1);
});

test('where everything is throttled the rate halves once a signal, and it climbs back step by step', () => {
  const clock = makeClock();
  const pacer = makePacer(100, clock.now);
  takeFor(pacer, clock, 3000);
  pacer.slowDown();
  const taken = takeFor(pacer, clock, 190);
  for (let part = 0; part < taken; part++) pacer.slowDown();
  clock.pass(10);
  pacer.slowDown();
  const halved = pacer.rate() ?? 0;
  expect(halved).toBeGreaterThan(40);
  expect(halved).toBeLessThanOrEqual(55);
  expect(pacer.take(10)).toBe(0);
  clock.pass(300);
  pacer.take(0);
  const climbing = pacer.rate() ?? 0;
  expect(climbing).toBeGreaterThan(halved);
  expect(climbing).toBeLessThan(100);
  takeFor(pacer, clock, 5000);
  expect(pacer.rate()).toBe(100);
});

test('an upstream that turns away three of a hundred at any speed keeps most of the rate', () => {
  const clock = makeClock();
  const pacer = makePacer(1000, clock.now);
  let sent = 0;
  for (let step = 0; step < 4000; step++) {
    clock.pass(5);
    for (let left = pacer.take(100); left > 0; left--) {
      sent += 1;
      if (sent % 33 === 0) pacer.slowDown();
    }
  }
  expect(sent / 20).toBeGreaterThan(700);
});

test('throttled again and again it never stops, and without a limit of its own it finds one', () => {
  const clock = makeClock();
  const pacer = makePacer(undefined, clock.now);
  expect(takeFor(pacer, clock, 2000)).toBeGreaterThan(0);
  for (let round = 0; round < 50; round++) {
    pacer.slowDown();
    clock.pass(250);
  }
  expect(pacer.rate()).toBeGreaterThanOrEqual(1);
  expect(takeFor(pacer, clock, 3000)).toBeGreaterThan(0);
});
