// One HTTP call to an endpoint. Redirects are not followed, bodies of answers are not kept, and nothing takes longer than it
// may, whatever the other side does.

import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { AddressGuard } from './address-guard.js';

export interface Answer {
  /** Null when no answer came. */
  readonly status: number | null;
  /** Why it is no success; null when it is one. */
  readonly error: string | null;
  readonly latencyMs: number;
}

export interface Poster {
  /** Rejects only when the signal is aborted. */
  post(url: string, headers: Readonly<Record<string, string>>, body: Buffer, signal: AbortSignal): Promise<Answer>;
  close(): void;
}

export const ANSWER_TIMEOUT_MS = 15_000;
/** An answer with more than this costs its connection. */
const MAX_ANSWER_BYTES = 64 * 1024;
const IDLE_SOCKET_MS = 30_000;
const MAX_IDLE_SOCKETS = 128;

export function makePoster(options: { readonly guard: AddressGuard; readonly timeoutMs?: number }): Poster {
  const { guard, timeoutMs = ANSWER_TIMEOUT_MS } = options;
  const pool = { keepAlive: true, timeout: IDLE_SOCKET_MS, maxFreeSockets: MAX_IDLE_SOCKETS };
  const agents = { 'http:': new HttpAgent(pool), 'https:': new HttpsAgent(pool) };

  const callOnce = (
    target: URL,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
    ending: Ending,
  ): Promise<number> =>
    new Promise((resolve, reject) => {
      guard.requireReachable(target);
      const isPlain = target.protocol === 'http:';
      const request = (isPlain ? requestHttp : requestHttps)(target, {
        method: 'POST',
        agent: isPlain ? agents['http:'] : agents['https:'],
        lookup: guard.lookupFor(target),
        headers: { ...headers, 'content-length': body.length },
        signal: ending.signal,
      });
      // Not sooner: an answer may have begun and not come to its end.
      request.on('close', ending.release);
      request.on('response', (answer) => {
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > MAX_ANSWER_BYTES) request.destroy();
        });
        // Nothing that goes wrong with the body changes what the status said.
        answer.on('error', () => undefined);
        resolve(answer.statusCode ?? 0);
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = request.reusedSocket && error.code === 'ECONNRESET';
        if (!isStale || ending.signal.aborted) return reject(error);
        // The other side closed a connection that was kept for the next call, which has not been made then.
        request.off('close', ending.release);
        callOnce(target, headers, body, ending).then(resolve, reject);
      });
      request.end(body);
    });

  return {
    async post(url, headers, body, signal) {
      const started = performance.now();
      signal.throwIfAborted();
      const ending = startEnding(signal, timeoutMs);
      const done = (status: number | null, error: string | null): Answer => ({
        status,
        error,
        latencyMs: Math.round(performance.now() - started),
      });
      try {
        const status = await callOnce(new URL(url), headers, body, ending);
        return done(status, explainStatus(status));
      } catch (error) {
        ending.release();
        signal.throwIfAborted();
        return done(null, ending.signal.aborted ? `no answer within ${timeoutMs / 1000} s` : explainFault(error));
      }
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** What cuts a call off: its time is over, or the signal is aborted. */
interface Ending {
  readonly signal: AbortSignal;
  /** There is nothing left to be cut off. */
  readonly release: () => void;
}

/** By hand, because a signal that was made of others is kept by them, with the call and its body, until a full collection. */
function startEnding(signal: AbortSignal, timeoutMs: number): Ending {
  const controller = new AbortController();
  const end = () => controller.abort();
  const timer = setTimeout(end, timeoutMs);
  signal.addEventListener('abort', end);
  const release = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  };
  return { signal: controller.signal, release };
}

function explainStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return 'redirects are not followed';
  return status === 410 ? 'the endpoint is gone' : 'the answer is not a 2xx';
}

const FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed without an answer',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  FORBIDDEN_ADDRESS: 'the address is not public',
};

/** In our words: what the other side wrote does not get into the log. */
function explainFault(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('HPE_')) return 'the answer is not HTTP';
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/.test(code)) return `the TLS connection failed (${code})`;
  return FAULTS[code] ?? `the call failed${code === '' ? '' : ` (${code})`}`;
}
