// What the primary and its workers ask each other.

import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { SignInGrant } from '../http/console/sign-in-codes.js';
import type { ExportRefusal } from '../http/limits/export-gate.js';
import type { Draw, Grant } from '../http/limits/rate-limit.js';
import type { DemoCredentials } from '../service/demo.js';
import type { EmbeddedAddress } from '../store/embedded/start.js';

export type MetricsJson = readonly MetricObjectWithValues<MetricValue<string>>[];

/** What a worker needs to know beyond the environment that it shares with the primary. */
export interface Assignment {
  readonly index: number;
  readonly processes: number;
  /** The one of the configuration, or the one that the primary found free. */
  readonly port: number;
  /** Of the embedded database; absent with a database of your own. */
  readonly database: EmbeddedAddress | undefined;
}

/** What a worker says when it is up. */
export interface StartedWorker {
  readonly url: string;
  readonly demo: DemoCredentials | undefined;
  readonly signInLinks: { readonly customer: string; readonly operator: string } | undefined;
}

/** What the primary answers. */
export type PrimaryCalls = {
  readonly assign: () => Assignment;
  readonly started: (worker: StartedWorker) => void;
  /** The process cannot start, and ends. */
  readonly failed: (reason: string) => void;
  readonly drawTokens: (key: string, perSecond: number, draw: Draw) => Grant;
  /** A wrong token came from this address. */
  readonly noteGuess: (address: string) => void;
  /** The number of the place, or why there is none. */
  readonly enterExport: (customerId: bigint) => number | ExportRefusal;
  readonly leaveExport: (place: number) => void;
  readonly issueCode: (grant: SignInGrant) => Promise<string>;
  readonly redeemCode: (code: string) => Promise<SignInGrant | undefined>;
  /** What keeps the processes of this machine from their work; empty when they are ready. */
  readonly findMissing: () => Promise<readonly string[]>;
  readonly readMetrics: () => Promise<string>;
  /** Resolves when the other processes have read the configuration again. */
  readonly refreshOthers: () => Promise<void>;
};

/** What a worker answers. */
export type WorkerCalls = {
  readonly stop: () => void;
  readonly findMissing: () => Promise<readonly string[]>;
  readonly readMetrics: () => Promise<MetricsJson>;
  readonly noteGuess: (address: string) => void;
  readonly refreshSnapshot: () => Promise<void>;
  /** Every process of the machine has started. */
  readonly setComplete: () => void;
};
