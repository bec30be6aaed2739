// A JSON value as it is written in other languages.

interface Spelling {
  readonly open: readonly [object: string, array: string];
  readonly close: readonly [object: string, array: string];
  readonly key: (name: string) => string;
  readonly text: (text: string) => string;
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>;
  /** After the last member. */
  readonly trailing: string;
}

const quoteSingle = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const JSON_WORDS = { true: 'true', false: 'false', null: 'null' };

export const TYPESCRIPT: Spelling = {
  open: ['{', '['],
  close: ['}', ']'],
  key: (name) => `${/^[A-Za-z_]\w*$/.test(name) ? name : quoteSingle(name)}: `,
  text: quoteSingle,
  words: JSON_WORDS,
  trailing: ',',
};

export const PYTHON: Spelling = {
  open: ['{', '['],
  close: ['}', ']'],
  key: (name) => `${JSON.stringify(name)}: `,
  text: (text) => JSON.stringify(text),
  words: { true: 'True', false: 'False', null: 'None' },
  trailing: ',',
};

export const PHP: Spelling = {
  open: ['[', '['],
  close: [']', ']'],
  key: (name) => `${quoteSingle(name)} => `,
  text: quoteSingle,
  words: JSON_WORDS,
  trailing: ',',
};

export function writeLiteral(value: unknown, spelling: Spelling, indent = ''): string {
  if (typeof value === 'string') return spelling.text(value);
  if (typeof value === 'number') return String(value);
  if (value === true || value === false || value === null) return spelling.words[`${value}`];
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => writeLiteral(item, spelling, inner));
    return wrap(items, [spelling.open[1], spelling.close[1]], spelling.trailing, indent);
  }
  const members = Object.entries(value as object).map(
    ([name, member]) => spelling.key(name) + writeLiteral(member, spelling, inner),
  );
  return wrap(members, [spelling.open[0], spelling.close[0]], spelling.trailing, indent);
}

/** On one line where it is short, as people write it. */
const MAX_LINE_CHARACTERS = 60;

export function writeJson(value: unknown, indent = ''): string {
  return writeLiteral(value, { ...PYTHON, words: JSON_WORDS, trailing: '' }, indent);
}

function wrap(
  parts: readonly string[],
  [open, close]: readonly [string, string],
  trailing: string,
  indent: string,
): string {
  const line = open === '{' ? `{ ${parts.join(', ')} }` : `${open}${parts.join(', ')}${close}`;
  if (parts.length === 0) return open + close;
  if (parts.every((part) => !part.includes('\n')) && line.length <= MAX_LINE_CHARACTERS) return line;
  const inner = `${indent}  `;
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}${trailing}\n${indent}${close}`;
}
