// Some things are for a person at this machine alone: the key of the demo in the examples, and the links that sign in with it.

import type { FastifyRequest } from 'fastify';

const LOOPBACK_ADDRESS = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;
const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * Whether a person at this very machine is asking. The address alone does not say it: a proxy beside the service has the
 * same, and so has the browser of somebody who was lured to a name that leads here, which the Host header gives away.
 */
export function isAtThisMachine(request: Pick<FastifyRequest, 'headers' | 'socket'>): boolean {
  return (
    LOOPBACK_ADDRESS.test(request.socket.remoteAddress ?? '') &&
    LOOPBACK_HOST.test(request.headers.host ?? '') &&
    PROXY_HEADERS.every((name) => request.headers[name] === undefined)
  );
}
