// What the processes of one machine share. A service of one process has all of it in memory; with several, the primary keeps it, and
// workers call the primary (processes/worker-machine.ts).

import { randomBytes } from 'node:crypto';
import { createSignInCodes, type SignInCodes } from '../http/console/sign-in-codes.js';
import { createExportGate, createExportPlaces, type ExportGate } from '../http/limits/export-gate.js';
import { createGuessGuard, type GuessGuard } from '../http/limits/guess-guard.js';
import {
  createRateLimiter,
  createTokenBuckets,
  type MachineShare,
  type RateLimiter,
} from '../http/limits/rate-limit.js';
import type { EmbeddedAddress } from '../store/embedded/start.js';

export interface Machine {
  /** The place of this process, from 0. */
  readonly index: number;
  readonly processes: number;
  /** Where the database answers that the primary has started; undefined where there is none. */
  readonly database: EmbeddedAddress | undefined;
  readonly limiter: RateLimiter;
  /** This process keeps it up to date; undefined if the primary does. */
  readonly share: MachineShare | undefined;
  readonly guessGuard: GuessGuard;
  readonly exportGate: ExportGate;
  readonly signInCodes: SignInCodes;
  /** Adds what keeps the machine from its work to what keeps this process from it. */
  findMissing(own: () => Promise<readonly string[]>): Promise<readonly string[]>;
  /** In the Prometheus text format, with those of this process. */
  readMetrics(own: () => Promise<string>): Promise<string>;
  /** Resolves when the other processes have read the configuration again. */
  refreshOthers(): Promise<void>;
  /** Whether every process has started. Then a channel that no process took first is open to all. */
  isComplete(): boolean;
}

/** For the only process of a machine. */
export function createSoleMachine(): Machine {
  const monotonicNow = () => performance.now();
  const share: MachineShare = { part: 1 };
  const places = createExportPlaces();
  return {
    index: 0,
    processes: 1,
    database: undefined,
    limiter: createRateLimiter(createTokenBuckets(monotonicNow, share)),
    share,
    guessGuard: createGuessGuard(monotonicNow),
    exportGate: createExportGate(async (customerId) => places.enter(customerId) ?? (() => places.leave(customerId))),
    signInCodes: createSignInCodes({ now: Date.now, randomBytes }),
    findMissing: (own) => own(),
    readMetrics: (own) => own(),
    refreshOthers: async () => {},
    isComplete: () => true,
  };
}
