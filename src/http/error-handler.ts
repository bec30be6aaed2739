// The one place where errors become answers. Nothing of an error that is not a Problem reaches the client.
//
// A fault of ours is answered 503 `unavailable` like an outage, not 500: the contract has one code for "not now, try
// again", and what differs (a stack to look into) is for the operator, who finds it in the log by the request id and in
// `postrider_http_internal_faults_total`. What a caller has to know is whether a write may have taken effect all the same:
// then the problem has the member `outcome`, and its detail says how to find out.

import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { errorText } from '../domain/fault/error-text.js';
import { StoppingError } from '../pipeline/fairness/customer-mutex.js';
import { BUSY_LOAD, createLoopLoad } from '../pipeline/fairness/loop-load.js';
import { isTransient } from '../store/retry.js';
import { ClientGone } from './body/raw-body.js';
import { notFound, Problem, sendProblem, unavailable } from './problem/problem.js';
import { describeUncertainty, FailedWrite } from './problem/uncertain-write.js';

/** How long an answer 429 waits while the event loop is busy. */
const REFUSAL_MS = 500;
/** So many wait at once. Further ones are answered at once: they count as requests in flight, whose number is limited. */
const MAX_REFUSALS = 100;

/** `load` is that of the event loop, between 0 and 1. */
export function createErrorHandler(onInternalFault: () => void, load = createLoopLoad()) {
  let refusals = 0;

  /** A caller that ignores `retry-after` asks again with the answer: on a busy loop its refusals would take the time of others. */
  const refuseLater = async (reply: FastifyReply, problem: Problem): Promise<FastifyReply> => {
    refusals += 1;
    await sleep(REFUSAL_MS);
    refusals -= 1;
    return sendProblem(reply, problem);
  };

  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply | Promise<FastifyReply> => {
    if (error instanceof ClientGone) {
      reply.hijack();
      reply.raw.destroy();
      return reply;
    }
    if (error instanceof Problem) {
      const isHeld = error.code === 'rate_limited' && refusals < MAX_REFUSALS && load() > BUSY_LOAD;
      return isHeld ? refuseLater(reply, error) : sendProblem(reply, error);
    }
    const refused = toProblem(error);
    if (refused !== undefined) return sendProblem(reply, refused);
    const fault = error instanceof FailedWrite ? error.cause : error;
    if (fault instanceof StoppingError) return sendProblem(reply, unavailable(errorText('stopping')));
    const uncertainty = error instanceof FailedWrite ? describeUncertainty(error) : undefined;
    if (isTransient(fault)) {
      request.log.warn({ err: fault, request_id: request.id }, 'the database is away');
      return sendProblem(reply, uncertainty ?? unavailable(errorText('database_away')));
    }
    onInternalFault();
    request.log.error({ err: fault, request_id: request.id, route: request.routeOptions.url }, 'a request failed');
    return sendProblem(reply, uncertainty ?? unavailable(errorText('request_failed')));
  };
}

/** What the framework itself refuses. */
function toProblem(error: unknown): Problem | undefined {
  if (!isFrameworkError(error)) return undefined;
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new Problem('unsupported_media_type', errorText('body_media_type'));
  }
  if (error.code === 'FST_ERR_BAD_URL' || error.code === 'FST_ERR_MAX_PARAM_LENGTH') return notFound();
  if (error.statusCode === undefined || error.statusCode >= 500) return undefined;
  return new Problem('invalid_request', errorText('not_http_here'));
}

function isFrameworkError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('FST_');
}
