// The filters of lists: how the client names them, and how the service does.

import type { TSchema } from '@sinclair/typebox';
import { createCustomerApi } from '../../src/http/customer/api.js';
import { formatFields, formatImports } from './schema-to-type.js';
import { listTypeNames, namedParts, typeSources } from './wire-types.js';

/** Lists of the customer API that have filters: the client's method, its type, and the operation. */
const LISTS = [
  ['tasks', 'TaskFilters', 'listTasks'],
  ['receipts', 'ReceiptFilters', 'listReceipts'],
  ['uplinks', 'UplinkFilters', 'listUplinks'],
  ['ledgers', 'LedgerFilters', 'listLedgers'],
  ['submits', 'SubmitFilters', 'listSubmits'],
  ['deliveries', 'DeliveryFilters', 'listDeliveries'],
  ['templates', 'OwnTemplateFilters', 'listOwnTemplates'],
  ['optOuts', 'OptOutFilters', 'listOwnOptOuts'],
  ['users', 'UserFilters', 'listOwnUsers'],
] as const;

interface Filters {
  readonly filters: Readonly<Record<string, TSchema>>;
  readonly timed: boolean;
}

function toCamelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function formatInterface(type: string, { filters, timed }: Filters): string {
  const properties = Object.fromEntries(Object.entries(filters).map(([name, schema]) => [toCamelCase(name), schema]));
  const fields = formatFields({ properties }, { isGiven: true, named: namedParts, hasComments: true }, '  ');
  return `export interface ${type} extends ${timed ? 'ListOptions' : 'OwnListOptions'} {\n${fields}}\n`;
}

function formatNames(method: string, { filters }: Filters): string {
  const pairs = Object.keys(filters).map((name) => `    ${toCamelCase(name)}: '${name}',`);
  return `  ${method}: {\n${pairs.join('\n')}\n  },`;
}

export function formatListFilters(): string {
  const { operations } = createCustomerApi({} as never);
  const lists = LISTS.map(([method, type, operation]) => {
    const list = operations.find(({ name }) => name === operation)?.list;
    if (list === undefined) throw new Error(`The API has no list ${operation}`);
    return { method, type, list };
  });
  const text = [
    ...lists.map(({ type, list }) => formatInterface(type, list)),
    '/** What the service calls them. */',
    `export const listFilters = {\n${lists.map(({ method, list }) => formatNames(method, list)).join('\n')}\n} as const;\n`,
  ].join('\n');
  const sources = { ...typeSources, ListOptions: './list-options.js', OwnListOptions: './list-options.js' };
  return `${formatImports(listTypeNames(text), sources)}\n${text}`;
}
