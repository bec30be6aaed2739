// Budgets the memory for request bodies. A signature covers the whole body, so a body is buffered before its sender is verified.
// Senders that cannot sign must not use up the memory of those that can.
//
// - The first bytes of every request are free: small requests always get through.
// - Beyond them, a key and address that sent a valid signature before use the large budget.
// - All others share a small budget, with a limit per key and per address.
// - The body of a caller without a known key is counted against a separate budget as if it were buffered, and is not buffered.

import { addTo, forgetOldest } from '../../domain/counts.js';

export interface BodyBudgetLimits {
  readonly maxBodyBytes: number;
  /** The budget of all verified callers together; beyond it the service sheds load. */
  readonly maxBufferedBytes: number;
  /** The budget of all others. */
  readonly maxUnverifiedBytes: number;
  /** Not counted, for every request; the number of requests in flight bounds the sum. */
  readonly freeBodyBytes: number;
}

/** The budgets that one body counts against. */
export interface BodyAccount {
  /** False when there is no room; then nothing is taken. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

export interface BodyBudget {
  /** For an authenticated caller. */
  verified(key: string): BodyAccount;
  /** For a request whose signature is not checked yet, with a key that exists. */
  unverified(key: string, address: string): BodyAccount;
  /** For a caller without a key that exists: refused like `unverified`, from a separate budget. */
  anonymous(key: string, address: string): BodyAccount;
  /** The signature was valid: from now on bodies with this key from this address count as verified. */
  noteVerified(key: string, address: string): void;
}

/** More pairs of key and address than are busy at one time. The oldest is forgotten first and verified again. */
const MAX_VERIFIED = 10_000;
/** One customer cannot use the whole budget. */
const SHARE_OF_ONE_KEY = 1 / 4;
const ADDRESS_BODIES = 2;
const TOTAL = '';

export function createBodyBudget(limits: BodyBudgetLimits): BodyBudget {
  const { maxBodyBytes, maxBufferedBytes, maxUnverifiedBytes } = limits;
  const verifiedPairs = new Set<string>();
  const all = createTally(maxBufferedBytes);
  const perKey = createTally(Math.max(maxBodyBytes, maxBufferedBytes * SHARE_OF_ONE_KEY));
  const createUnverifiedBudget = () => {
    const together = createTally(maxUnverifiedBytes);
    const byKey = createTally(maxBodyBytes);
    const byAddress = createTally(ADDRESS_BODIES * maxBodyBytes);
    return (key: string, address: string) =>
      createAccount([
        [together, TOTAL],
        [byKey, key],
        [byAddress, address],
      ]);
  };
  const unverified = createUnverifiedBudget();
  const verified = (key: string) =>
    createAccount([
      [all, TOTAL],
      [perKey, key],
    ]);
  return {
    verified,
    unverified: (key, address) => (verifiedPairs.has(`${key} ${address}`) ? verified(key) : unverified(key, address)),
    anonymous: createUnverifiedBudget(),
    noteVerified(key, address) {
      const pair = `${key} ${address}`;
      if (verifiedPairs.has(pair)) return;
      verifiedPairs.add(pair);
      forgetOldest(verifiedPairs, MAX_VERIFIED);
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
    add: (name, bytes) => void addTo(taken, name, bytes),
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
