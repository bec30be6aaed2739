// The filters of lists and sums, under the names that the client gives them.

import type { Operation } from '../../src/http/route.js';
import { FILTER_TYPES } from './method-names.js';
import { formatFields, formatImports } from './schema-to-type.js';
import { customerApi, listTypeNames, namedParts, operatorApi, typeSources } from './wire-types.js';

const TIMES = ['start_at', 'end_at'];

export const optionSources = {
  ListOptions: './list-options.js',
  OwnListOptions: './list-options.js',
  TimeOptions: './list-options.js',
};

export function toCamelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** What an operation accepts in its query, times included, as the service names it. */
export function parametersOf({ list, query }: Operation): string[] {
  if (list === undefined) return Object.keys(query ?? {});
  return [...Object.keys(list.filters), ...(list.timed ? TIMES : [])];
}

/** What the filters of an operation extend. */
export function optionsOf({ list }: Operation): keyof typeof optionSources {
  if (list === undefined) return 'TimeOptions';
  return list.timed ? 'ListOptions' : 'OwnListOptions';
}

function formatInterface(type: string, operation: Operation): string {
  const filters = Object.entries(operation.list?.filters ?? operation.query ?? {});
  const own = filters.filter(([name]) => !TIMES.includes(name));
  const properties = Object.fromEntries(own.map(([name, schema]) => [toCamelCase(name), schema]));
  const required = operation.list?.needed?.map(toCamelCase) ?? [];
  const fields = formatFields({ properties, required }, { isGiven: true, named: namedParts, hasComments: true }, '  ');
  return `export interface ${type} extends ${optionsOf(operation)} {\n${fields}}\n`;
}

export function formatListFilters(): string {
  const interfaces = new Map<string, string>();
  for (const operation of [...customerApi.operations, ...operatorApi.operations]) {
    const type = FILTER_TYPES[operation.name];
    if (type === undefined) continue;
    const text = formatInterface(type, operation);
    if ((interfaces.get(type) ?? text) !== text) throw new Error(`${operation.name} has other filters than ${type}`);
    interfaces.set(type, text);
  }
  const text = [...interfaces.values()].join('\n');
  return `${formatImports(listTypeNames(text), { ...typeSources, ...optionSources })}\n${text}`;
}

/** Which file of the client defines the types of filters and options. */
export const filterSources: Readonly<Record<string, string>> = {
  ...optionSources,
  ...Object.fromEntries(Object.values(FILTER_TYPES).map((type) => [type, './list-filters.generated.js'])),
};
