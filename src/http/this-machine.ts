// Some things are only for a person at this machine: the key of the demo in the examples, and the links that sign in with it.

import type { FastifyRequest } from 'fastify';

const LOOPBACK_ADDRESS = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;
const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * Whether the request is from a person at this machine. The address alone is not enough: a proxy on this machine has the
 * same, and so has a browser under DNS rebinding, which the Host header reveals.
 */
export function isAtThisMachine(request: Pick<FastifyRequest, 'headers' | 'socket' | 'raw'>): boolean {
  return (
    // nginx by default names no client and puts our address into Host, but uses HTTP/1.0 or `connection: close`. A proxy that hides
    // itself cannot be detected: docs/configuration.md says not to put the demo behind one.
    request.raw.httpVersion === '1.1' &&
    request.headers.connection?.toLowerCase() !== 'close' &&
    LOOPBACK_ADDRESS.test(request.socket.remoteAddress ?? '') &&
    LOOPBACK_HOST.test(request.headers.host ?? '') &&
    PROXY_HEADERS.every((name) => request.headers[name] === undefined)
  );
}
