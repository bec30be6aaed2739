// Replaces the tables in the text of a statement by the shards of a bucket, so that PostgreSQL plans it alone. The planner of the cluster
// takes part only if a statement names a table of the cluster.

import { DISTRIBUTED, ON_COORDINATOR, REFERENCE } from './tables.js';

/** By table. */
export type ShardNames = ReadonlyMap<string, string>;

const TABLES_WITHOUT_SHARDS: ReadonlySet<string> = new Set([...REFERENCE, ...ON_COORDINATOR]);
const CLUSTER_TABLES: ReadonlySet<string> = new Set([...DISTRIBUTED, ...TABLES_WITHOUT_SHARDS]);

/** Strings, comments, quoted names, parameters, words, and single other characters. */
const TOKEN = /'(?:[^']|'')*'|--[^\n]*|"(?:[^"]|"")*"|\$\d+|[a-z_][a-z0-9_$]*|[^\s]/giy;
const SPACE = /\s*/y;
const NAME = /^"?[a-z_]/i;

/** A table follows. */
const BEFORE_TABLE: ReadonlySet<string> = new Set(['from', 'join', 'update', 'into', 'using']);
/** Ends a list of tables. */
const AFTER_TABLES: ReadonlySet<string> = new Set([
  'where',
  'set',
  'group',
  'having',
  'order',
  'limit',
  'offset',
  'for',
  'returning',
  'union',
  'except',
  'intersect',
  'select',
  'values',
  'window',
]);
/** May stand behind a table that has no other name. */
const NO_ALIAS: ReadonlySet<string> = new Set([
  ...AFTER_TABLES,
  ...['on', 'join', 'left', 'right', 'inner', 'outer', 'full', 'cross', 'natural', 'using', 'default', 'overriding'],
]);

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Undefined if the cluster has to plan the statement: it names no table with shards, or also one without, such as those of the
 * configuration.
 */
export function nameShards(text: string, shards: ShardNames): string | undefined {
  const tokens = tokenize(text);
  const own = findNamesOfWith(tokens);
  let result = '';
  let copied = 0;
  for (const at of findTables(tokens)) {
    const token = tokens[at] as Token;
    const { start, end } = token;
    const name = nameOf(token);
    if (own.has(name)) continue;
    const shard = shards.get(name);
    if (shard === undefined) {
      if (CLUSTER_TABLES.has(name)) return undefined;
      continue;
    }
    // Columns and locks go on naming the table.
    result += `${text.slice(copied, start)}${shard}${isAlias(tokens[at + 1]) ? '' : ` as ${name}`}`;
    copied = end;
  }
  return copied === 0 ? undefined : result + text.slice(copied);
}

/** How a statement uses the tables that it names. */
export interface StatementKind {
  /** It writes and locks nothing. */
  readonly isRead: boolean;
  /** It writes a table that no bucket has a shard of. */
  readonly writesWithoutShards: boolean;
}

const WRITES: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'merge', 'share', 'lock', 'set', 'notify']);
const kinds = new Map<string, StatementKind>();

/** Texts are few: they differ in their parameters only. */
export function kindOf(text: string): StatementKind {
  const known = kinds.get(text);
  if (known !== undefined) return known;
  const tokens = tokenize(text);
  const isWritten = (at: number): boolean => {
    const [last, beforeLast] = [tokens[at - 1]?.text, tokens[at - 2]?.text];
    return last === 'into' || last === 'update' || (beforeLast === 'delete' && last === 'from');
  };
  const isQuery = ['select', 'with'].includes(tokens[0]?.text ?? '');
  const kind = {
    isRead: isQuery && !tokens.some((token) => WRITES.has(token.text)),
    writesWithoutShards: [...findTables(tokens)].some(
      (at) => TABLES_WITHOUT_SHARDS.has(nameOf(tokens[at] as Token)) && isWritten(at),
    ),
  };
  kinds.set(text, kind);
  return kind;
}

function nameOf({ text }: Token): string {
  return text.replaceAll('"', '');
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, TOKEN.lastIndex)) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text)?.[0] ?? '';
    if (found.startsWith('--')) continue;
    tokens.push({ text: found, start: at, end: at + found.length });
  }
  return tokens;
}

function skipSpace(text: string, from: number): number {
  SPACE.lastIndex = from;
  SPACE.exec(text);
  return SPACE.lastIndex;
}

/** `name as (`, also with columns, and with `materialized`. */
function findNamesOfWith(tokens: readonly Token[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [at, { text }] of tokens.entries()) {
    if (text !== 'as' || !['(', 'materialized', 'not'].includes(tokens[at + 1]?.text ?? '')) continue;
    names.add(tokens[at - 1]?.text ?? '');
  }
  return names;
}

/** The places of the names that stand where a table does. */
function* findTables(tokens: readonly Token[]): Iterable<number> {
  /** For each open parenthesis, whether a comma is followed by another table. */
  const lists = [false];
  let isNext = false;
  for (const [at, { text }] of tokens.entries()) {
    const depth = lists.length - 1;
    const isTable = isNext && NAME.test(text);
    isNext = false;
    if (text === '(') lists.push(false);
    else if (text === ')') lists.pop();
    else if (text === ',') isNext = lists[depth] === true;
    else if (BEFORE_TABLE.has(text)) {
      isNext = true;
      lists[depth] = text === 'from' || text === 'using' || lists[depth] === true;
    } else if (AFTER_TABLES.has(text)) lists[depth] = false;
    // `is distinct from task.state` names a column.
    else if (isTable && tokens[at + 1]?.text !== '.') yield at;
  }
}

function isAlias(token: Token | undefined): boolean {
  return token !== undefined && NAME.test(token.text) && !NO_ALIAS.has(token.text);
}
