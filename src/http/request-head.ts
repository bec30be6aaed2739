// What is asked of every request line and header, and what every answer carries.

import type { IncomingMessage } from 'node:http';
import type { FastifyReply } from 'fastify';
import { type ErrorText, errorText } from '../domain/fault/error-text.js';
import { Problem } from './problem/problem.js';

export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  // Answers for machines need nothing; a page says what it needs.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

const NO_FRAMING = "frame-ancestors 'none'";

/** Prevents clickjacking. Set on pages with another policy, too. */
export function forbidFraming(reply: FastifyReply): void {
  const policy = String(reply.getHeader('content-security-policy') ?? '');
  if (!policy.includes('frame-ancestors')) {
    reply.header('content-security-policy', policy === '' ? NO_FRAMING : `${policy}; ${NO_FRAMING}`);
  }
}

/**
 * What two readers of the same bytes could understand differently is refused: a proxy may have looked at the other Host,
 * and HTTP/0.9 has no headers to look at. HTTP/1.0 may do without a Host.
 */
export function validateRequestHead(request: IncomingMessage): void {
  if (request.httpVersion !== '1.1' && request.httpVersion !== '1.0') {
    throw refuse(errorText('http_version'));
  }
  const hosts = countHosts(request.rawHeaders);
  if (hosts > 1) throw refuse(errorText('several_hosts'));
  if (hosts === 0 && request.httpVersion === '1.1') throw refuse(errorText('no_host'));
}

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}

function refuse(detail: ErrorText): Problem {
  return new Problem('invalid_request', detail, { headers: { connection: 'close' } });
}
