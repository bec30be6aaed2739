/** Ends an attempt when its caller gives it up, or when the other side lets it wait for too long. */
export interface AttemptLimit {
  readonly signal: AbortSignal;
  /** True when it was the time that ended it. */
  readonly isTimeOver: boolean;
  /** The other side's turn: the time begins anew. */
  start(): void;
  /** The caller's turn: the time stands still. */
  hold(): void;
  /** Clears the timer and the listener on the caller's signal. */
  end(): void;
}

export function limitAttempt(given: AbortSignal | undefined, limitMs: number): AttemptLimit {
  const cut = new AbortController();
  const forward = () => cut.abort(given?.reason);
  given?.throwIfAborted();
  given?.addEventListener('abort', forward, { once: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isTimeOver = false;
  const limit: AttemptLimit = {
    signal: cut.signal,
    get isTimeOver() {
      return isTimeOver;
    },
    start() {
      clearTimeout(timer);
      timer = setTimeout(() => {
        isTimeOver = true;
        cut.abort();
      }, limitMs);
    },
    hold: () => clearTimeout(timer),
    end() {
      clearTimeout(timer);
      given?.removeEventListener('abort', forward);
    },
  };
  limit.start();
  return limit;
}
