// A secret of the environment that is being replaced: `new,old`. The new one is used, both are accepted.

/** The shortest secret key and root token. */
const MIN_SECRET_LENGTH = 16;

/**
 * The secret in use, and the one that it replaces where there is one. A comma within a secret, with less than a whole secret on one
 * side of it, belongs to the secret.
 */
export function splitRotation(text: string): readonly [current: string, old?: string] {
  const [current = '', old, ...more] = text.split(',').map((secret) => secret.trim());
  const isTwo = old !== undefined && more.length === 0 && current !== old;
  const areWhole = current.length >= MIN_SECRET_LENGTH && (old?.length ?? 0) >= MIN_SECRET_LENGTH;
  return isTwo && areWhole ? [current, old] : [text];
}
