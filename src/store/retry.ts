// Classifies errors of the database. What is retried must be idempotent: the failed attempt may have been committed.

import { PostgresError } from './driver/index.js';

/** The server cannot be reached. */
const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
  'CONNECTION_CLOSED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
]);

/** This process has closed its connections. */
const ENDED_CODES: ReadonlySet<string> = new Set(['CONNECTION_ENDED', 'CONNECTION_DESTROYED']);

const DISK_FULL = '53100';

const RETRYABLE_STATES: ReadonlySet<string> = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available
  DISK_FULL,
  '53300', // too_many_connections
]);

/** For the first connection: the server cannot be reached, is starting, or has no free connection. A wrong password is not among them. */
export function isUnavailableAtConnect(error: unknown): boolean {
  const code = codeOf(error);
  return UNREACHABLE_CODES.has(code) || isShuttingDown(code) || code === '53300';
}

/** The database is unreachable or shutting down. The statement itself was not at fault. */
export function isDatabaseAway(error: unknown): boolean {
  const code = codeOf(error);
  const isLost = UNREACHABLE_CODES.has(code) || ENDED_CODES.has(code) || isShuttingDown(code) || isOfClass(code, '08');
  return isLost || isCommitInDoubt(error);
}

/**
 * On a cluster: one machine did not answer, and others may. Only customers with rows there wait. Never on one PostgreSQL, which closes the
 * connection when it goes away.
 */
export function isMachineAway(error: unknown): boolean {
  return isDatabaseAway(error) && (isOfOtherMachine(error) || machineErrors.has(error as object));
}

/** The server answered, and reports that another machine of its cluster did not. */
export function isOfOtherMachine(error: unknown): boolean {
  return error instanceof PostgresError && error.severity === 'ERROR' && isDatabaseAway(error);
}

const machineErrors = new WeakSet<object>();

/** Has `isMachineAway` accept an error of the connection to one worker. */
export function noteMachineError(error: object): void {
  machineErrors.add(error);
}

export function isRetryable(error: unknown): boolean {
  return RETRYABLE_STATES.has(codeOf(error)) || isDatabaseAway(error);
}

/** Nothing can be written until an operator frees disk space. */
export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === DISK_FULL;
}

/** This process has closed its connections: no retry can succeed. */
export function isClosedHere(error: unknown): boolean {
  return ENDED_CODES.has(codeOf(error));
}

/**
 * The client should retry: all of the above, a server without resources, a statement that an operator cancelled, a standby that was not
 * promoted.
 */
export function isTransient(error: unknown): boolean {
  const code = codeOf(error);
  return isRetryable(error) || isOfClass(code, '53') || isOfClass(code, '57') || code === '25006';
}

/** No connection was made, so no statement was sent. */
const NOT_CONNECTED_CODES: ReadonlySet<string> = new Set([
  'CONNECT_TIMEOUT',
  'CONNECTION_ENDED',
  'ECONNREFUSED',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/**
 * The connection was lost when a statement may have been sent: the transaction may be committed although its answer is missing. A
 * statement that the server refused had no effect.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  return isDatabaseAway(error) && !NOT_CONNECTED_CODES.has(codeOf(error)) && codeOf(error) !== '57P03';
}

/** A lock timeout. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03';
}

/** PostgreSQL ended one of the transactions that waited for each other. */
export function isDeadlock(error: unknown): boolean {
  return codeOf(error) === '40P01';
}

/** A machine of a cluster was lost during its commit. Citus has no error code for it. */
function isCommitInDoubt(error: unknown): boolean {
  return error instanceof PostgresError && error.message.startsWith('could not commit transaction for shard');
}

/** admin_shutdown, crash_shutdown, cannot_connect_now and their like. */
function isShuttingDown(code: string): boolean {
  return code.length === 5 && code.startsWith('57P');
}

function isOfClass(code: string, sqlStateClass: string): boolean {
  return code.length === 5 && code.startsWith(sqlStateClass);
}

/** A code of the driver, of the system, or a SQLSTATE; empty for anything else. */
function codeOf(error: unknown): string {
  if (error instanceof PostgresError) return error.code;
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
