// A server that speaks the shapes of the contract and fails on command: what a real service cannot be made to do at will,
// such as losing an answer after it stored the task.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Task } from '../src/index.js';

interface SeenRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Respond = (request: SeenRequest, response: ServerResponse) => void;

export interface StubServer {
  readonly url: string;
  readonly seen: SeenRequest[];
  /** Answers to come, in order; the last one stays. */
  script(...answers: Respond[]): void;
  stop(): Promise<void>;
}

export async function startStubServer(): Promise<StubServer> {
  const seen: SeenRequest[] = [];
  let answers: Respond[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const entry = { method: request.method ?? '', target: request.url ?? '', headers: request.headers, body };
    seen.push(entry);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    answer?.(entry, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    script(...next) {
      answers = next;
      seen.length = 0;
    },
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export function json(value: unknown, headers: Record<string, string> = {}, status = 200): Respond {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };
}

export function problem(
  status: number,
  code: string,
  extra: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Respond {
  const body = { type: `urn:postrider:problem:${code}`, title: code, status, code, request_id: 'req-1', ...extra };
  return json(body, { 'content-type': 'application/problem+json', 'x-request-id': 'req-1', ...headers }, status);
}

/** The connection dies with the answer under way. */
export const cutSocket: Respond = (_request, response) => {
  response.socket?.destroy();
};

export const cutInTheMiddle: Respond = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"task_no":', () => response.socket?.destroy());
};

export const neverAnswer: Respond = () => {};

export function page(items: unknown[], nextCursor: string | null = null): Respond {
  const size = items.length;
  return json({ items, page: 1, page_size: 20, total: size, total_is_exact: true, next_cursor: nextCursor });
}

export function createTask(changes: Partial<Task> = {}): Task {
  return {
    task_no: 'T-1',
    client_request_id: null,
    batch_id: null,
    title: null,
    template_no: 'TPL',
    class: 'notice',
    service_account_no: 'SA',
    target_firms: [],
    auto_prepare: true,
    auto_freeze: true,
    auto_submit: true,
    stage: 'queued',
    accounting_state: 'none',
    receipt_state: 'none',
    failure: null,
    waits_for: null,
    next_send_at: null,
    send_at: null,
    expires_at: null,
    counts: { total: 1, unsent: 1, rejected: 0, unknown: 0, awaiting: 0, delivered: 0, undelivered: 0, expired: 0 },
    cancelled: 0,
    amounts: {
      currency: 'CNY',
      price: null,
      frozen: '0.000000',
      charged: '0.000000',
      released: '0.000000',
      refunded: '0.000000',
      held: '0.000000',
    },
    created_at: new Date().toISOString(),
    updated_at: new Date().toISOString(),
    completed_at: null,
    ...changes,
  };
}
