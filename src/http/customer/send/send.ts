// POST /openapi/v1/messages/send/: creates a task from a signed request.

import type { CustomerConfig } from '../../../domain/entities/customer.js';
import { type ErrorText, errorText } from '../../../domain/fault/error-text.js';
import type { SendRequest } from '../../../domain/request/send-request.js';
import { SendRequestSchema } from '../../../domain/request/send-request-schema.js';
import { addSenderSignature } from '../../../domain/rules/signature.js';
import type { AcceptResult } from '../../../pipeline/accept/accept.js';
import { createWaitingLimits, type WaitingLimits } from '../../../pipeline/accept/waiting-limits.js';
import { readWaitingVolume } from '../../../store/task/waiting-volume.js';
import { examples } from '../../examples.js';
import { Problem } from '../../problem/problem.js';
import { rateLimited } from '../../problem/rate-limited.js';
import type { Route } from '../../route.js';
import type { CustomerCall } from '../access/admit.js';
import type { CustomerDeps } from '../deps.js';
import { requestKeyOf } from '../request-key.js';
import { TaskSchema } from '../schemas/task.js';
import { renderTask } from '../task-view.js';
import { readRequest } from './read-request.js';
import { resolveRequest } from './resolve-request.js';

export function sendRoute(deps: CustomerDeps): Route<CustomerCall> {
  const waitingLimits = createWaitingLimits({
    measure: (tenant) => readWaitingVolume(deps.readers, tenant),
    monotonicNow: deps.monotonicNow,
    processes: deps.processes,
  });
  const sendDeps: SendDeps = { ...deps, waitingLimits };
  return {
    method: 'POST',
    path: '/openapi/v1/messages/send/',
    name: 'sendMessages',
    tag: 'Messages',
    summary: 'Create a message task',
    description:
      'An acceptance only: it implies neither delivery nor charging. Repeating a request under the same `client_request_id` returns the original task; after a network failure, repeat it or look it up, and never send it under a new id.',
    body: { schema: SendRequestSchema, example: examples.sendRequest },
    answer: {
      status: 200,
      description: 'The task as it now stands.',
      schema: TaskSchema,
      example: examples.task,
      headers: { 'Idempotent-Replayed': '`true` when the task existed before this request.' },
    },
    problems: ['idempotency_conflict', 'template_unavailable', 'service_account_unavailable', 'firm_unavailable'],
    handle: (call) => send(sendDeps, call),
    adviseOnLostAnswer: ({ body }) => adviseLookUp(body),
  };
}

/** The body is valid here: no statement runs before the validation, so no answer is lost before it. */
function adviseLookUp(body: unknown): ErrorText {
  const { client_request_id: id } = body as { readonly client_request_id?: string };
  return id === undefined
    ? errorText('send_outcome_unknown')
    : errorText('named_send_outcome_unknown', { id: encodeURIComponent(id) });
}

interface SendDeps extends CustomerDeps {
  readonly waitingLimits: WaitingLimits;
}

async function send(deps: SendDeps, call: CustomerCall) {
  const { rawBody, customer, signature, reply } = call;
  const request = await readRequest(deps, call);
  const requestKey = requestKeyOf(request.clientRequestId, signature);
  const result = await acceptOrReplay(deps, customer, request, {
    requestKey,
    bodyBytes: rawBody.length,
    traceparent: traceparentOf(call),
  });
  if (result.kind === 'conflict') {
    throw new Problem('idempotency_conflict', errorText('different_payload'));
  }
  if (result.kind === 'replayed') reply.header('idempotent-replayed', 'true');
  return renderTask(result.task, deps.snapshot.current());
}

interface SendOrigin {
  readonly requestKey: string;
  readonly bodyBytes: number;
  readonly traceparent: string | undefined;
}

function traceparentOf({ request: { headers } }: CustomerCall): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === 'string' ? traceparent : undefined;
}

/** Accepts the request, or returns the task of the request that it repeats. */
async function acceptOrReplay(
  deps: SendDeps,
  customer: CustomerConfig,
  request: SendRequest,
  { requestKey, bodyBytes, traceparent }: SendOrigin,
): Promise<AcceptResult> {
  const { bucket, customerId } = customer;
  const replayOrThrow = async (problem: Problem): Promise<AcceptResult> => {
    // A repeated request returns its task even if the template was disabled or the times of the request passed since.
    const replay = await deps.acceptor.findReplay(customer, requestKey, request);
    if (replay === undefined) throw problem;
    return replay;
  };
  const resolved = await resolveRequest(deps, customer, request);
  if (resolved instanceof Problem) return await replayOrThrow(resolved);
  const exceeded = await checkWaiting(deps, customer, request, bodyBytes);
  if (exceeded !== undefined) return await replayOrThrow(exceeded);
  return await deps.acceptor.accept({
    bucket,
    customerId,
    requestKey,
    request,
    templateId: resolved.template.templateId,
    serviceAccountId: resolved.serviceAccount.serviceAccountId,
    serviceAccountNo: resolved.serviceAccount.serviceAccountNo,
    accountDefaulted: request.serviceAccountNo === undefined,
    body: addSenderSignature(resolved.template.body, resolved.serviceAccount),
    traceparent,
  });
}

/**
 * Counts this request among what the customer has waiting to be sent, or returns a problem if it would exceed a limit. Called last before
 * the acceptance, because it counts.
 */
async function checkWaiting(
  { waitingLimits }: SendDeps,
  customer: CustomerConfig,
  request: SendRequest,
  bytes: number,
): Promise<Problem | undefined> {
  const exceeded = await waitingLimits.admit(customer, { numbers: request.phones.length, bytes });
  if (exceeded === undefined) return undefined;
  const quota = { name: `waiting ${exceeded.what}`, count: exceeded.limit };
  return rateLimited(errorText(`too_many_${exceeded.what}_waiting`, { max: exceeded.limit }), quota, 60);
}
