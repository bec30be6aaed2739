// What a list query asks for. Each list declares its filters once, as schemas: the same ones check the request here and
// describe it in the API reference.

import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { errorText } from '../../domain/fault/error-text.js';
import type { Fault } from '../../domain/fault/fault.js';
import { type ListPosition, type ListResult, MAX_COUNTED_ROWS } from '../../store/list.js';
import { invalidRequest, Problem } from '../problem/problem.js';
import type { Cursors } from './cursor.js';
import { parameterFault, parseQueryString } from './query-string.js';
import { parseTimeMs } from './time-parameter.js';

const DEFAULT_PAGE_SIZE = 20;
const MAX_PAGE_SIZE = 100;

export type FilterSchemas = Readonly<Record<string, TSchema>>;

export interface ListDefinition<Filters extends FilterSchemas, Needed extends keyof Filters = never> {
  /** One word without spaces; cursors carry it. */
  readonly name: string;
  /** Whether `start_at` and `end_at` apply. */
  readonly timed: boolean;
  readonly filters: Filters;
  /** Those that the list cannot do without. */
  readonly needed?: readonly Needed[];
  /** Whether a text can be a key of this list; ids unless said otherwise. */
  readonly isKey?: (text: string) => boolean;
}

export interface ListQuery<Filters extends FilterSchemas, Needed extends keyof Filters = never> {
  readonly position: ListPosition;
  /** Inclusive, milliseconds since the epoch. */
  readonly startMs: number | undefined;
  /** Exclusive. */
  readonly endMs: number | undefined;
  readonly filters: { readonly [Name in keyof Filters]?: Static<Filters[Name]> } & {
    readonly [Name in Needed]: Static<Filters[Name]>;
  };
}

/** The parameters that every list has, as the API reference shows them. */
export const pageParameters = {
  page: Type.Integer({ minimum: 1, default: 1, description: 'From 1. Not together with `cursor`.' }),
  page_size: Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE }),
  cursor: Type.String({
    minLength: 1,
    description:
      '`next_cursor` of the page before; walks any depth. For a file, the `cursor` of the last row you have.',
  }),
} as const;

const time = { description: 'RFC 3339 with an offset, or milliseconds since the epoch.' };
export const timeParameters = {
  start_at: Type.String({ ...time, description: `Inclusive. ${time.description}` }),
  end_at: Type.String({ ...time, description: `Exclusive. ${time.description}` }),
} as const;

/** A filter that takes one of a few words. */
export function oneOf<Word extends string>(words: readonly Word[], description: string) {
  return Type.Unsafe<Word>({ type: 'string', enum: [...words], description });
}

/** Exports go the other way, so their cursors are theirs alone. */
export function exportNameOf({ name }: Pick<ListDefinition<FilterSchemas>, 'name'>): string {
  return `${name}.export`;
}

/** What a list needs to know of its call. */
export interface ListCall {
  readonly requestTarget: string;
  readonly cursors: Cursors;
}

/** Throws a Problem that names every fault of the query. */
export function parseListQuery<Filters extends FilterSchemas, Needed extends keyof Filters = never>(
  definition: ListDefinition<Filters, Needed>,
  { requestTarget, cursors }: ListCall,
  shape: 'page' | 'export' = 'page',
): ListQuery<Filters, Needed> {
  const timed = definition.timed ? timeParameters : {};
  const { values, faults } = readParameters({ ...pageParameters, ...timed, ...definition.filters }, requestTarget);
  requireFilters(definition.needed ?? [], values, faults);
  const { startMs, endMs } = readTimes(values, faults);
  if (shape === 'export') refusePages(values, faults);
  const position = readPosition(definition, cursors, shape, values, faults);
  if (faults.length > 0) throw invalidRequest(faults);
  if (position.after === undefined && position.page * position.pageSize > MAX_COUNTED_ROWS) throw pageTooDeep();

  return { position, startMs, endMs, filters: pickFilters<Filters, Needed>(definition.filters, values) };
}

