// A proxy in front of the service that loses, delays, cuts and replaces answers by rules, and notes what passes.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to a request: the first rule that matches and is not used up applies. */
export interface ProxyRule {
  /** Method and path: `POST /openapi/v1/messages/send/`. A `*` at the end stands for any rest. */
  readonly on: string;
  readonly do:
    | 'pass'
    /** The connection ends before the service has heard anything. */
    | 'lose_request'
    /** The service carries the request out, and the connection ends instead of its answer. */
    | 'lose_answer'
    /** The connection ends within the answer: in the middle, or in the row behind `after_rows`. */
    | 'cut_answer'
    /** No answer, and the service hears nothing. */
    | 'stall'
    /** No answer, but the service carries the request out. */
    | 'stall_after'
    /** An answer that begins and comes by single bytes without an end. */
    | 'trickle'
    /** This answer, and the service hears nothing. */
    | 'answer'
    /** This answer in place of that of the service. */
    | 'answer_after'
    /** The answer of the service with other fields. */
    | 'rewrite';
  /** How many requests it applies to; one unless given. */
  readonly times?: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON; `application/problem+json` where the status says so. */
  readonly body?: unknown;
  readonly text?: string;
  readonly set?: Readonly<Record<string, unknown>>;
  readonly after_rows?: number;
  /** Added to the header `Date`. */
  readonly date_offset_s?: number;
}

export interface SeenRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface FaultyProxy {
  readonly url: string;
  /** Since the last rules. */
  readonly seen: readonly SeenRequest[];
  /** Replaces those before. */
  setRules(rules: readonly ProxyRule[]): void;
  stop(): Promise<void>;
}

export async function startFaultyProxy(serviceUrl: string): Promise<FaultyProxy> {
  const seen: SeenRequest[] = [];
  let left: { readonly rule: ProxyRule; times: number }[] = [];

  function takeRule(incoming: SeenRequest): ProxyRule | undefined {
    const found = left.find(({ rule, times }) => times > 0 && matches(rule.on, incoming));
    if (found !== undefined) found.times -= 1;
    return found?.rule;
  }

  const server = createServer(async (incoming, response) => {
    const body = await readAll(incoming);
    const one = {
      method: incoming.method ?? '',
      target: incoming.url ?? '',
      headers: incoming.headers,
      body: body.toString(),
    };
    seen.push(one);
    const rule = takeRule(one);
    const forward = () => askService(serviceUrl, one, body);
    await apply(rule, forward, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    setRules(rules) {
      left = rules.map((rule) => ({ rule, times: rule.times ?? 1 }));
      seen.length = 0;
    },
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function matches(on: string, { method, target }: SeenRequest): boolean {
  const asked = `${method} ${target.split('?')[0]}`;
  return on.endsWith('*') ? asked.startsWith(on.slice(0, -1)) : asked === on;
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function askService(serviceUrl: string, { method, target, headers }: SeenRequest, body: Buffer): Promise<Answer> {
  const { hostname, port } = new URL(serviceUrl);
  return new Promise((resolve, reject) => {
    // The target goes on exactly as it came: the signature is over it.
    const outgoing = request({ hostname, port, method, path: target, headers, agent: false }, (answer) => {
      readAll(answer).then(
        (text) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }),
        reject,
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function apply(
  rule: ProxyRule | undefined,
  forward: () => Promise<Answer>,
  response: ServerResponse,
): Promise<void> {
  switch (rule?.do) {
    case 'lose_request':
      response.destroy();
      return;
    case 'lose_answer':
      await forward();
      response.destroy();
      return;
    case 'cut_answer':
      sendPart(response, await forward(), rule);
      return;
    case 'stall':
      return;
    case 'stall_after':
      await forward();
      return;
    case 'trickle':
      trickle(response);
      return;
    case 'answer':
      send(response, madeBy(rule));
      return;
    case 'answer_after':
      await forward();
      send(response, madeBy(rule));
      return;
    case 'rewrite':
      send(response, rewrite(await forward(), rule.set ?? {}));
      return;
    default:
      send(response, await forward(), rule?.date_offset_s);
  }
}

function send(response: ServerResponse, { status, headers, body }: Answer, dateOffsetS = 0): void {
  const { 'transfer-encoding': _, connection: __, ...kept } = headers;
  if (dateOffsetS !== 0) kept.date = new Date(Date.now() + dateOffsetS * 1000).toUTCString();
  response.writeHead(status, { ...kept, 'content-length': body.length });
  response.end(body);
}

/** Announces all of it, as far as that is said, and sends a part. */
function sendPart(response: ServerResponse, { status, headers, body }: Answer, { after_rows }: ProxyRule): void {
  const { 'transfer-encoding': _, connection: __, ...kept } = headers;
  response.writeHead(status, { ...kept, 'content-length': body.length });
  const end = after_rows === undefined ? body.length / 2 : findRowEnd(body, after_rows) + 5;
  response.write(body.subarray(0, end), () => response.destroy());
}

function findRowEnd(body: Buffer, rows: number): number {
  let end = 0;
  for (let row = 0; row < rows; row += 1) end = body.indexOf('\n', end) + 1;
  return end;
}

function trickle(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{');
  const timer = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(timer));
}

function madeBy({ status = 200, headers = {}, body, text }: ProxyRule): Answer {
  const type = text !== undefined ? 'text/html' : status >= 400 ? 'application/problem+json' : 'application/json';
  return {
    status,
    headers: { 'content-type': type, ...headers },
    body: Buffer.from(text ?? JSON.stringify(body)),
  };
}

function rewrite(answer: Answer, fields: Readonly<Record<string, unknown>>): Answer {
  const body = Buffer.from(JSON.stringify({ ...JSON.parse(answer.body.toString()), ...fields }));
  return { ...answer, body };
}
