// Some things are for a person at this machine alone: the key of the demo in the examples, and the links that sign in with it.

import type { FastifyRequest } from 'fastify';

const LOOPBACK_ADDRESS = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;
const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * Whether a person at this very machine is asking. The address alone does not say it: a proxy beside the service has the
 * same, and so has the browser of somebody who was lured to a name that leads here, which the Host header gives away.
 */
export function isAtThisMachine(request: Pick<FastifyRequest, 'headers' | 'socket' | 'raw'>): boolean {
  return (
    // nginx as it comes names no client and puts our address into Host; it gives itself away by HTTP/1.0, or by closing. A
    // proxy that is set up to hide cannot be told from a browser: docs/configuration.md says not to put the demo behind one.
    request.raw.httpVersion === '1.1' &&
    request.headers.connection?.toLowerCase() !== 'close' &&
    LOOPBACK_ADDRESS.test(request.socket.remoteAddress ?? '') &&
    LOOPBACK_HOST.test(request.headers.host ?? '') &&
    PROXY_HEADERS.every((name) => request.headers[name] === undefined)
  );
}
