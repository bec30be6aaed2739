// Every answer that is not a success, from one catalogue, in the shape of RFC 9457.

import type { FastifyReply } from 'fastify';
import { type ErrorKey, type ErrorParams, type ErrorText, errorText } from '../../domain/fault/error-text.js';
import { type Fault, MAX_FAULTS } from '../../domain/fault/fault.js';
import { showTo } from '../masking.js';

export const problemCatalogue = {
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_request: { status: 400, title: 'The request is invalid' },
  page_too_deep: { status: 400, title: 'The page is too deep' },
  missing_credentials: { status: 401, title: 'Credentials are missing or malformed' },
  timestamp_out_of_range: { status: 401, title: 'The timestamp is too far from the server clock' },
  invalid_signature: { status: 401, title: 'The key or the signature is not valid' },
  invalid_credentials: { status: 401, title: 'The sign-in or the session is not valid' },
  customer_suspended: { status: 403, title: 'The customer is suspended' },
  ip_not_allowed: { status: 403, title: 'This address is not allowed for the key' },
  not_permitted: { status: 403, title: 'No permission' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  not_acceptable: { status: 406, title: 'No response of that type is available' },
  idempotency_conflict: { status: 409, title: 'The client_request_id was used for a different payload' },
  invalid_stage: { status: 409, title: 'Not possible in this stage' },
  insufficient_funds: { status: 409, title: 'Insufficient funds' },
  already_exists: { status: 409, title: 'Already exists' },
  last_admin: { status: 409, title: 'The customer would have no admin left' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body must be application/json' },
  template_unavailable: { status: 422, title: 'The template is not available' },
  service_account_unavailable: { status: 422, title: 'The sender is not available' },
  firm_unavailable: { status: 422, title: 'A target carrier is not available' },
  rate_limited: { status: 429, title: 'Too many requests' },
  unavailable: { status: 503, title: 'The service is temporarily unavailable' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;

export type ProblemCode = keyof typeof problemCatalogue;

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

export interface ProblemOptions {
  readonly errors?: readonly Fault[];
  /** Further members of the problem document, such as `server_time`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown by handlers and hooks; the server's one error handler turns it into the answer. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** Which sentence the detail is, and what is filled in. */
  readonly key: ErrorKey;
  readonly params: ErrorParams;
  readonly errors: readonly Fault[] | undefined;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, { key, params, text }: ErrorText, options: ProblemOptions = {}) {
    super(text);
    const { status, title } = problemCatalogue[code];
    this.code = code;
    this.status = status;
    this.title = title;
    this.detail = text;
    this.key = key;
    this.params = params;
    this.errors = options.errors?.slice(0, MAX_FAULTS);
    this.extra = options.extra ?? {};
    this.headers = options.headers ?? {};
  }
}

/** The answer to a request with faults: all of them at once. Its detail shows the first one; their keys are with the faults. */
export function invalidRequest(faults: readonly Fault[]): Problem {
  const first = faults[0];
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  const place = first === undefined || first.pointer === '' ? '' : `${first.pointer}: `;
  const invalid = errorText('invalid_request');
  const detail = first === undefined ? invalid : { ...invalid, text: place + first.message + more };
  return new Problem('invalid_request', detail, { errors: faults });
}

/** One sentence for an unknown path and for a resource of someone else: the two must look the same. */
export function notFound(): Problem {
  return new Problem('not_found', errorText('not_found'));
}

export function unavailable(detail: ErrorText, retryAfterSeconds = 1): Problem {
  return new Problem('unavailable', detail, { headers: { 'retry-after': String(retryAfterSeconds) } });
}

/** The problem document. Members that the RFC defines cannot be overwritten by the extra ones. */
export function renderProblem(problem: Problem, requestId: string): Record<string, unknown> {
  return {
    ...problem.extra,
    type: `urn:postrider:problem:${problem.code}`,
    title: problem.title,
    status: problem.status,
    detail: problem.detail,
    code: problem.code,
    key: problem.key,
    params: problem.params,
    request_id: requestId,
    ...(problem.errors === undefined ? {} : { errors: problem.errors }),
  };
}

/** Headers that are set already stay: those of the customer's quota are of every answer. */
export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  const unset = Object.entries(problem.headers).filter(([name]) => !reply.hasHeader(name));
  return reply
    .code(problem.status)
    .headers(Object.fromEntries(unset))
    .header('content-type', PROBLEM_MEDIA_TYPE)
    .serializer(JSON.stringify)
    .send(showTo(reply.request, renderProblem(problem, reply.request.id)));
}
