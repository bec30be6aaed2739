import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPacer } from '../../../../src/pipeline/channel/sending/pacer.js';

/** A clock that only the test moves. */
function createClock() {
  let nowMs = 1_000_000;
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { now: () => nowMs, pass };
}

/** Takes as much as it is given for so long, looking every few milliseconds. */
function takeFor(
  pacer: ReturnType<typeof createPacer>,
  clock: ReturnType<typeof createClock>,
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
  const pacer = createPacer(undefined, createClock().now);
  expect(pacer.take(1_000_000)).toBe(1_000_000);
  expect([pacer.delayMs(), pacer.rate()]).toEqual([0, undefined]);
});

test('what went without a limit counts for nothing once the carrier throttles', () => {
  const clock = createClock();
  const pacer = createPacer(undefined, clock.now);
  takeFor(pacer, clock, 5000);
  while (pacer.rate() === undefined) {
    clock.pass(10);
    for (let answers = 0; answers < 100; answers++) pacer.answered(true);
  }
  expect(pacer.take(1)).toBe(1);
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
        const clock = createClock();
        const pacer = createPacer(limit, clock.now);
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

test('what does not go after all is given back, and never becomes more than a burst', () => {
  const clock = createClock();
  const pacer = createPacer(100, clock.now);
  clock.pass(1000);
  expect([pacer.take(50), pacer.take(50)]).toEqual([10, 0]);
  pacer.refund(10);
  expect([pacer.take(50), pacer.take(50)]).toEqual([10, 0]);
  pacer.refund(10);
  clock.pass(1000);
  expect([pacer.take(50), pacer.take(50)]).toEqual([10, 0]);
});

test('a steady sender gets the whole rate, and the delay until the next part', () => {
  const clock = createClock();
  const pacer = createPacer(200, clock.now);
  takeFor(pacer, clock, 1000);
  expect(takeFor(pacer, clock, 10_000)).toBeGreaterThanOrEqual(1995);
  while (pacer.take(1) === 1);
  const delayMs = pacer.delayMs();
  expect(delayMs).toBeGreaterThan(0);
  clock.pass(delayMs);
  expect(pacer.take(1)).toBe(1);
});

/** Every part that is taken is throttled at once. */
function throttleFor(pacer: ReturnType<typeof createPacer>, clock: ReturnType<typeof createClock>, ms: number): void {
  for (let passed = 0; passed < ms; passed += 5) {
    clock.pass(5);
    for (let left = pacer.take(1000); left > 0; left--) pacer.answered(true);
  }
}

/** Every part that is taken is accepted at once; the number of them. */
function acceptFor(pacer: ReturnType<typeof createPacer>, clock: ReturnType<typeof createClock>, ms: number): number {
  let accepted = 0;
  for (let passed = 0; passed < ms; passed += 5) {
    clock.pass(5);
    for (let left = pacer.take(1000); left > 0; left--, accepted++) pacer.answered(false);
  }
  return accepted;
}

test('where everything is throttled the rate halves and halves again, and comes back when something is accepted', () => {
  const clock = createClock();
  const pacer = createPacer(100, clock.now);
  acceptFor(pacer, clock, 3000);
  expect(pacer.rate()).toBe(100);
  throttleFor(pacer, clock, 1000);
  const halved = pacer.rate() ?? 0;
  expect(halved).toBeLessThanOrEqual(50);
  throttleFor(pacer, clock, 3000);
  expect(pacer.rate()).toBeLessThanOrEqual(halved / 2);
  acceptFor(pacer, clock, 10_000);
  expect(pacer.rate()).toBe(100);
});

test('an upstream that turns away three of a hundred at any speed keeps most of the rate', () => {
  const clock = createClock();
  const pacer = createPacer(1000, clock.now);
  let sent = 0;
  for (let step = 0; step < 4000; step++) {
    clock.pass(5);
    for (let left = pacer.take(100); left > 0; left--) {
      sent += 1;
      pacer.answered(sent % 33 === 0);
    }
  }
  expect(sent / 20).toBeGreaterThan(900);
});

test('repeated throttling never stops it, and without a configured limit it finds one', () => {
  const clock = createClock();
  const pacer = createPacer(undefined, clock.now);
  throttleFor(pacer, clock, 20_000);
  expect(pacer.rate()).toBeGreaterThanOrEqual(1);
  expect(takeFor(pacer, clock, 3000)).toBeGreaterThan(0);
});

test('parts whose answers never come do not make it deaf', () => {
  const clock = createClock();
  const pacer = createPacer(1000, clock.now);
  takeFor(pacer, clock, 5000);
  throttleFor(pacer, clock, 10_000);
  expect(pacer.rate()).toBeLessThan(50);
});
