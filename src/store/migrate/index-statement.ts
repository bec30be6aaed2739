/** `create index <name> on <table> <definition>`. */
export interface IndexStatement {
  readonly name: string;
  readonly table: string;
  readonly isUnique: boolean;
  /** What follows the table: method, columns, condition. */
  readonly definition: string;
}

const CREATE_INDEX = /^create (unique )?index ([a-z_][a-z0-9_]*) on ([a-z_][a-z0-9_]*)\s*([\s\S]+)$/i;

/** The statements of a text with `--` comments; undefined where one of them is anything but `create index`. */
export function parseIndexStatements(text: string): readonly IndexStatement[] | undefined {
  const statements = text
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  const indexes: IndexStatement[] = [];
  for (const statement of statements) {
    const [, unique, name, table, definition] = CREATE_INDEX.exec(statement) ?? [];
    if (name === undefined || table === undefined || definition === undefined) return undefined;
    if (name.toLowerCase() === 'concurrently' || table.toLowerCase() === 'only') return undefined;
    indexes.push({ name, table, isUnique: unique !== undefined, definition });
  }
  return indexes.length === 0 ? undefined : indexes;
}

export function formatIndex(
  { name, table, isUnique, definition }: IndexStatement,
  how: 'concurrently' | 'only',
): string {
  const create = `create ${isUnique ? 'unique ' : ''}index`;
  return how === 'concurrently'
    ? `${create} concurrently if not exists ${name} on ${table} ${definition}`
    : `${create} if not exists ${name} on only ${table} ${definition}`;
}
