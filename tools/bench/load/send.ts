// Signed send requests over a number of connections that are kept.

import { createHash, createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { SendRequest } from './requests.js';

const TARGET = '/openapi/v1/messages/send/';

export interface SendOptions {
  readonly url: string;
  readonly connections: number;
  readonly signal: AbortSignal;
  readonly onAnswer?: (answered: number) => void;
}

export interface Sent {
  readonly elapsedMs: number;
  /** How long each request took, shortest first. */
  readonly latenciesMs: readonly number[];
}

export async function sendRequests(requests: readonly SendRequest[], options: SendOptions): Promise<Sent> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  const latenciesMs: number[] = [];
  let next = 0;
  const sendSome = async () => {
    for (let one = requests[next]; one !== undefined; one = requests[next]) {
      next += 1;
      options.signal.throwIfAborted();
      latenciesMs.push(await send(options.url, agent, one));
      options.onAnswer?.(latenciesMs.length);
    }
  };
  const startedMs = performance.now();
  try {
    await Promise.all(Array.from({ length: options.connections }, sendSome));
  } finally {
    agent.destroy();
  }
  const elapsedMs = performance.now() - startedMs;
  return { elapsedMs, latenciesMs: latenciesMs.sort((a, b) => a - b) };
}

/** Resolves with the milliseconds until the whole answer was there. */
export function send(url: string, agent: Agent, { customer, body }: SendRequest): Promise<number> {
  const timestamp = String(Date.now());
  const hash = createHash('sha256').update(body).digest('hex');
  const signed = `POST\n${TARGET}\n${timestamp}\n${hash}`;
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-api-key': customer.apiKey,
    'x-timestamp': timestamp,
    'x-sign': createHmac('sha256', customer.apiSecret).update(signed).digest('hex'),
  };
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    const sending = request(`${url}${TARGET}`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume();
      answer.on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(performance.now() - startedMs);
        else reject(new Error(`A send request was answered with status ${answer.statusCode}.`));
      });
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

/** Of values in ascending order; undefined when there is none. */
export function pickPercentile(sorted: readonly number[], percent: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)];
}
