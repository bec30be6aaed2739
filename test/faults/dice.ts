// Choices from a seed. Every actor of a campaign has dice of its own, so that what one does not change what another chose.

import { createRandom } from '../../tools/message-centre/fate.js';

export interface Dice {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number, both ends included. */
  between(low: number, high: number): number;
  isLuck(chance: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** One of these, each as likely as its weight says. */
  weigh<T extends { readonly weight: number }>(from: readonly T[]): T;
  /** Dice of another actor. */
  forActor(name: string): Dice;
}

export function createDice(seed: number): Dice {
  const next = createRandom(seed);
  const pick = <T>(from: readonly T[]): T => {
    const picked = from[Math.floor(next() * from.length)];
    if (picked === undefined) throw new Error('there is nothing to pick from');
    return picked;
  };
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    isLuck: (chance) => next() < chance,
    pick,
    weigh(from) {
      let left = next() * from.reduce((sum, { weight }) => sum + weight, 0);
      for (const each of from) {
        left -= each.weight;
        if (left < 0) return each;
      }
      return pick(from);
    },
    forActor: (name) => createDice([...name].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seed)),
  };
}
