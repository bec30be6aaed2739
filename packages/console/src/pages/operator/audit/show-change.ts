// What an entry of the audit log says was changed, in words.

interface Difference {
  readonly before: unknown;
  readonly after: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** How a moment is shown; as it came where nothing else is said. */
type ShowMoment = (at: string) => string;

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

export function isMoment(value: unknown): value is string {
  return typeof value === 'string' && MOMENT.test(value);
}

export function isDifference(value: unknown): value is Difference {
  return typeof value === 'object' && value !== null && 'before' in value && 'after' in value;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}

/** The fields of an object one by one, named as in the body of a call; of one that was changed those that differ. */
export function spreadChange(change: Fields): [string, unknown][] {
  return Object.entries(change).flatMap(([name, value]) => spread(name, value));
}

function spread(name: string, value: unknown): [string, unknown][] {
  const fields = isDifference(value) ? findDifferences(value) : value;
  if (!isFields(fields)) return [[name, value]];
  return Object.entries(fields).flatMap(([inner, one]) => spread(`${name}.${inner}`, one));
}

function findDifferences({ before, after }: Difference): unknown {
  const [old, fresh] = [before ?? {}, after ?? {}];
  // Lists and words are shown as a whole.
  if (![old, fresh].every((side) => typeof side === 'object' && !Array.isArray(side))) return undefined;
  const pairs = [...new Set([...Object.keys(old), ...Object.keys(fresh)])].map((name): [string, Difference] => [
    name,
    { before: (old as Fields)[name], after: (fresh as Fields)[name] },
  ]);
  return Object.fromEntries(pairs.filter(([, one]) => JSON.stringify(one.before) !== JSON.stringify(one.after)));
}

export function showValue(value: unknown, showMoment: ShowMoment = String): string {
  if (value === null || value === undefined || value === '') return '–';
  if (isMoment(value)) return showMoment(value);
  if (Array.isArray(value)) {
    const separator = value.some(isFields) ? '; ' : ', ';
    return value.length === 0 ? '–' : value.map((one) => showValue(one, showMoment)).join(separator);
  }
  if (typeof value !== 'object') return String(value);
  const fields = Object.entries(value).map(([name, one]) => `${name}: ${showValue(one, showMoment)}`);
  return fields.length === 0 ? '–' : fields.join(', ');
}

/** In one line: `status: active → suspended`. */
export function showChange(change: Fields, showMoment?: ShowMoment, nameField = (name: string) => name): string {
  return spreadChange(change)
    .map(([field, value]): [string, unknown] => [nameField(field), value])
    .map(([name, value]) =>
      isDifference(value)
        ? `${name}: ${showValue(value.before, showMoment)} → ${showValue(value.after, showMoment)}`
        : `${name}: ${showValue(value, showMoment)}`,
    )
    .join(' · ');
}
