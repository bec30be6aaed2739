// The one place where errors become answers. Nothing of an error that is not a Problem reaches the client.
//
// A fault of ours is answered 503 `unavailable` like an outage, not 500: the contract has one code for "not now, try
// again", trying again is safe for every operation, and what differs (a stack to look into) is for the operator, who
// finds it in the log by the request id and in `postrider_http_internal_faults_total`.

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isPassing } from '../store/retry.js';
import { notFound, Problem, sendProblem, unavailable } from './problem.js';
import { ClientGone } from './raw-body.js';

export function makeErrorHandler(onInternalFault: () => void) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (error instanceof ClientGone) {
      reply.hijack();
      reply.raw.destroy();
      return reply;
    }
    if (error instanceof Problem) return sendProblem(reply, error);
    const refused = toProblem(error);
    if (refused !== undefined) return sendProblem(reply, refused);
    if (isPassing(error)) {
      request.log.warn({ err: error, request_id: request.id }, 'the database is away');
      return sendProblem(reply, unavailable('The database cannot be reached for the moment. Try again.'));
    }
    onInternalFault();
    request.log.error({ err: error, request_id: request.id, route: request.routeOptions.url }, 'a request failed');
    return sendProblem(reply, unavailable('The request could not be handled. Nothing was done; try again.'));
  };
}

/** What the framework itself refuses. */
function toProblem(error: unknown): Problem | undefined {
  if (!isFrameworkError(error)) return undefined;
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new Problem('unsupported_media_type', 'Send the body as application/json.');
  }
  if (error.code === 'FST_ERR_BAD_URL' || error.code === 'FST_ERR_MAX_PARAM_LENGTH') return notFound();
  if (error.statusCode === undefined || error.statusCode >= 500) return undefined;
  return new Problem('invalid_request', 'The request is not valid HTTP for this operation.');
}

function isFrameworkError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('FST_');
}
