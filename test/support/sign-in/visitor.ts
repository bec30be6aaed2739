// A browser without pages: it keeps cookies as one does, and sends the CSRF token that it was given.

import { request as startRequest } from 'node:http';

export interface VisitorAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any;
}

export interface Visitor {
  /** As the browser would send them. */
  readonly cookies: Map<string, string>;
  csrfToken: string | undefined;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<VisitorAnswer>;
  /** Also takes the CSRF token from the answer. */
  signIn(email: string, password: string, more?: object): Promise<VisitorAnswer>;
  accept(invitationUrl: string, password: string): Promise<VisitorAnswer>;
}

/** `headers` go with every request, such as what a proxy adds. */
export function createVisitor(url: string, headers: Record<string, string> = {}): Visitor {
  const cookies = new Map<string, string>();
  const keep = (lines: readonly string[]) => {
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /Max-Age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
  };
  const visitor: Visitor = {
    cookies,
    csrfToken: undefined,
    async call(method, path, body, more = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await send(url + path, method, body === undefined ? undefined : JSON.stringify(body), {
        ...(cookie === '' ? {} : { cookie }),
        ...(visitor.csrfToken === undefined || method === 'GET' ? {} : { 'x-csrf-token': visitor.csrfToken }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
        ...more,
      });
      keep(answer.headers.getSetCookie());
      return answer;
    },
    async signIn(email, password, more = {}) {
      const answer = await visitor.call('POST', '/auth/sign-in', { email, password, ...more });
      visitor.csrfToken = answer.body?.csrf_token ?? visitor.csrfToken;
      return answer;
    },
    async accept(invitationUrl, password) {
      const token = invitationUrl.split('/').at(-1) ?? '';
      const answer = await visitor.call('POST', `/auth/invitations/${token}`, { password });
      visitor.csrfToken = answer.body?.csrf_token ?? visitor.csrfToken;
      return answer;
    },
  };
  return visitor;
}

/** By hand: `fetch` forbids what browsers set, such as Sec-Fetch-Site and Host. */
function send(
  url: string,
  method: string,
  body: string | undefined,
  headers: Record<string, string>,
): Promise<VisitorAnswer> {
  return new Promise((resolve, reject) => {
    const call = startRequest(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const received = new Headers();
        for (let at = 0; at < response.rawHeaders.length; at += 2) {
          received.append(response.rawHeaders[at] ?? '', response.rawHeaders[at + 1] ?? '');
        }
        const text = Buffer.concat(chunks).toString('utf8');
        const isJson = /json/.test(received.get('content-type') ?? '');
        resolve({
          status: response.statusCode ?? 0,
          headers: received,
          body: isJson && text !== '' ? JSON.parse(text) : text,
        });
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}
