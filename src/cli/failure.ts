import { type ErrorCode, PostriderConnectionError, PostriderError } from '@postrider/client';
import { quoteForShell } from '../service/checkout.js';
import { explainSystemFault } from '../service/system-fault.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { type Advice, writeAdvice } from './spell-command.js';
import type { Terminal } from './terminal.js';

/** The command line is wrong, or something on this machine that it names. `next` says what to do about it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly next: Advice | undefined;

  constructor(message: string, next?: Advice) {
    super(message);
    this.next = next;
  }
}

/** Work that was interrupted. The error is printed first, then how to continue. */
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

const nextByCode: Record<ErrorCode, Advice | undefined> = {
  malformed_json: undefined,
  invalid_request: undefined,
  page_too_deep: 'Use --all, which walks any depth.',
  missing_credentials: (spell) =>
    `Add a profile (${spell('profile add --help')}) or set POSTRIDER_API_KEY and POSTRIDER_API_SECRET.`,
  timestamp_out_of_range: 'The clock of this machine is off by more than five minutes; set it right.',
  invalid_signature: (spell) =>
    `The key or token is unknown or revoked, or the secret is not the one that belongs to the key. What is in use: ${spell('profile list')}`,
  invalid_credentials: 'Sign in to the console again, or use a key or a token.',
  customer_suspended: (spell) => `An operator can lift it: ${spell('customer update CUSTOMER --status active')}`,
  ip_not_allowed: 'The credential may be used from other addresses only; an operator can make one that allows yours.',
  not_permitted: (spell) =>
    `The key lacks the scope or the token the role. An operator can make a key with other scopes. What a token may do: ${spell('operator me')}`,
  not_found: 'Check the number, and that it belongs to the customer whose credentials are in use.',
  method_not_allowed: 'The service and this command are of different versions.',
  not_acceptable: undefined,
  payload_too_large: 'Send fewer numbers in one request: --chunk 1000',
  unsupported_media_type: undefined,
  idempotency_conflict:
    'This request id was used before with other content. Send what was sent then, or choose a new --id for a new message.',
  invalid_stage: (spell) => `Look at where it stands: ${spell('task TASK')}`,
  insufficient_funds: (spell) =>
    [
      'An operator tops the account up, or raises the limit; a task that reserves its price by itself then continues automatically:',
      `  ${spell('topup CUSTOMER AMOUNT')}`,
      `  ${spell('customer update CUSTOMER --daily-limit AMOUNT')}`,
    ].join('\n'),
  already_exists: undefined,
  last_admin: 'Make another user of the customer admin first.',
  template_unavailable: (spell) => `Your templates: ${spell('templates')}`,
  service_account_unavailable: (spell) => `Your service accounts: ${spell('service-accounts')}`,
  firm_unavailable:
    'A carrier is usable when an active channel granted to the customer serves it and the template is approved for it.',
  rate_limited: 'Wait a moment and try again.',
  unavailable: 'Wait a moment and try again; an operator sees why at /readyz.',
};

function nextForProblem({ code, errors }: PostriderError): Advice | undefined {
  if (errors.some(({ pointer }) => /^\/(recipients\/\d+\/)?variable_values\b/.test(pointer))) {
    return 'Variables come from --var p1=TEXT, the same for all numbers, or from columns of a CSV that are called p1 to p18.';
  }
  return (nextByCode as Record<string, Advice | undefined>)[code];
}

/** What happened, why, and what to do next. */
export function describeFailure(error: unknown, terminal: Terminal): Failure {
  const write = (advice: Advice | undefined) => (advice === undefined ? undefined : writeAdvice(terminal, advice));
  if (error instanceof BrokenOffError) {
    const failure = describeFailure(error.cause, terminal);
    return { ...failure, next: failure.next === undefined ? error.advice : `${failure.next}\n${error.advice}` };
  }
  if (error instanceof UsageError) {
    return { what: error.message, details: [], next: write(error.next), exitCode: exitCodes.usage };
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
    const next = write(nextForProblem(error));
    return { what, details, next, exitCode: exitCodes.refused };
  }
  if (error instanceof PostriderConnectionError) {
    const { clientRequestId } = error;
    const next: Advice =
      clientRequestId === null
        ? 'Is the service running there? Start one with "npm start", or name another with --url or --profile.'
        : (spell) =>
            `Whether it was accepted is open. See: ${spell(`tasks --request-id ${quoteForShell(clientRequestId)}`)}`;
    return { what: `${error.message}.`, details: [], next: write(next), exitCode: exitCodes.unreachable };
  }
  // By its name: importing the class would load all that the configuration of a service needs.
  if (error instanceof Error && error.name === 'ConfigError') {
    return { what: error.message, details: [], next: undefined, exitCode: exitCodes.usage };
  }
  if (terminal.signal.aborted)
    return { what: 'Interrupted.', details: [], next: undefined, exitCode: exitCodes.interrupted };
  const what = explainSystemFault(error) ?? (error instanceof Error ? error.message : String(error));
  return { what, details: [], next: undefined, exitCode: exitCodes.failure };
}
