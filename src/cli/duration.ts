import { UsageError } from './failure.js';

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `1500ms`, `30s`, `15m`, `72h`, `2d`. */
export function parseDurationMs(text: string, option: string): number {
  const [, amount, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const unitMs = unitsMs[unit ?? ''];
  if (amount === undefined || unitMs === undefined) {
    throw new UsageError(`--${option} takes a duration such as 30s, 15m or 24h, not "${text}".`);
  }
  return Number(amount) * unitMs;
}

/** A moment for a time filter: RFC 3339, a date (UTC), or how long ago. */
export function parseMoment(text: string, option: string, nowMs: number): Date {
  if (/^\d+(ms|s|m|h|d)$/.test(text)) return new Date(nowMs - parseDurationMs(text, option));
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) {
    throw new UsageError(
      `--${option} takes 2026-11-14, 2026-11-14T08:00:00Z or how long ago, such as 2h; not "${text}".`,
    );
  }
  return date;
}
