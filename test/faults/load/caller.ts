// Calls of the API as a customer makes them, each tried once and written down with its answer: what is tried again, and
// when, is the load's decision.

import { signRequest } from '@postrider/client';
import type { History } from '../history.js';
import type { ServiceNode } from '../world/node.js';
import type { CampaignCustomer } from './customers.js';

export interface Answer {
  /** 0 when none came. */
  readonly status: number;
  readonly body: unknown;
}

export interface CallWish {
  readonly action: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly target: string;
  readonly request?: unknown;
}

export type Signer = Pick<CampaignCustomer, 'name' | 'apiKey' | 'apiSecret'>;

export type Caller = (node: ServiceNode, customer: Signer, wish: CallWish) => Promise<Answer>;

const PATIENCE_MS = 12_000;

export function createCaller(history: History): Caller {
  return async (node, customer, { action, method, target, request }) => {
    const startMs = history.nowMs();
    const about = { kind: 'call', action, node: node.name, customer: customer.name, method, target } as const;
    const asked = request === undefined ? about : { ...about, request };
    const body = request === undefined ? '' : JSON.stringify(request);
    const timestampMs = Date.now();
    const headers: Record<string, string> = {
      'x-api-key': customer.apiKey,
      'x-timestamp': String(timestampMs),
      'x-sign': await signRequest(customer.apiSecret, { method, target, timestampMs, body }),
      ...(request === undefined ? {} : { 'content-type': 'application/json' }),
    };
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const sent = body === '' ? {} : { body };
      const response = await fetch(`${node.url()}${target}`, { method, headers, signal, ...sent });
      const answer: unknown = await response.json();
      const isReplayed = response.headers.get('idempotent-replayed') === 'true';
      history.add({ ...asked, startMs, endMs: history.nowMs(), status: response.status, answer, isReplayed });
      return { status: response.status, body: answer };
    } catch (error) {
      history.add({ ...asked, startMs, endMs: history.nowMs(), status: 0, fault: String(error) });
      return { status: 0, body: undefined };
    }
  };
}
