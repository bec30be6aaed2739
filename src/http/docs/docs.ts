// The documentation, for machines and for people. Pages are made by the build (`tools/site`); here they are served, with the
// values of the demo filled in for callers on this machine.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OpenApiDocument } from '../openapi.js';
import { type PreparedFile, prepareFile, sendPreparedFile } from '../prepared-file.js';
import { notFound } from '../problem/problem.js';
import { registerOtherMethods } from '../route.js';
import { isAtThisMachine } from '../this-machine.js';
import { chooseLanguage, HOMES, rememberLanguage } from './language.js';
import { fillPlaceholders, PLACEHOLDERS, type PlaceholderValues } from './placeholder.js';
import { readBuiltSite, readSite, type SiteFile } from './site-files.js';

export interface DocsOptions {
  /** What examples are filled with where the demo runs; undefined while there is none. */
  readonly exampleValues?: () => Promise<Partial<PlaceholderValues> | undefined>;
  readonly siteFolder?: string;
}

/** Scripts, styles and images are local files; nothing is loaded from other origins, and pages cannot be framed. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const method = ['GET', 'HEAD'];

/** The document is made when it is first asked for, which most processes never are. */
export function registerDocs(
  app: FastifyInstance,
  readDocument: () => OpenApiDocument,
  options: DocsOptions = {},
): void {
  let description: PreparedFile | undefined;
  app.route({
    method,
    url: '/openapi.json',
    handler: (request, reply) => {
      description ??= prepareFile('application/json; charset=utf-8', Buffer.from(JSON.stringify(readDocument())));
      return sendPreparedFile(request, reply.header('cache-control', 'no-cache'), description);
    },
  });
  const files = options.siteFolder === undefined ? readBuiltSite() : readSite(options.siteFolder);
  const byPath = new Map((files.length === 0 ? [UNBUILT] : files).map((file) => [file.path, file]));
  // One route for all pages: a route for each of 200 pages and each method makes the start of the service slower.
  const serve = (request: FastifyRequest, reply: FastifyReply) => {
    const path = addressOf(request);
    const file = byPath.get(path);
    if (file !== undefined) return sendFile(request, reply, file, options);
    const missing = byPath.get(`${homeOf(path)}/not-found`);
    if (missing === undefined) throw notFound();
    return sendFile(request, reply.code(404), missing, options);
  };
  for (const url of [HOMES.en, `${HOMES.en}/*`]) app.route({ method, url, handler: serve });
  registerOtherMethods(
    app,
    ['/openapi.json', HOMES.en, `${HOMES.en}/*`].map((path) => ({ method: 'GET', path })),
  );
}

/** Decoded, and without the final slash. */
function addressOf(request: FastifyRequest): string {
  const { '*': rest } = request.params as { readonly '*'?: string };
  return rest === undefined ? HOMES.en : `${HOMES.en}/${rest}`;
}

/** Of the language that the address is in. */
function homeOf(path: string): string {
  return path.startsWith(`${HOMES.zh}/`) ? HOMES.zh : HOMES.en;
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, file: SiteFile, options: DocsOptions) {
  reply.headers({
    'content-type': file.contentType,
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
  });
  const { body } = file;
  if (typeof body !== 'string') return sendPreparedFile(request, reply.header('cache-control', 'no-cache'), body);
  const chosen = rememberLanguage(request, reply);
  if (file.path === HOMES.en) {
    reply.header('vary', 'accept-language, cookie');
    const language = chosen ?? chooseLanguage(request);
    if (language !== 'en') return reply.redirect(HOMES[language]);
  }
  // Pages are not cached: they may contain the key of the demo.
  const own = isAtThisMachine(request) ? await options.exampleValues?.() : undefined;
  return reply.send(fillPlaceholders(body, { ...PLACEHOLDERS, ...own }));
}

const UNBUILT: SiteFile = {
  path: '/docs',
  contentType: 'text/html; charset=utf-8',
  body: '<!doctype html><html lang="en"><title>Postrider</title><p>The documentation is made by <code>npm run build</code>.',
};
