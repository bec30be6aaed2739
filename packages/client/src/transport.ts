import { PostriderConnectionError, PostriderError, readProblem } from './errors.js';
import { type Clock, defaultRetryPolicy, type Repeat, type RetryPolicy, retryDelayMs, systemClock } from './retry.js';

export interface TransportOptions {
  /** Where the service answers, such as `https://sms.example.com`. */
  readonly baseUrl: string;
  /** For one attempt, from the connection to the last byte of the answer. */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryPolicy>;
  /** Replaces the global `fetch`: a proxy, a test, a tracer. */
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
  /** Between 0 and 1; for jitter only. */
  readonly random?: () => number;
  /** Put before the runtime's own, for the logs of the service. */
  readonly userAgent?: string;
}

/** What every call accepts besides its own arguments. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

export type QueryValue = string | number | boolean | Date | undefined;

export interface Call extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: unknown;
}

export interface Answer {
  readonly value: unknown;
  readonly status: number;
  readonly headers: Headers;
}

/** Adds what proves who is calling. Called for each attempt, since a signature is as old as its timestamp. */
export type Authorize = (
  method: string,
  target: string,
  body: string,
  nowMs: number,
) => Promise<Record<string, string>>;

export interface Transport {
  readonly clock: Clock;
  readonly retry: RetryPolicy;
  readonly random: () => number;
  /** One attempt. Only a clock that is off is corrected and tried again here. */
  exchange(call: Call): Promise<Answer>;
  /** As many attempts as the policy allows and `repeat` makes safe. */
  call(call: Call, repeat: Repeat): Promise<Answer>;
}

/** Codes with which Node says that no connection was made at all. Browsers do not say, and are taken to have connected. */
const unreachableCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function readCauseCode(error: unknown): string | null {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : null;
}

function describeFailure(error: unknown, url: URL): PostriderConnectionError {
  const code = readCauseCode(error);
  if (code !== null && unreachableCodes.has(code)) {
    return new PostriderConnectionError('unreachable', `Cannot reach ${url.origin} (${code})`, error);
  }
  return new PostriderConnectionError(
    'broken',
    `The connection to ${url.origin} broke (${code ?? String(error)})`,
    error,
  );
}

/** Most often an environment variable that is not set, which is better said now than as a refused signature later. */
export function requireOption(name: string, value: string): void {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} is missing`);
}

function buildUrl(baseUrl: string, call: Call): URL {
  const url = new URL(baseUrl.replace(/\/+$/, '') + call.path);
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, value instanceof Date ? value.toISOString() : String(value));
  }
  return url;
}

export function createTransport(options: TransportOptions, authorize: Authorize): Transport {
  if (!/^https?:\/\//i.test(options.baseUrl) || !URL.canParse(options.baseUrl)) {
    throw new TypeError(`baseUrl must be an address such as https://sms.example.com, not ${options.baseUrl}`);
  }
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const retry = { ...defaultRetryPolicy, ...options.retry };
  const timeoutMs = options.timeoutMs ?? 30_000;
  const fetchAnswer = options.fetch ?? fetch;
  // Difference between the clock of the service and ours, learned when a timestamp was refused.
  let skewMs = 0;

  async function attempt(call: Call): Promise<Answer> {
    const url = buildUrl(options.baseUrl, call);
    const body = call.body === undefined ? '' : JSON.stringify(call.body);
    const headers: Record<string, string> = { accept: 'application/json, application/problem+json' };
    if (body !== '') headers['content-type'] = 'application/json';
    if (options.userAgent !== undefined) headers['user-agent'] = options.userAgent;
    Object.assign(headers, await authorize(call.method, url.pathname + url.search, body, clock.now() + skewMs));

    const limitMs = call.timeoutMs ?? timeoutMs;
    const cut = new AbortController();
    const forward = () => cut.abort(call.signal?.reason);
    call.signal?.throwIfAborted();
    call.signal?.addEventListener('abort', forward, { once: true });
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      cut.abort();
    }, limitMs);
    try {
      const response = await fetchAnswer(url, {
        method: call.method,
        headers,
        signal: cut.signal,
        // A signature holds for one target, so a redirect cannot be followed.
        redirect: 'manual',
        ...(body === '' ? {} : { body }),
      });
      return readAnswer(response, await response.text());
    } catch (error) {
      if (error instanceof PostriderError || error instanceof PostriderConnectionError) throw error;
      call.signal?.throwIfAborted();
      if (timedOut) {
        throw new PostriderConnectionError('timeout', `No answer from ${url.origin} within ${limitMs} ms`, error);
      }
      throw describeFailure(error, url);
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', forward);
    }
  }

  function readAnswer(response: Response, text: string): Answer {
    if (!response.ok) throw readProblem(response, text, clock.now());
    try {
      return { value: text === '' ? null : JSON.parse(text), status: response.status, headers: response.headers };
    } catch (error) {
      const message = `${options.baseUrl} answered ${response.status} with something that is not JSON; is it the address of Postrider?`;
      throw new PostriderConnectionError('unreadable', message, error);
    }
  }

  async function exchange(call: Call): Promise<Answer> {
    try {
      return await attempt(call);
    } catch (error) {
      if (!(error instanceof PostriderError) || error.code !== 'timestamp_out_of_range') throw error;
      if (error.serverTimeMs === null) throw error;
      skewMs = error.serverTimeMs - clock.now();
      return attempt(call);
    }
  }

  async function callWithRetries(call: Call, repeat: Repeat): Promise<Answer> {
    for (let count = 1; ; count += 1) {
      try {
        return await exchange(call);
      } catch (error) {
        const delayMs = retryDelayMs(error, count, repeat, retry, random);
        if (delayMs === null) throw error;
        await clock.sleep(delayMs, call.signal);
      }
    }
  }

  return { clock, retry, random, exchange, call: callWithRetries };
}
