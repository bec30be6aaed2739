// JSON from outside: parsed without losing the digits of long ids, and read by JSON pointers (RFC 6901).

const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/s;
/** Strings, so that what is in them stays as it is, and whole numbers that a double cannot hold. */
const STRING_OR_LONG_INTEGER = /"(?:\\.|[^"\\])*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/gs;

const LONG_INTEGER = /\d{16}/;

/** Undefined when the text is not JSON. Whole numbers of 16 digits and more become strings. */
export function parseJson(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    // Only JSON that is known to be valid is searched: on other text the expression could take quadratic time.
    if (!LONG_INTEGER.test(text)) return parsed;
    return JSON.parse(text.replace(STRING_OR_LONG_INTEGER, (token) => (token.startsWith('"') ? token : `"${token}"`)));
  } catch {
    return undefined;
  }
}

export function isPointer(text: string): boolean {
  return POINTER.test(text);
}

/** Own members only; undefined where there is none. */
export function resolvePointer(value: unknown, pointer: string): unknown {
  let found = value;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null) return undefined;
    if (Array.isArray(found) && !/^(?:0|[1-9]\d{0,5})$/.test(name)) return undefined;
    if (!Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

/** The text of a scalar; undefined for everything else and where there is nothing. */
export function readScalar(value: unknown, pointer: string): string | undefined {
  const found = resolvePointer(value, pointer);
  if (typeof found === 'string') return found;
  return typeof found === 'number' || typeof found === 'boolean' ? String(found) : undefined;
}

/** A form or a query as an object; the first value of a repeated name counts. */
export function parseForm(text: string): Record<string, string> {
  const fields: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) fields[name] ??= value;
  return fields;
}
