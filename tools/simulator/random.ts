// The only source of chance in a simulation: the same numbers for the same seed, on every machine and every version of Node.

export interface Random {
  /** A whole number from 0 up to but not including `below`. */
  int(below: number): number;
  /** True in this share of the calls, from 0 to 1. */
  chance(share: number): boolean;
  /** One of them; undefined if there are none. */
  pick<Item>(list: readonly Item[]): Item | undefined;
}

/** Mulberry32: integer arithmetic only. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const int = (below: number): number => next() % below;
  return {
    int,
    chance: (share) => next() < share * 2 ** 32,
    pick: (list) => (list.length === 0 ? undefined : list[int(list.length)]),
  };
}
