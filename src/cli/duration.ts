import { durationForms, parseDuration } from '../domain/duration.js';
import type { Invocation } from './command.js';
import { UsageError } from './failure.js';

export function parseDurationMs(text: string, option: string): number {
  const durationMs = parseDuration(text);
  if (durationMs === undefined) throw new UsageError(`--${option} takes ${durationForms}; not "${text}".`);
  return durationMs;
}

/** A moment for a time filter: RFC 3339 (local time without an offset), a date (UTC), or how long ago. */
export function parseMoment(text: string, option: string, nowMs: number): Date {
  if (/^\d+[a-z]+$/.test(text)) return new Date(nowMs - parseDurationMs(text, option));
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) {
    throw new UsageError(
      `--${option} takes 2026-11-14T08:00:00Z, 2026-11-14T08:00 (local time), 2026-11-14 (UTC) or how long ago, such as 2h; not "${text}".`,
    );
  }
  return date;
}

/** A moment to come, as the API takes it: RFC 3339 (local time without an offset), or how long from now. */
export function readLater(invocation: Pick<Invocation, 'text'>, option: string): string | undefined {
  const text = invocation.text(option);
  if (text === undefined) return undefined;
  const isFromNow = /^\d+[a-z]+$/.test(text);
  const date = isFromNow ? new Date(Date.now() + parseDurationMs(text, option)) : new Date(text);
  if (!Number.isNaN(date.getTime())) return date.toISOString();
  throw new UsageError(
    `--${option} takes 2026-11-15T09:00:00+08:00, 2026-11-15T09:00 (local time) or how long from now, such as 2h; not "${text}".`,
  );
}
