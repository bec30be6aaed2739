import type { FastifyInstance } from 'fastify';
import type { Bodies } from './body/bodies.js';
import type { ApiDescription } from './openapi.js';

/** One API of the server: how to register it, and what the reference says about it. */
export interface Api extends ApiDescription {
  register(app: FastifyInstance, server: { readonly bodies: Bodies }): void;
}
