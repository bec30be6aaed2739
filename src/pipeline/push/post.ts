// One HTTP call to an endpoint. Every call ends with an answer, an error, its deadline or an abort, whatever the endpoint does.
// Redirects are not followed; interim answers (1xx) and upgrades are failures.

import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { cleanText } from '../../domain/text.js';
import type { AddressGuard } from '../../outbound/address-guard.js';

export interface Answer {
  /** Null without an answer. */
  readonly status: number | null;
  /** Why it failed; null if it succeeded. */
  readonly error: string | null;
  readonly latencyMs: number;
  /** The beginning of the answer's body; empty without one. */
  readonly body: string;
}

export interface Poster {
  /** Rejects only if the signal is aborted or the poster is closed. */
  post(url: string, headers: Readonly<Record<string, string>>, body: Buffer, signal: AbortSignal): Promise<Answer>;
  /** Aborts the calls in flight. */
  close(): void;
}

export const ANSWER_TIMEOUT_MS = 15_000;
/** After a larger answer the connection is closed. */
const MAX_ANSWER_BYTES = 64 * 1024;
const KEPT_ANSWER_BYTES = 1024;
/** The status decides; the body gets this much additional time. */
const BODY_TIMEOUT_MS = 1000;
const IDLE_SOCKET_MS = 30_000;
const MAX_IDLE_SOCKETS = 128;

interface Reply {
  readonly status: number;
  readonly body: Buffer;
}

export function createPoster(options: { readonly guard: AddressGuard; readonly timeoutMs?: number }): Poster {
  const { guard, timeoutMs = ANSWER_TIMEOUT_MS } = options;
  const pool = { keepAlive: true, timeout: IDLE_SOCKET_MS, maxFreeSockets: MAX_IDLE_SOCKETS };
  const agents = { 'http:': new HttpAgent(pool), 'https:': new HttpsAgent(pool) };
  const inFlight = new Set<Deadline>();

  const send = (
    target: URL,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
    signal: AbortSignal,
  ): ClientRequest => {
    guard.requireReachable(target);
    const isPlain = target.protocol === 'http:';
    const request = (isPlain ? requestHttp : requestHttps)(target, {
      method: 'POST',
      agent: isPlain ? agents['http:'] : agents['https:'],
      lookup: guard.lookupFor(target, signal),
      headers: { ...headers, 'content-length': body.length },
    });
    return request.end(body);
  };

  /** If the endpoint closed an idle connection, the call was not sent: it is made once more. */
  const call = async (
    target: URL,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
    signal: AbortSignal,
  ): Promise<Reply> => {
    const request = send(target, headers, body, signal);
    try {
      return await awaitReply(request, signal);
    } catch (error) {
      const isStale = request.reusedSocket && error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
      if (!isStale || signal.aborted) throw error;
      return await call(target, headers, body, signal);
    }
  };

  return {
    async post(url, headers, body, signal) {
      signal.throwIfAborted();
      const started = performance.now();
      const deadline = startDeadline(signal, timeoutMs);
      inFlight.add(deadline);
      const answer = (status: number | null, error: string | null, text = ''): Answer => {
        const latencyMs = Math.round(performance.now() - started);
        return { status, error, latencyMs, body: text };
      };
      try {
        const reply = await call(new URL(url), headers, body, deadline.signal);
        return answer(
          reply.status,
          explainStatus(reply.status),
          cleanText(reply.body.toString('utf8'), KEPT_ANSWER_BYTES),
        );
      } catch (error) {
        if (deadline.isCutOff()) throw error;
        return answer(null, deadline.signal.aborted ? `no answer within ${timeoutMs / 1000} s` : explainFault(error));
      } finally {
        inFlight.delete(deadline);
        deadline.clear();
      }
    },
    close() {
      for (const deadline of inFlight) deadline.cutOff();
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Settles at the first outcome, and destroys what has not ended by then. */
function awaitReply(request: ClientRequest, signal: AbortSignal): Promise<Reply> {
  return new Promise<Reply>((resolve, reject) => {
    let status: number | undefined;
    let bodyTimer: NodeJS.Timeout | undefined;
    const kept: Buffer[] = [];
    let bytes = 0;
    const settle = (error?: Error): void => {
      clearTimeout(bodyTimer);
      signal.removeEventListener('abort', onAbort);
      if (status === undefined) reject(error ?? new CallError('NO_ANSWER'));
      else resolve({ status, body: Buffer.concat(kept).subarray(0, KEPT_ANSWER_BYTES) });
    };
    const end = (error?: Error): void => {
      settle(error);
      request.destroy();
    };
    const onAbort = () => end(new CallError('ABORTED'));
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    request.on('response', (answer: IncomingMessage) => {
      status = answer.statusCode ?? 0;
      if (status < 200) return end();
      bodyTimer = setTimeout(end, BODY_TIMEOUT_MS);
      answer.on('data', (chunk: Buffer) => {
        if (bytes < KEPT_ANSWER_BYTES) kept.push(chunk);
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) end();
      });
      // Not destroyed: the connection serves the next call.
      answer.on('end', () => settle());
      answer.on('error', () => end());
    });
    request.on('information', ({ statusCode }) => {
      status = statusCode;
      end();
    });
    request.on('upgrade', ({ statusCode }, socket) => {
      status = statusCode ?? 0;
      socket.destroy();
      end();
    });
    request.on('error', end);
    request.on('close', () => end());
  });
}

class CallError extends Error {
  override readonly name = 'CallError';
  constructor(readonly code: 'NO_ANSWER' | 'ABORTED') {
    super(code);
  }
}

/** Only its owner clears it. */
interface Deadline {
  /** Aborted at the deadline or when the call is aborted. */
  readonly signal: AbortSignal;
  isCutOff(): boolean;
  cutOff(): void;
  clear(): void;
}

/** Not `AbortSignal.any`: the source signals would keep its result, with the call and its body, until a full garbage collection. */
function startDeadline(caller: AbortSignal, timeoutMs: number): Deadline {
  const controller = new AbortController();
  let isCutOff = false;
  const cutOff = () => {
    isCutOff = true;
    controller.abort();
  };
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  caller.addEventListener('abort', cutOff);
  return {
    signal: controller.signal,
    isCutOff: () => isCutOff,
    cutOff,
    clear() {
      clearTimeout(timer);
      caller.removeEventListener('abort', cutOff);
    },
  };
}

function explainStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status < 200) return 'interim answers and upgrades are not followed';
  if (status >= 300 && status < 400) return 'redirects are not followed';
  return status === 410 ? 'the endpoint is gone' : 'the answer is not a 2xx';
}

const FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed without an answer',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  FORBIDDEN_ADDRESS: 'the address is not public',
  NO_ANSWER: 'the connection was closed without an answer',
};

/** Our own text: nothing that the endpoint wrote gets into the log. */
function explainFault(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('HPE_')) return 'the answer is not HTTP';
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/.test(code)) return `the TLS connection failed (${code})`;
  return FAULTS[code] ?? `the call failed${code === '' ? '' : ` (${code})`}`;
}
