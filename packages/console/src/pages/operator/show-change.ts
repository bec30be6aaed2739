// What an entry of the audit log says was changed, in words.

interface Difference {
  readonly before: unknown;
  readonly after: unknown;
}

export function isDifference(value: unknown): value is Difference {
  return typeof value === 'object' && value !== null && 'before' in value && 'after' in value;
}

export function showValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(showValue).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** In one line: `status: active → suspended`. */
export function showChange(change: Readonly<Record<string, unknown>>): string {
  return Object.entries(change)
    .map(([name, value]) =>
      isDifference(value)
        ? `${name}: ${showValue(value.before)} → ${showValue(value.after)}`
        : `${name}: ${showValue(value)}`,
    )
    .join(' · ');
}
