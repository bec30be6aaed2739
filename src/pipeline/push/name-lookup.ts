// Looking names up. The system does it in threads of its own, four for the whole process, and lets nobody call it back: a few
// names that nobody answers for would hold up everything else that needs a thread. So few are looked up at once, each name
// once for all that ask, and nobody waits for longer than a call may take to begin.

import { type LookupAddress, lookup as lookUp } from 'node:dns';

/** All addresses of a name. */
export type ResolveName = (host: string) => Promise<readonly LookupAddress[]>;

export interface LookupLimits {
  readonly atOnce: number;
  readonly patienceMs: number;
}

/** Half of the threads there are. */
const LIMITS: LookupLimits = { atOnce: 2, patienceMs: 5000 };

export class NameLookupError extends Error {
  override readonly name = 'NameLookupError';
  readonly code = 'EAI_AGAIN';
}

export function makeNameLookup(resolve: ResolveName = resolveBySystem, limits = LIMITS): ResolveName {
  const underWay = new Map<string, Promise<readonly LookupAddress[]>>();
  const waiting: (() => void)[] = [];
  let running = 0;

  const runInTurn = async (host: string): Promise<readonly LookupAddress[]> => {
    // Whoever ends hands its place on, so that the count stays.
    if (running >= limits.atOnce) await new Promise<void>((begin) => waiting.push(begin));
    else running += 1;
    try {
      return await resolve(host);
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };

  return async (host) => {
    const shared = underWay.get(host) ?? runInTurn(host).finally(() => underWay.delete(host));
    underWay.set(host, shared);
    // Whoever gave up does not hear of it any more.
    shared.catch(() => undefined);
    return await withinPatience(shared, limits.patienceMs);
  };
}

function withinPatience<Result>(promise: Promise<Result>, patienceMs: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new NameLookupError('the name was not looked up in time')), patienceMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function resolveBySystem(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((done, fail) => {
    lookUp(host, { all: true }, (error, found) => (error ? fail(error) : done(found)));
  });
}
