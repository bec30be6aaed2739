// Which failures of the database are passing ones. What is retried must be harmless when it had been committed after all.

import postgres from 'postgres';

const RETRYABLE_STATES = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '53300', // too_many_connections
]);

const CONNECTION_CODES = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
]);

/** The database is away, or will be: nothing was wrong with what was asked. */
export function isDatabaseAway(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && (CONNECTION_CODES.has(code) || code.startsWith('57P') || code.startsWith('08'));
}

export function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  return (code !== undefined && RETRYABLE_STATES.has(code)) || isDatabaseAway(error);
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof postgres.PostgresError) return error.code;
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return undefined;
}
