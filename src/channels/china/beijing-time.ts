// The carriers of mainland China write every time in Beijing time (UTC+8, no daylight saving), whatever the host's zone is.

const OFFSET_MS = 8 * 3_600_000;

/** YYYYMMDDhhmmss. */
function formatDigits(atMs: number): string {
  return new Date(atMs + OFFSET_MS).toISOString().replace(/\D/g, '').slice(0, 14);
}

/** The timestamp of a login, `MMDDHHMMSS` in ten digits. On the wire it is an integer, in the hash it is this text. */
export function formatLoginTime(atMs: number): string {
  return formatDigits(atMs).slice(4);
}

/** The ten digits of a login timestamp that came as an integer: January to September have nine. */
export function spellLoginTime(timestamp: number): string {
  return String(timestamp).padStart(10, '0');
}

/** `YYMMDDhhmmss032+`, 16 characters: tenths of a second, quarters of an hour from UTC, and the sign. */
export function formatValidity(until: Date): string {
  return `${formatDigits(until.getTime()).slice(2)}032+`;
}

/** `YYMMDDHHMM`, as reports write it. */
export function formatReportTime(atMs: number): string {
  return formatDigits(atMs).slice(2, 12);
}

/** `YYYYMMDDHHMMSS`. */
export function formatReceiveTime(atMs: number): string {
  return formatDigits(atMs);
}

/** Reads `YYMMDDHHMM`. Undefined when it is no time: gateways that do not know one send zeros or 1 January 2000. */
export function parseReportTime(digits: string): Date | undefined {
  if (!/^\d{10}$/.test(digits) || digits.startsWith('00')) return undefined;
  const two = (index: number) => Number(digits.slice(index * 2, index * 2 + 2));
  const localMs = Date.UTC(2000 + two(0), two(1) - 1, two(2), two(3), two(4));
  const at = new Date(localMs - OFFSET_MS);
  // A month 13 or a 31 June moves on to another date, and then the digits differ.
  return formatReportTime(at.getTime()) === digits ? at : undefined;
}
