import type { FastifyInstance } from 'fastify';
import type { OpenApiDocument } from '../openapi.js';
import { registerOtherMethods } from '../route.js';
import { renderDocs } from './page.js';

/** The API reference, for machines and for people. Both are made once: they do not change while the process runs. */
export function registerDocs(app: FastifyInstance, document: OpenApiDocument): void {
  const json = JSON.stringify(document, null, 2);
  const html = renderDocs(document);
  const method = ['GET', 'HEAD'];
  app.route({
    method,
    url: '/openapi.json',
    handler: (_, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(json),
  });
  app.route({
    method,
    url: '/docs',
    handler: (_, reply) =>
      reply
        .header('content-type', 'text/html; charset=utf-8')
        // The page is one file and loads nothing, from here or anywhere.
        .header(
          'content-security-policy',
          "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
        )
        .send(html),
  });
  // Whoever opens the address that the service prints wants to read something.
  app.route({ method, url: '/', handler: (_, reply) => reply.redirect('/docs') });
  registerOtherMethods(app, [
    { method: 'GET', path: '/' },
    { method: 'GET', path: '/openapi.json' },
    { method: 'GET', path: '/docs' },
  ]);
}
