// What becomes of one submit: chosen by the last four digits of a test number, else by the seeded dice.
import type { CommonOptions } from './options.js';

export interface Fate {
  readonly answer: 'accept' | 'refuse' | 'throttle' | 'lose' | 'swallow';
  readonly state: 'DELIVRD' | 'UNDELIV' | 'EXPIRED';
  readonly receipt: 'normal' | 'early' | 'late' | 'shuffled' | 'none';
  readonly copies: 1 | 2;
  readonly isContradicted: boolean;
  readonly isPoisoned: boolean;
  readonly reply: string | undefined;
}

const DELIVERED: Fate = {
  answer: 'accept',
  state: 'DELIVRD',
  receipt: 'normal',
  copies: 1,
  isContradicted: false,
  isPoisoned: false,
  reply: undefined,
};

const TEST_NUMBERS: ReadonlyMap<string, Fate> = new Map([
  ['9001', DELIVERED],
  ['9002', { ...DELIVERED, state: 'UNDELIV' }],
  ['9003', { ...DELIVERED, answer: 'refuse' }],
  ['9004', { ...DELIVERED, answer: 'lose', receipt: 'late' }],
  ['9005', { ...DELIVERED, answer: 'swallow' }],
  ['9006', { ...DELIVERED, state: 'EXPIRED' }],
  ['9007', { ...DELIVERED, receipt: 'none' }],
  ['9008', { ...DELIVERED, reply: 'OK' }],
  ['9009', { ...DELIVERED, reply: 'STOP' }],
]);

export function createFateChooser(options: CommonOptions, random: () => number): (destination: string) => Fate {
  // The dice are thrown only where there is something to decide, so that a switch does not change what another chose.
  const happens = (rate: number) => rate > 0 && random() < rate;
  return (destination) => {
    const chosen = options.testNumbers ? TEST_NUMBERS.get(destination.slice(-4)) : undefined;
    if (chosen !== undefined) return chosen;
    if (happens(options.throttleRate)) return { ...DELIVERED, answer: 'throttle' };
    if (happens(options.refuseRate)) return { ...DELIVERED, answer: 'refuse' };
    const isLost = happens(options.loseRate);
    const isDelivered = options.deliverRate >= 1 || random() < options.deliverRate;
    return {
      answer: isLost ? 'lose' : 'accept',
      state: isDelivered ? 'DELIVRD' : 'UNDELIV',
      receipt: chooseReceipt(options, happens),
      copies: happens(options.duplicateRate) ? 2 : 1,
      isContradicted: happens(options.contradictRate),
      isPoisoned: happens(options.poisonRate),
      reply: undefined,
    };
  };
}

function chooseReceipt(options: CommonOptions, happens: (rate: number) => boolean): Fate['receipt'] {
  if (happens(options.missingRate)) return 'none';
  if (happens(options.earlyRate)) return 'early';
  if (happens(options.lateRate)) return 'late';
  return happens(options.reorderRate) ? 'shuffled' : 'normal';
}

/** A small generator with a seed (mulberry32): the same seed makes the same run. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
