// Keeps one session open: reconnects with exponential backoff and jitter, so that links do not all reconnect at once to a carrier that
// comes back.
import { backoffMs } from '../../domain/backoff.js';
import type { Session } from './session.js';

export interface LinkOptions<T, S> {
  readonly open: (onClosed: (reason: string) => void) => Session<T, S>;
  readonly reconnectMinMs: number;
  readonly reconnectMaxMs: number;
  readonly random: () => number;
  /** For peers that close idle connections: after an idle session ends, reconnects only if this is true. By default always. */
  readonly isNeeded?: () => boolean;
  readonly onDown: (reason: string, retryMs: number) => void;
}

export interface Link<T, S> {
  /** Undefined while there is no connection. */
  readonly session: Session<T, S> | undefined;
  /** The last session ended idle, without a fault. `wake` opens a new one. */
  readonly isIdle: boolean;
  /** Reconnects an idle link, because there is something to send. */
  wake(): void;
  tick(now: number): void;
  /** Drains and logs out. Resolves when the session is closed; no other is opened. */
  close(): Promise<void>;
}

export function keepLink<T, S>(options: LinkOptions<T, S>): Link<T, S> {
  let session: Session<T, S> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let failures = 0;
  let isClosing = false;
  let isIdle = false;
  let onClosed: (() => void) | undefined;

  function open(): void {
    retry = undefined;
    const opened: Session<T, S> = options.open((reason) => handleClosed(opened, reason));
    session = opened;
  }

  function handleClosed(closed: Session<T, S>, reason: string): void {
    session = undefined;
    if (isClosing) {
      onClosed?.();
      return;
    }
    isIdle = options.isNeeded !== undefined && closed.endedIdle;
    if (isIdle) {
      if (options.isNeeded?.() === true) open();
      return;
    }
    // A login alone does not reset the backoff: some carriers accept it and close the connection at once.
    failures = closed.hasWorked ? 0 : failures + 1;
    const retryMs = backoffMs(
      failures,
      { firstMs: options.reconnectMinMs, mostMs: options.reconnectMaxMs },
      options.random,
    );
    options.onDown(reason, retryMs);
    retry = setTimeout(open, retryMs);
  }

  open();

  return {
    get session() {
      return session;
    },
    get isIdle() {
      return isIdle;
    },
    wake() {
      if (isIdle && session === undefined && !isClosing) open();
    },
    tick: (now) => session?.tick(now),
    close() {
      isClosing = true;
      clearTimeout(retry);
      if (session === undefined) return Promise.resolve();
      return new Promise((resolve) => {
        const previous = onClosed;
        onClosed = () => {
          previous?.();
          resolve();
        };
        session?.drain('the channel is closing');
      });
    },
  };
}
