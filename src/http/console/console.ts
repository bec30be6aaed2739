// The web console: one page for every address below `/console/`, and its files.

import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendPreparedFile } from '../prepared-file.js';
import { notFound } from '../problem/problem.js';
import { registerOtherMethods } from '../route.js';
import { type BuiltConsole, type BuiltFile, readBuiltConsole } from './built-files.js';

export interface ConsoleOptions {
  readonly built?: BuiltConsole | undefined;
}

const NOT_BUILT =
  '<!doctype html><meta charset="utf-8"><title>Postrider</title><p>The console is not built. Run: npm run build';

export function registerConsole(app: FastifyInstance, options: ConsoleOptions = {}): void {
  const built = options.built ?? readBuiltConsole();
  const method = ['GET', 'HEAD'];
  const showPage = (reply: FastifyReply) => sendPage(reply, built?.page ?? NOT_BUILT);
  app.route({ method, url: '/', handler: (_, reply) => reply.redirect('/console/') });
  app.route({ method, url: '/console', handler: (_, reply) => showPage(reply) });
  app.route({
    method,
    url: '/console/*',
    handler: (request, reply) => {
      const path = (request.params as { readonly '*': string })['*'];
      const file = built?.files.get(path);
      if (file !== undefined) return sendFile(request, reply, file);
      // Every other address is a page, which the console routes itself; a missing file is not.
      if (path.startsWith('assets/')) throw notFound();
      return showPage(reply);
    },
  });
  registerOtherMethods(app, [
    { method: 'GET', path: '/' },
    { method: 'GET', path: '/console' },
    { method: 'GET', path: '/console/*' },
  ]);
}

/** Nothing from elsewhere, nothing inline but the styles that carry the nonce of this very answer, no frame around it. */
function describePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function sendPage(reply: FastifyReply, page: string): FastifyReply {
  const nonce = randomBytes(18).toString('base64url');
  return reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': describePolicy(nonce),
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    })
    .send(page.replaceAll('__NONCE__', nonce));
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: BuiltFile): Promise<FastifyReply> {
  reply.headers({
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    'cross-origin-resource-policy': 'same-origin',
  });
  return sendPreparedFile(request, reply, file);
}