/** For an operation that is no list and has a time all the same. */
export async function parseTimedQuery<Filters extends FilterSchemas>(
  filters: Filters,
  requestTarget: string,
  check: (query: Omit<ListQuery<Filters>, 'position'>) => readonly Fault[] | Promise<readonly Fault[]>,
): Promise<Omit<ListQuery<Filters>, 'position'>> {
  const { values, faults } = readParameters({ ...timeParameters, ...filters }, requestTarget);
  const query = { ...readTimes(values, faults), filters: pickFilters(filters, values) };
  if (faults.length === 0) faults.push(...(await check(query)));
  if (faults.length > 0) throw invalidRequest(faults);
  return query;
}

/** For an operation that is no list and takes a few words. */
export function parseWordsQuery<Filters extends FilterSchemas>(
  filters: Filters,
  requestTarget: string,
): ListQuery<Filters>['filters'] {
  const { values, faults } = readParameters(filters, requestTarget);
  if (faults.length > 0) throw invalidRequest(faults);
  return pickFilters(filters, values);
}

function readParameters(known: FilterSchemas, requestTarget: string) {
  const parsed = parseQueryString(requestTarget);
  const faults: Fault[] = [...parsed.faults];
  const values = new Map<string, string>();
  for (const [name, value] of parsed.values) {
    const schema = Object.hasOwn(known, name) ? known[name] : undefined;
    const found = schema === undefined ? unknownParameter(name, known) : checkParameter(name, schema, value);
    if (found === undefined) values.set(name, value);
    else faults.push(found);
  }
  return { values, faults };
}

/** One that was given and is wrong has its own fault. */
function requireFilters(needed: readonly PropertyKey[], values: ReadonlyMap<string, string>, faults: Fault[]): void {
  for (const name of needed.map(String)) {
    const isGiven = values.has(name) || faults.some(({ pointer }) => pointer === `?${name}`);
    if (!isGiven) faults.push(parameterFault(name, 'required', errorText('parameter_required')));
  }
}

function pickFilters<Filters extends FilterSchemas, Needed extends keyof Filters = never>(
  schemas: Filters,
  values: ReadonlyMap<string, string>,
): ListQuery<Filters, Needed>['filters'] {
  const given = Object.entries(schemas).flatMap(([name, schema]) => {
    const value = values.get(name);
    return value === undefined ? [] : [[name, schema.type === 'integer' ? Number(value) : value] as const];
  });
  return Object.fromEntries(given) as ListQuery<Filters, Needed>['filters'];
}

/** For operations that take no parameters. */
export function rejectParameters(requestTarget: string): void {
  const faults = findParameters(requestTarget);
  if (faults.length > 0) throw invalidRequest(faults);
}

/** A fault for each parameter, for an operation that takes none and reports them with the faults of its body. */
export function findParameters(requestTarget: string): Fault[] {
  const { values, faults } = parseQueryString(requestTarget);
  return [...faults, ...[...values.keys()].map((name) => unknownParameter(name, {}))];
}

/** A page of a list, as the reference shows it. */
export function listOf(item: TSchema): TSchema {
  return Type.Object({
    items: Type.Array(item),
    page: Type.Integer({ minimum: 1 }),
    page_size: Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE }),
    total: Type.Integer({ minimum: 0, maximum: MAX_COUNTED_ROWS }),
    total_is_exact: Type.Boolean({ description: 'False when there are more than `total`.' }),
    next_cursor: Type.Union([
      Type.String({ description: 'Null on the last page. A page before it may be short, or empty.' }),
      Type.Null(),
    ]),
  });
}

export interface ListEnvelope<Item> {
  readonly items: readonly Item[];
  readonly page: number;
  readonly page_size: number;
  readonly total: number;
  readonly total_is_exact: boolean;
  readonly next_cursor: string | null;
}

export function renderList<Item>(
  list: string,
  { cursors }: Pick<ListCall, 'cursors'>,
  result: ListResult<Item>,
): ListEnvelope<Item> {
  return {
    items: result.items,
    page: result.page,
    page_size: result.pageSize,
    total: result.total,
    total_is_exact: result.totalIsExact,
    next_cursor:
      result.nextKey === undefined ? null : cursors.seal({ list, page: result.page + 1, after: result.nextKey }),
  };
}

/** For filters that name something that does not exist: nothing matches, and nothing needs to be asked. */
export function emptyList(query: { readonly position: ListPosition }): ListEnvelope<never> {
  const { page, pageSize } = query.position;
  return { items: [], page, page_size: pageSize, total: 0, total_is_exact: true, next_cursor: null };
}

