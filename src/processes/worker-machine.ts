// What a worker shares with the other processes of its machine, by asking the primary.

import type { Machine } from '../app/machine.js';
import { createExportGate } from '../http/limits/export-gate.js';
import { createGuessGuard } from '../http/limits/guess-guard.js';
import type { Calls } from './calls.js';
import type { Assignment, PrimaryCalls } from './protocol.js';
import { createRemoteLimiter } from './remote-limiter.js';

export interface WorkerMachine extends Machine {
  /** A wrong token came to another process. */
  noteGuess(address: string): void;
  setComplete(): void;
}

export function createWorkerMachine(
  { index, processes, database }: Assignment,
  primary: Pick<Calls<PrimaryCalls>, 'call'>,
): WorkerMachine {
  const monotonicNow = () => performance.now();
  const guesses = createGuessGuard(monotonicNow);
  const tell = (promise: Promise<unknown>): void => void promise.catch(() => undefined);
  let isComplete = false;
  return {
    index,
    processes,
    database,
    limiter: createRemoteLimiter(
      (key, perSecond, draw) => primary.call('drawTokens', key, perSecond, draw),
      monotonicNow,
    ),
    share: undefined,
    guessGuard: {
      waitMs: guesses.waitMs,
      fail(address) {
        guesses.fail(address);
        tell(primary.call('noteGuess', address));
      },
    },
    exportGate: createExportGate(async (customerId) => {
      const place = await primary.call('enterExport', customerId);
      return typeof place === 'number' ? () => tell(primary.call('leaveExport', place)) : place;
    }),
    signInCodes: {
      issue: (grant) => primary.call('issueCode', grant),
      redeem: (code) => primary.call('redeemCode', code),
    },
    // The primary asks every process, this one too.
    findMissing: () => primary.call('findMissing'),
    readMetrics: () => primary.call('readMetrics'),
    refreshOthers: () => primary.call('refreshOthers'),
    isComplete: () => isComplete,
    noteGuess: guesses.fail,
    setComplete() {
      isComplete = true;
    },
  };
}
