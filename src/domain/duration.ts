const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** How a duration is written, for the end of a sentence that asks for one. */
export const durationForms = 'a duration above zero, like 1500ms, 30s, 15m, 72h or 3d';

/** `1500ms`, `30s`, `15m`, `72h` or `3d`, wherever a duration is written; undefined for anything else, and for nothing at all. */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const durationMs = Number(digits) * (unitsMs[unit ?? ''] ?? Number.NaN);
  return durationMs > 0 ? durationMs : undefined;
}
