import { readSecret } from './access/secret-input.js';
import type { Invocation, OptionSpec } from './command.js';
import { UsageError } from './failure.js';

/** An option that becomes a field of a request body. */
interface BodyField extends OptionSpec {
  /** As the wire spells it; a dot reaches into an object: `policy.submit`. */
  readonly field: string;
  readonly as: 'text' | 'words' | 'whole number' | 'flag' | 'json' | 'secret';
  /** The word `none` takes the value away. */
  readonly isNullable?: boolean;
}

export type BodyFields = Readonly<Record<string, BodyField>>;

async function readValue(invocation: Invocation, name: string, { as, isNullable }: BodyField): Promise<unknown> {
  if (isNullable && isNone(invocation, name)) return null;
  switch (as) {
    case 'text':
      return invocation.text(name);
    case 'words':
      return invocation.words(name);
    case 'whole number':
      return invocation.wholeNumber(name);
    case 'flag':
      return invocation.choice(name);
    case 'json':
      return parseJson(invocation.text(name), name);
    case 'secret':
      // A flag, because a command line is visible to other users of the machine and stays in the shell history.
      return invocation.flag(name) ? await readSecret(invocation.terminal, `${name}: `) : undefined;
  }
}

function isNone(invocation: Invocation, name: string): boolean {
  return (
    invocation.text(name) === 'none' || (invocation.list(name).length === 1 && invocation.list(name)[0] === 'none')
  );
}

function parseJson(text: string | undefined, name: string): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--${name} takes JSON, not ${text}`, `For example: --${name} '{"receipt_ms":500}'`);
  }
}

/** The fields that were given, and no others: what is left out keeps its default or its present value. */
export async function readBody(invocation: Invocation, fields: BodyFields): Promise<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const [name, described] of Object.entries(fields)) {
    const { field } = described;
    const value = await readValue(invocation, name, described);
    if (value === undefined) continue;
    const [outer = '', inner] = field.split('.');
    if (inner === undefined) body[outer] = value;
    else body[outer] = { ...(body[outer] as object | undefined), [inner]: value };
  }
  return body;
}
