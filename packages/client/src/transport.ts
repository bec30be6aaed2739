import { type AttemptLimit, limitAttempt } from './attempt-limit.js';
import { describeBreak, PostriderConnectionError, PostriderError, readProblem } from './errors.js';
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
  /** The answer as text of this media type, as it comes. One attempt; the time limit is for the wait for each piece. */
  stream(call: Call, mediaType: string): AsyncGenerator<string>;
}

/** An answer that has this field. Without it, something other than Postrider has answered. */
export function requireField<Result>(value: unknown, name: string & keyof Result): Result {
  if (typeof value === 'object' && value !== null && name in value) return value as Result;
  const message = `The answer is JSON without ${name}; is it the address of Postrider?`;
  throw new PostriderConnectionError('unreadable', message, undefined);
}

const jsonTypes = 'application/json, application/problem+json';

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

  /** Up to the head of the answer. */
  async function open(call: Call, accept: string, signal: AbortSignal): Promise<Response> {
    const url = buildUrl(options.baseUrl, call);
    const body = call.body === undefined ? '' : JSON.stringify(call.body);
    const headers: Record<string, string> = { accept };
    if (body !== '') headers['content-type'] = 'application/json';
    if (options.userAgent !== undefined) headers['user-agent'] = options.userAgent;
    Object.assign(headers, await authorize(call.method, url.pathname + url.search, body, clock.now() + skewMs));
    return await fetchAnswer(url, {
      method: call.method,
      headers,
      signal,
      // A signature holds for one target, so a redirect cannot be followed.
      redirect: 'manual',
      ...(body === '' ? {} : { body }),
    });
  }

  /** What ended an attempt, in our words. */
  function explain(error: unknown, call: Call, limit: AttemptLimit): unknown {
    if (error instanceof PostriderError || error instanceof PostriderConnectionError) return error;
    if (call.signal?.aborted) return call.signal.reason;
    const { origin } = new URL(options.baseUrl);
    if (!limit.isTimeOver) return describeBreak(error, origin);
    const message = `No answer from ${origin} within ${call.timeoutMs ?? timeoutMs} ms`;
    return new PostriderConnectionError('timeout', message, error);
  }

  async function attempt(call: Call): Promise<Answer> {
    const limit = limitAttempt(call.signal, call.timeoutMs ?? timeoutMs);
    try {
      const response = await open(call, jsonTypes, limit.signal);
      return readAnswer(response, await response.text());
    } catch (error) {
      throw explain(error, call, limit);
    } finally {
      limit.end();
    }
  }

  async function* streamOnce(call: Call, mediaType: string): AsyncGenerator<string> {
    const limit = limitAttempt(call.signal, call.timeoutMs ?? timeoutMs);
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    try {
      const response = await open(call, `${mediaType}, application/problem+json`, limit.signal);
      if (!response.ok) throw readProblem(response, await response.text(), clock.now());
      if (response.headers.get('content-type')?.startsWith(mediaType) !== true) throw refuseAnswer(response, mediaType);
      reader = response.body?.getReader();
      const decoder = new TextDecoder();
      for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read()) {
        limit.hold();
        yield decoder.decode(piece.value, { stream: true });
        limit.start();
      }
    } catch (error) {
      throw explain(error, call, limit);
    } finally {
      limit.end();
      // When the caller stops reading, the request is aborted.
      void reader?.cancel().catch(() => undefined);
    }
  }

  function refuseAnswer(response: Response, expected: string, cause?: unknown): PostriderConnectionError {
    const message = `${options.baseUrl} answered ${response.status} with something that is not ${expected}; is it the address of Postrider?`;
    return new PostriderConnectionError('unreadable', message, cause);
  }

  function readAnswer(response: Response, text: string): Answer {
    if (!response.ok) throw readProblem(response, text, clock.now());
    try {
      return { value: text === '' ? null : JSON.parse(text), status: response.status, headers: response.headers };
    } catch (error) {
      throw refuseAnswer(response, 'JSON', error);
    }
  }

  /** Sets our clock by that of the service, where it was refused; throws everything else. */
  function learnSkew(error: unknown): void {
    if (!(error instanceof PostriderError) || error.code !== 'timestamp_out_of_range') throw error;
    if (error.serverTimeMs === null) throw error;
    skewMs = error.serverTimeMs - clock.now();
  }

  async function exchange(call: Call): Promise<Answer> {
    try {
      return await attempt(call);
    } catch (error) {
      learnSkew(error);
      return attempt(call);
    }
  }

  async function* stream(call: Call, mediaType: string): AsyncGenerator<string> {
    try {
      yield* streamOnce(call, mediaType);
    } catch (error) {
      // Refused before the first piece, so nothing comes twice.
      learnSkew(error);
      yield* streamOnce(call, mediaType);
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

  return { clock, retry, random, exchange, call: callWithRetries, stream };
}
