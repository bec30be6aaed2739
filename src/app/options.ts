// The options of a start.

import type { PasswordCost } from '../http/auth/password-hasher.js';
import type { Log } from '../service/log.js';
import type { ConnectOptions } from '../store/connect.js';
import type { Machine } from './machine.js';

export interface StartOptions {
  readonly log: Log;
  /** Called once when the service cannot continue, for example because its database server has ended. */
  readonly onFailure: (error: Error) => void;
  /** Aborted when the service is asked to stop: ends a start that still waits for its database. */
  readonly signal?: AbortSignal;
  /** What this process shares with the others of its machine; absent where it is the only one. */
  readonly machine?: Machine;
  /** For tests of push: a clock that can be moved, and less patience. */
  readonly push?: PushSettings;
  /** For tests of windows: the clock that they open by, in milliseconds since the epoch. */
  readonly databaseNow?: () => number;
  /** For tests of sign-in. */
  readonly passwordCost?: PasswordCost;
  /** For tests on a cluster, which record the statements that it sends to its machines. */
  readonly onNotice?: ConnectOptions['onNotice'];
}

export interface PushSettings {
  readonly now?: () => number;
  readonly timeoutMs?: number;
  /** The DNS servers; those of the system by default. */
  readonly nameServers?: readonly string[];
}

export type GivenOptions = StartOptions & { readonly signal: AbortSignal };