function unknownParameter(name: string, known: FilterSchemas): Fault {
  const names = Object.keys(known);
  const text =
    names.length === 0
      ? errorText('parameter_unexpected')
      : errorText('parameter_unknown', { names: names.join(', ') });
  return parameterFault(name.slice(0, 64), 'unknown_field', text);
}

function checkParameter(name: string, schema: TSchema, value: string): Fault | undefined {
  if (schema.type === 'integer') return checkInteger(name, schema, value);
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) {
    return parameterFault(name, 'out_of_range', errorText('parameter_not_one_of', { choices: schema.enum.join(', ') }));
  }
  // Characters are Unicode code points here as in the body.
  const length = [...value].length;
  if (schema.minLength !== undefined && length < schema.minLength) {
    const min: number = schema.minLength;
    return parameterFault(
      name,
      'too_short',
      min === 1 ? errorText('parameter_empty') : errorText('parameter_too_short', { min }),
    );
  }
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    return parameterFault(name, 'too_long', errorText('parameter_too_long', { max: schema.maxLength }));
  }
  return undefined;
}

function checkInteger(name: string, schema: TSchema, value: string): Fault | undefined {
  if (!/^-?\d+$/.test(value)) return parameterFault(name, 'type', errorText('parameter_not_whole_number'));
  // One too long to be exact is still a whole number, and far beyond every limit.
  const number = Number(value);
  if (number >= (schema.minimum ?? -Infinity) && number <= (schema.maximum ?? Infinity)) return undefined;
  const { minimum: min, maximum: max } = schema;
  const text =
    max === undefined
      ? errorText('parameter_below_minimum', { min })
      : errorText('parameter_not_between', { min, max });
  return parameterFault(name, 'out_of_range', text);
}

function readTimes(values: ReadonlyMap<string, string>, faults: Fault[]) {
  const [startMs, endMs] = (['start_at', 'end_at'] as const).map((name) => {
    const value = values.get(name);
    if (value === undefined) return undefined;
    const ms = parseTimeMs(value);
    if (ms === undefined) faults.push(parameterFault(name, 'format', errorText('parameter_not_time')));
    return ms;
  });
  if (startMs !== undefined && endMs !== undefined && startMs > endMs) {
    faults.push(parameterFault('end_at', 'out_of_range', errorText('end_before_start')));
  }
  return { startMs, endMs };
}

function refusePages(values: ReadonlyMap<string, string>, faults: Fault[]): void {
  for (const name of ['page', 'page_size']) {
    if (values.has(name)) {
      faults.push(parameterFault(name, 'not_allowed_together', errorText('pages_of_file')));
    }
  }
}

function readPosition(
  definition: Pick<ListDefinition<FilterSchemas>, 'name' | 'isKey'>,
  cursors: Cursors,
  shape: 'page' | 'export',
  values: ReadonlyMap<string, string>,
  faults: Fault[],
): ListPosition {
  const pageSize = Number(values.get('page_size') ?? DEFAULT_PAGE_SIZE);
  const text = values.get('cursor');
  if (text === undefined) return { page: Number(values.get('page') ?? 1), pageSize, after: undefined };
  if (shape === 'page' && values.has('page')) {
    faults.push(parameterFault('cursor', 'not_allowed_together', errorText('cursor_and_page')));
  }
  const { isKey = isIdKey } = definition;
  const cursor = cursors.open(text, shape === 'page' ? definition.name : exportNameOf(definition));
  if (cursor === undefined || !isKey(cursor.after)) {
    const text = errorText(shape === 'page' ? 'not_page_cursor' : 'not_file_cursor');
    faults.push(parameterFault('cursor', 'format', text));
    return { page: 1, pageSize, after: undefined };
  }
  return { page: cursor.page, pageSize, after: cursor.after };
}

/** Keys become bigints in SQL, so they must be ones. */
function isIdKey(text: string): boolean {
  return /^\d{1,19}$/.test(text) && BigInt(text) < 2n ** 63n;
}

function pageTooDeep(): Problem {
  return new Problem('page_too_deep', errorText('page_too_deep', { max: MAX_COUNTED_ROWS }));
}
