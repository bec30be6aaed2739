// A real OpenID provider on this machine, whose people sign in without being asked for more than their name.

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export interface OpenIdProvider {
  readonly issuer: string;
  /** Claims by subject. */
  readonly people: Map<string, Record<string, unknown>>;
  /** Where it may lead back to. */
  allow(...redirectUris: string[]): void;
  /** Signs in as `sub` and consents. Returns the address that the browser is led back to. */
  authorize(url: string, sub: string): Promise<string>;
  /** Whether ID tokens come with another signature than that of the provider. */
  damageSignatures(isDamaged: boolean): void;
  stop(): Promise<void>;
}

export async function startOpenIdProvider(): Promise<OpenIdProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, Record<string, unknown>>();
  const redirectUris: string[] = ['http://127.0.0.1:1/unused'];
  const provider = createProvider(issuer, people, redirectUris);
  const answer = provider.callback();
  let isDamaged = false;
  server.on('request', (request, response) => {
    if (isDamaged && request.url === '/token') damageIdToken(response);
    answer(request, response);
  });
  return {
    damageSignatures: (damaged) => {
      isDamaged = damaged;
    },
    issuer,
    people,
    allow: (...uris) => void redirectUris.push(...uris),
    authorize: (url, sub) => walk(issuer, url, sub),
    stop: () => close(server),
  };
}

/** The last part of the token, with its first half in place of the second. */
function damageIdToken(response: ServerResponse): void {
  const end = response.end.bind(response);
  response.end = ((body: unknown) => {
    const answer = JSON.parse(String(body)) as { id_token: string };
    const [head, payload, signature = ''] = answer.id_token.split('.');
    const half = signature.slice(0, signature.length / 2);
    const text = JSON.stringify({ ...answer, id_token: `${head}.${payload}.${half}${half}` });
    response.setHeader('content-length', Buffer.byteLength(text));
    return end(text);
  }) as typeof response.end;
}

function createProvider(issuer: string, people: Map<string, Record<string, unknown>>, redirect_uris: string[]) {
  const client = {
    client_id: 'postrider',
    client_secret: 'secret-of-the-client',
    grant_types: ['authorization_code'],
    response_types: ['code'],
    redirect_uris,
  };
  return new Provider(issuer, {
    clients: [],
    // Read anew each time: the ports of the services are known after it has started.
    adapter: createAdapter(() => client),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'roles'] },
    // In the ID token, as many providers do.
    conformIdTokenClaims: false,
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: async () => ({ sub, ...people.get(sub) }) }),
    features: { devInteractions: { enabled: true } },
    pkce: { required: () => true },
    cookies: { keys: ['of the test'] },
  });
}

/** Memory, and the one client. */
function createAdapter(client: () => object) {
  const stored = new Map<string, Record<string, unknown>>();
  return class {
    constructor(readonly name: string) {}
    #key(id: string) {
      return `${this.name} ${id}`;
    }
    async upsert(id: string, payload: Record<string, unknown>) {
      stored.set(this.#key(id), payload);
      if (typeof payload.uid === 'string') stored.set(`uid ${this.name} ${payload.uid}`, payload);
    }
    async find(id: string) {
      return this.name === 'Client' ? client() : stored.get(this.#key(id));
    }
    async findByUid(uid: string) {
      return stored.get(`uid ${this.name} ${uid}`);
    }
    async findByUserCode() {
      return undefined;
    }
    async consume(id: string) {
      const found = stored.get(this.#key(id));
      if (found !== undefined) found.consumed = Math.floor(Date.now() / 1000);
    }
    async destroy(id: string) {
      stored.delete(this.#key(id));
    }
    async revokeByGrantId(grantId: string) {
      for (const [key, payload] of stored) if (payload.grantId === grantId) stored.delete(key);
    }
  };
}

/** Follows redirects with cookies, and answers the forms for login and consent. */
async function walk(issuer: string, start: string, sub: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = start;
  let form: URLSearchParams | undefined;
  for (let hop = 0; hop < 12; hop += 1) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    });
    form = undefined;
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location !== null) {
      url = new URL(location, url).href;
      if (!url.startsWith(issuer)) return url;
      continue;
    }
    const page = await response.text();
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
    if (prompt === undefined) throw new Error(`the provider answered ${response.status}: ${page.slice(0, 500)}`);
    form = new URLSearchParams(prompt === 'login' ? { prompt, login: sub, password: 'any' } : { prompt });
  }
  throw new Error('the provider does not lead back');
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
