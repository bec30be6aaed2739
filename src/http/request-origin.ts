import type { FastifyRequest } from 'fastify';

/** Where the service is reached from outside: a trusted proxy says so, else the request itself. */
export function originOf(request: FastifyRequest): string {
  return `${request.protocol}://${request.host}`;
}
