import { type ErrorCode, PostriderConnectionError, PostriderError } from '@postrider/client';
import { explainSystemFault } from '../service/system-fault.js';
import { type ExitCode, exitCodes } from './exit-codes.js';

/** The command line, or what it names on this machine, is wrong. `next` says what to do about it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly next: string | undefined;

  constructor(message: string, next?: string) {
    super(message);
    this.next = next;
  }
}

/** Work that broke off half-way. The failure is told first, then how to go on with the rest. */
export class BrokenOffError extends Error {
  override readonly name = 'BrokenOffError';
  readonly advice: string;

  constructor(cause: unknown, advice: string) {
    super('It broke off half-way.', { cause });
    this.advice = advice;
  }
}

export interface Failure {
  readonly what: string;
  readonly details: readonly string[];
  readonly next: string | undefined;
  readonly exitCode: ExitCode;
}

const nextByCode: Record<ErrorCode, string | undefined> = {
  malformed_json: undefined,
  invalid_request: undefined,
  page_too_deep: 'Use --all, which walks any depth.',
  missing_credentials:
    'Add a profile (postrider profile add --help) or set POSTRIDER_API_KEY and POSTRIDER_API_SECRET.',
  timestamp_out_of_range: 'The clock of this machine is off by more than five minutes; set it right.',
  invalid_signature:
    'The key or token is unknown or revoked, or the secret is not the one that belongs to the key. "postrider profile list" shows what is in use.',
  customer_suspended: 'An operator can lift it: postrider customer update CUSTOMER --status active',
  ip_not_allowed: 'The credential may be used from other addresses only; an operator can make one that allows yours.',
  not_permitted:
    'The key lacks the scope or the token the role: "postrider operator me" shows what a token may do; an operator can make a key with other scopes.',
  not_found: 'Check the number, and that it belongs to the customer whose credentials are in use.',
  method_not_allowed: 'The service and this command are of different versions.',
  not_acceptable: undefined,
  payload_too_large: 'Send fewer numbers in one request: --chunk 1000',
  unsupported_media_type: undefined,
  idempotency_conflict:
    'This request id was used before with other content. Send what was sent then, or choose a new --id for a new message.',
  invalid_stage: 'Look at where it stands: postrider task TASK',
  insufficient_funds:
    'Top the account up: postrider topup CUSTOMER AMOUNT; or raise the limit: postrider customer update CUSTOMER --daily-limit AMOUNT. A task that freezes by itself then goes on by itself.',
  already_exists: undefined,
  template_unavailable: 'Templates of a customer: postrider template list CUSTOMER',
  service_account_unavailable: 'Service accounts of a customer: postrider service-account list CUSTOMER',
  firm_unavailable:
    'A firm is usable when an active channel granted to the customer serves it and the template is approved for it.',
  rate_limited: 'Wait a moment and try again.',
  unavailable: 'Wait a moment and try again; an operator sees why at /readyz.',
};

function nextForProblem(error: PostriderError): string | undefined {
  return (nextByCode as Record<string, string | undefined>)[error.code];
}

/** What happened, why, and what to do next. */
export function describeFailure(error: unknown, signal: AbortSignal): Failure {
  if (error instanceof BrokenOffError) {
    const failure = describeFailure(error.cause, signal);
    return { ...failure, next: failure.next === undefined ? error.advice : `${failure.next}\n${error.advice}` };
  }
  if (error instanceof UsageError) {
    return { what: error.message, details: [], next: error.next, exitCode: exitCodes.usage };
  }
  if (error instanceof PostriderError) {
    // The detail of a problem with one fault often is that fault; a second time it says nothing.
    const isTold = ({ pointer, message }: { pointer: string; message: string }) =>
      error.detail?.includes(message) === true && error.detail.includes(pointer);
    const details = error.errors
      .filter((fault) => !isTold(fault))
      .map((fault) => `${fault.pointer || '(body)'}: ${fault.message} (${fault.code})`);
    if (error.requestId !== null) details.push(`request id ${error.requestId}`);
    const what = `The service answered ${error.status} ${error.code}: ${error.detail ?? error.title}`;
    return { what, details, next: nextForProblem(error), exitCode: exitCodes.refused };
  }
  if (error instanceof PostriderConnectionError) {
    const next =
      error.clientRequestId === null
        ? 'Is the service running there? Start one with "npm start", or name another with --url or --profile.'
        : `Whether it was accepted is open. See: postrider tasks --request-id ${error.clientRequestId}`;
    return { what: `${error.message}.`, details: [], next, exitCode: exitCodes.unreachable };
  }
  // By its name: importing the class would load all that the configuration of a service needs.
  if (error instanceof Error && error.name === 'ConfigError') {
    return { what: error.message, details: [], next: undefined, exitCode: exitCodes.usage };
  }
  if (signal.aborted) return { what: 'Interrupted.', details: [], next: undefined, exitCode: exitCodes.interrupted };
  const what = explainSystemFault(error) ?? (error instanceof Error ? error.message : String(error));
  return { what, details: [], next: undefined, exitCode: exitCodes.failure };
}
