// The documentation, for machines and for people. Pages are made by the build (`tools/site`); here they are served, with the
// values of the demo filled in for callers on this machine.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OpenApiDocument } from '../openapi.js';
import { registerOtherMethods } from '../route.js';
import { isAtThisMachine } from '../this-machine.js';
import { chooseLanguage, HOMES, LANGUAGES, rememberLanguage } from './language.js';
import { fillPlaceholders, PLACEHOLDERS, type PlaceholderValues } from './placeholder.js';
import { readSite, SITE_FOLDER, type SiteFile } from './site-files.js';

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

export function registerDocs(app: FastifyInstance, document: OpenApiDocument, options: DocsOptions = {}): void {
  const json = JSON.stringify(document, null, 2);
  app.route({
    method,
    url: '/openapi.json',
    handler: (_, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(json),
  });
  const files = readSite(options.siteFolder ?? SITE_FOLDER);
  for (const file of files.length === 0 ? [UNBUILT] : files) {
    app.route({ method, url: file.path, handler: (request, reply) => sendFile(request, reply, file, options) });
  }
  for (const home of LANGUAGES.map((language) => HOMES[language])) {
    const notFound = files.find(({ path }) => path === `${home}/not-found`);
    if (notFound === undefined) continue;
    app.route({
      method,
      url: `${home}/*`,
      handler: (request, reply) => sendFile(request, reply.code(404), notFound, options),
    });
  }
  const paths = ['/openapi.json', ...(files.length === 0 ? [UNBUILT] : files).map(({ path }) => path)];
  registerOtherMethods(
    app,
    paths.map((path) => ({ method: 'GET', path })),
  );
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, file: SiteFile, options: DocsOptions) {
  reply.headers({
    'content-type': file.contentType,
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
  });
  if (!file.contentType.startsWith('text/html')) return sendAsset(request, reply, file);
  const chosen = rememberLanguage(request, reply);
  if (file.path === HOMES.en) {
    reply.header('vary', 'accept-language, cookie');
    const language = chosen ?? chooseLanguage(request);
    if (language !== 'en') return reply.redirect(HOMES[language]);
  }
  // Pages are not cached: they may contain the key of the demo.
  const own = isAtThisMachine(request) ? await options.exampleValues?.() : undefined;
  return reply.send(fillPlaceholders(file.body, { ...PLACEHOLDERS, ...own }));
}

function sendAsset(request: FastifyRequest, reply: FastifyReply, file: SiteFile) {
  reply.headers({ 'cache-control': 'no-cache', etag: file.etag });
  return request.headers['if-none-match'] === file.etag ? reply.code(304).send() : reply.send(file.body);
}

const UNBUILT: SiteFile = {
  path: '/docs',
  contentType: 'text/html; charset=utf-8',
  body: '<!doctype html><html lang="en"><title>Postrider</title><p>The documentation is made by <code>npm run build</code>.',
  etag: '"unbuilt"',
};
