import type { ErrorKey } from './wire/error-keys.generated.js';
import type { ErrorCode, ErrorParams, Fault } from './wire/wire.generated.js';

/** A code of ours, or one that a later server has added. */
export type ProblemCode = ErrorCode | (string & {});
export type ProblemKey = ErrorKey | (string & {});

interface ProblemFields {
  readonly status: number;
  readonly code: ProblemCode;
  readonly title: string;
  readonly detail: string | null;
  readonly key: ProblemKey;
  readonly params: ErrorParams;
  readonly requestId: string | null;
  readonly errors: readonly Fault[];
  readonly retryAfterMs: number | null;
  readonly serverTimeMs: number | null;
  readonly fromService: boolean;
  readonly isOutcomeUnknown: boolean;
}

/**
 * The service answered, and the answer was a problem (RFC 9457). Nothing was stored, reserved or sent, unless
 * `isOutcomeUnknown` says that this is not certain.
 */
export class PostriderError extends Error {
  override readonly name = 'PostriderError';
  readonly status: number;
  readonly code: ProblemCode;
  readonly title: string;
  readonly detail: string | null;
  /** Which sentence `detail` is, and what is filled in: translate by it. Where there are `errors`, they have their own. */
  readonly key: ProblemKey;
  readonly params: ErrorParams;
  /** Name it when you ask for help: it is in the logs of the service. */
  readonly requestId: string | null;
  /** What was wrong with the request, at most 20 faults. */
  readonly errors: readonly Fault[];
  readonly retryAfterMs: number | null;
  /** The clock of the service, with `timestamp_out_of_range`. */
  readonly serverTimeMs: number | null;
  /** False when something between us and the service answered in its place, such as a proxy: then nothing is certain. */
  readonly fromService: boolean;
  /** The service lost its database before it learned whether the request was carried out. `detail` says how to find out. */
  readonly isOutcomeUnknown: boolean;

  constructor(fields: ProblemFields) {
    super(describe(fields));
    this.status = fields.status;
    this.code = fields.code;
    this.title = fields.title;
    this.detail = fields.detail;
    this.key = fields.key;
    this.params = fields.params;
    this.requestId = fields.requestId;
    this.errors = fields.errors;
    this.retryAfterMs = fields.retryAfterMs;
    this.serverTimeMs = fields.serverTimeMs;
    this.fromService = fields.fromService;
    this.isOutcomeUnknown = fields.isOutcomeUnknown;
  }
}

function describe(fields: ProblemFields): string {
  const faults = fields.errors.map((fault) => `\n  ${fault.pointer || '(body)'}: ${fault.message}`).join('');
  const request = fields.requestId === null ? '' : ` [request ${fields.requestId}]`;
  return `${fields.status} ${fields.code}: ${fields.detail ?? fields.title}${request}${faults}`;
}

export type ConnectionFailure =
  /** No connection could be made: the request certainly never arrived. */
  | 'unreachable'
  /** The connection broke: the request may have arrived. */
  | 'broken'
  /** No answer in time: the request may have arrived. */
  | 'timeout'
  /** An answer came that is not of this API: the base URL is probably wrong. */
  | 'unreadable';

/**
 * No usable answer came. For a send that may have arrived all the same, `clientRequestId` is what to ask the task list for before
 * anything is sent again; it is null where nothing arrived.
 */
export class PostriderConnectionError extends Error {
  override readonly name = 'PostriderConnectionError';
  readonly reason: ConnectionFailure;
  readonly clientRequestId: string | null;

  constructor(reason: ConnectionFailure, message: string, cause: unknown, clientRequestId: string | null = null) {
    super(message, { cause });
    this.reason = reason;
    this.clientRequestId = clientRequestId;
  }
}

/** Codes with which Node says that no connection was made at all. Browsers do not say, and are taken to have connected. */
const unreachableCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function readCauseCode(error: unknown): string | null {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : null;
}

/** A call that ended without an answer. */
export function describeBreak(error: unknown, origin: string): PostriderConnectionError {
  const code = readCauseCode(error);
  if (code !== null && unreachableCodes.has(code)) {
    return new PostriderConnectionError('unreachable', `Cannot reach ${origin} (${code})`, error);
  }
  return new PostriderConnectionError('broken', `The connection to ${origin} broke (${code ?? String(error)})`, error);
}

function readText(body: Record<string, unknown>, key: string): string | null {
  const value = body[key];
  return typeof value === 'string' ? value : null;
}

function readParams(value: unknown): ErrorParams {
  return typeof value === 'object' && value !== null ? (value as ErrorParams) : {};
}

/** `Retry-After` in seconds or as an HTTP date, in milliseconds from now. */
function parseRetryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const seconds = Number(header);
  if (header.trim() !== '' && Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}

function parseServerTimeMs(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return null;
  const time = /^\d+$/.test(value) ? Number(value) : Date.parse(value);
  return Number.isNaN(time) ? null : time;
}

/** Reads any answer that is not a success, whether it speaks `problem+json` or not. */
export function readProblem(response: Response, text: string, nowMs: number): PostriderError {
  let body: Record<string, unknown> = {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null) body = parsed as Record<string, unknown>;
  } catch {
    // A proxy's page; the status alone has to do.
  }
  const code = readText(body, 'code');
  return new PostriderError({
    status: response.status,
    code: code ?? 'unexpected_answer',
    title: readText(body, 'title') ?? `HTTP ${response.status}`,
    detail: readText(body, 'detail'),
    key: readText(body, 'key') ?? 'unexpected_answer',
    params: readParams(body.params),
    requestId: readText(body, 'request_id') ?? response.headers.get('x-request-id'),
    errors: Array.isArray(body.errors) ? (body.errors as Fault[]) : [],
    retryAfterMs: parseRetryAfterMs(response.headers.get('retry-after'), nowMs),
    serverTimeMs: parseServerTimeMs(body.server_time),
    fromService: code !== null,
    isOutcomeUnknown: body.outcome === 'unknown',
  });
}
