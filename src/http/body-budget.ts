// How much of the memory for request bodies each caller may take. A signature is over the whole body, so a body has to be
// kept before anybody knows whose it is; whoever sends bodies without being able to sign them must not be able to use up
// what those need who can.
//
// - The first bytes of every request are free: small requests get through whatever others do.
// - Beyond them, a caller who has signed well with this key from this address before has a share of the large budget.
// - Everybody else shares a small one, with a bound for each key and each address.
// - The body of a key that may not be used is counted as if it were kept, in books of its own, and kept nowhere.

export interface BodyBudgetLimits {
  readonly maxBodyBytes: number;
  /** What callers that have proven themselves may keep in memory together; beyond it the service sheds load. */
  readonly maxBufferedBytes: number;
  /** The same for all others. */
  readonly maxUnverifiedBytes: number;
  /** What every request may keep without being counted; the number of requests in flight bounds the sum. */
  readonly freeBodyBytes: number;
}

/** What one body may take, and from whom. */
export interface BodyAccount {
  /** False when there is no room; then nothing is taken. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

export interface BodyBudget {
  /** For a caller whose right to the key is beyond doubt. */
  verified(key: string): BodyAccount;
  /** For a caller who claims a key that is in use. */
  claimed(key: string, address: string): BodyAccount;
  /** For a caller who claims a key that is not in use: refused like `claimed`, without taking from it. */
  invented(key: string, address: string): BodyAccount;
  /** The caller has signed well: from now on bodies with this key from this address are as good as verified. */
  prove(key: string, address: string): void;
}

/** More pairs of key and address than are ever busy at one time. The oldest is forgotten first and proves itself again. */
const MAX_PROVEN = 10_000;
/** One customer cannot take the room of all the others. */
const SHARE_OF_ONE_KEY = 1 / 4;
const ADDRESS_BODIES = 2;
const EVERYBODY = '';

export function createBodyBudget(limits: BodyBudgetLimits): BodyBudget {
  const { maxBodyBytes, maxBufferedBytes, maxUnverifiedBytes } = limits;
  const proven = new Set<string>();
  const all = createTally(maxBufferedBytes);
  const perKey = createTally(Math.max(maxBodyBytes, maxBufferedBytes * SHARE_OF_ONE_KEY));
  const openBook = () => {
    const together = createTally(maxUnverifiedBytes);
    const byKey = createTally(maxBodyBytes);
    const byAddress = createTally(ADDRESS_BODIES * maxBodyBytes);
    return (key: string, address: string) =>
      createAccount([
        [together, EVERYBODY],
        [byKey, key],
        [byAddress, address],
      ]);
  };
  const claimed = openBook();
  const verified = (key: string) =>
    createAccount([
      [all, EVERYBODY],
      [perKey, key],
    ]);
  return {
    verified,
    claimed: (key, address) => (proven.has(`${key} ${address}`) ? verified(key) : claimed(key, address)),
    invented: openBook(),
    prove(key, address) {
      const pair = `${key} ${address}`;
      if (proven.has(pair)) return;
      proven.add(pair);
      const [oldest] = proven;
      if (proven.size > MAX_PROVEN && oldest !== undefined) proven.delete(oldest);
    },
  };
}

interface Tally {
  hasRoom(name: string, bytes: number): boolean;
  add(name: string, bytes: number): void;
}

/** Bytes by name, each name up to the limit. Names without bytes are forgotten. */
function createTally(limit: number): Tally {
  const taken = new Map<string, number>();
  return {
    hasRoom: (name, bytes) => (taken.get(name) ?? 0) + bytes <= limit,
    add(name, bytes) {
      const sum = (taken.get(name) ?? 0) + bytes;
      if (sum === 0) taken.delete(name);
      else taken.set(name, sum);
    },
  };
}

function createAccount(shares: readonly (readonly [Tally, string])[]): BodyAccount {
  return {
    take(bytes) {
      if (!shares.every(([tally, name]) => tally.hasRoom(name, bytes))) return false;
      for (const [tally, name] of shares) tally.add(name, bytes);
      return true;
    },
    give(bytes) {
      for (const [tally, name] of shares) tally.add(name, -bytes);
    },
  };
}
