// Which errors of the database driver mean that the database cannot be reached now, and may be again soon.

const DRIVER_CODES: ReadonlySet<string> = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
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

/** SQLSTATE classes: connection exceptions, insufficient resources, operator intervention. */
const SERVER_CLASSES: ReadonlySet<string> = new Set(['08', '53', '57']);

/** A standby that was not promoted, and a conflict that outlived its retries: both pass. */
const SERVER_CODES: ReadonlySet<string> = new Set(['25006', '40001', '40P01']);

export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  const { code } = error;
  if (DRIVER_CODES.has(code)) return true;
  return code.length === 5 && (SERVER_CLASSES.has(code.slice(0, 2)) || SERVER_CODES.has(code));
}
