// Keeps one session up: when it ends, another is opened after a while that grows with each failure and is never the same
// on two links, so that a carrier that comes back is not stormed.
import type { Session } from './session.js';

export interface LinkOptions<T, S> {
  readonly open: (onClosed: (reason: string) => void) => Session<T, S>;
  readonly reconnectMinMs: number;
  readonly reconnectMaxMs: number;
  readonly random: () => number;
  /**
   * For peers that close idle connections: whether there is something to send. When a session ends idle, another is opened
   * only once there is. Left out: a session is always kept up.
   */
  readonly isNeeded?: () => boolean;
  readonly onDown: (reason: string, retryMs: number) => void;
}

export interface Link<T, S> {
  /** The session of the moment; undefined between two. */
  readonly session: Session<T, S> | undefined;
  /** Whether it last ended idle: no fault is known, and `wake` opens a session. */
  readonly isResting: boolean;
  /** There is something to send. */
  wake(): void;
  tick(now: number): void;
  /** Drains and unbinds; resolves when the session is closed and no other will be opened. */
  close(): Promise<void>;
}

export function keepLink<T, S>(options: LinkOptions<T, S>): Link<T, S> {
  let session: Session<T, S> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let failures = 0;
  let isClosing = false;
  let isResting = false;
  let onQuiet: (() => void) | undefined;

  function open(): void {
    retry = undefined;
    const opened: Session<T, S> = options.open((reason) => handleClosed(opened, reason));
    session = opened;
  }

  function handleClosed(closed: Session<T, S>, reason: string): void {
    session = undefined;
    if (isClosing) {
      onQuiet?.();
      return;
    }
    isResting = options.isNeeded !== undefined && closed.endedIdle;
    if (isResting) {
      if (options.isNeeded?.() === true) open();
      return;
    }
    // A bind alone is no success: some carriers accept it and cut the connection at once.
    failures = closed.hasWorked ? 0 : failures + 1;
    const ceiling = Math.min(options.reconnectMaxMs, options.reconnectMinMs * 2 ** Math.max(0, failures - 1));
    const retryMs = Math.round(ceiling * (0.5 + options.random() / 2));
    options.onDown(reason, retryMs);
    retry = setTimeout(open, retryMs);
  }

  open();

  return {
    get session() {
      return session;
    },
    get isResting() {
      return isResting;
    },
    wake() {
      if (isResting && session === undefined && !isClosing) open();
    },
    tick: (now) => session?.tick(now),
    close() {
      isClosing = true;
      clearTimeout(retry);
      if (session === undefined) return Promise.resolve();
      return new Promise((resolve) => {
        const previous = onQuiet;
        onQuiet = () => {
          previous?.();
          resolve();
        };
        session?.drain('the channel is closing');
      });
    },
  };
}
