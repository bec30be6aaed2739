// Price lists as files: written out, changed in a spreadsheet, compared with what applies, and put in force.

import { readFile } from 'node:fs/promises';
import type { OperatorClient, Price, PriceRequest } from '@postrider/client';
import { formatCsvRow, formatGuardedRow } from '../../../domain/csv-row.js';
import { parseMoney } from '../../../domain/money/money.js';
import { MESSAGE_CLASSES } from '../../../domain/rules/message-class.js';
import { connectAsOperator } from '../../access/connection.js';
import type { Command, Invocation } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { UsageError } from '../../failure.js';
import { parseCsv } from '../../send/csv.js';

const COLUMNS = ['customer_no', 'firm', 'class', 'prefix', 'unit_price', 'valid_from'] as const;
type Column = (typeof COLUMNS)[number];
const REQUIRED: readonly Column[] = ['customer_no', 'firm', 'unit_price'];

interface ListRow {
  readonly customerNo: string;
  readonly price: PriceRequest;
}

interface Change extends ListRow {
  /** What applies now; undefined: nothing does. */
  readonly before: string | undefined;
}

export const priceListCommands: readonly Command[] = [
  {
    path: ['price', 'export'],
    summary: 'write price lists as CSV',
    arguments: [{ name: 'CUSTOMER', summary: 'number of the customer; all of them when left out' }],
    examples: [{ command: 'postrider price export > prices.csv', shows: 'the lists of all customers' }],
    async run(invocation) {
      const client = await connectAsOperator(invocation);
      const { out } = invocation.terminal;
      await out.write(formatCsvRow([...COLUMNS]));
      for (const customerNo of await namesOf(client, invocation.arguments[0])) {
        for await (const { firm, class: messageClass, prefix, unit_price, valid_from } of client.prices(customerNo)) {
          await out.write(
            formatGuardedRow([customerNo, firm, messageClass ?? '', prefix ?? '', unit_price, valid_from]),
          );
        }
      }
      return exitCodes.ok;
    },
  },
  {
    path: ['price', 'import'],
    summary: 'put price lists from a CSV file in force, after showing what changes',
    description:
      'Columns: customer_no, firm, class, prefix, unit_price, valid_from; class, prefix and valid_from may be empty or missing. A price that is different is replaced from its valid_from on, or from now. Prices that are not in the file stay.',
    arguments: [{ name: 'FILE', summary: 'a CSV file with a header', required: true }],
    options: { 'dry-run': { type: 'boolean', summary: 'only show what would change' } },
    examples: [{ command: 'postrider price import prices.csv --dry-run', shows: 'what the file would change' }],
    run: importPrices,
  },
];

async function importPrices(invocation: Invocation) {
  const rows = await readRows(invocation.argument(0));
  const client = await connectAsOperator(invocation);
  const changes = await compare(client, rows);
  const { out, err } = invocation.terminal;
  for (const change of changes) await out.write(describeChange(change));
  const same = rows.length - changes.length;
  const isDry = invocation.flag('dry-run');
  if (!isDry) {
    for (const { customerNo, price, before } of changes) {
      const from = price.valid_from ?? (before === undefined ? undefined : new Date().toISOString());
      await client.createPrice(customerNo, { ...price, ...(from === undefined ? {} : { valid_from: from }) });
    }
  }
  await err.write(`${changes.length} ${isDry ? 'would change' : 'changed'}, ${same} as before.\n`);
  return exitCodes.ok;
}

async function namesOf(client: OperatorClient, one: string | undefined): Promise<string[]> {
  if (one !== undefined) return [one];
  const names: string[] = [];
  for await (const { customer_no } of client.customers()) names.push(customer_no);
  return names;
}

/** Every fault of the file at once: nothing of it is put in force before all of it reads well. */
async function readRows(path: string): Promise<ListRow[]> {
  const text = await readFile(path, 'utf8');
  let header: readonly string[] | undefined;
  const rows: ListRow[] = [];
  const faults: string[] = [];
  for await (const { line, cells } of parseCsv([text])) {
    if (header === undefined) {
      header = readHeader(cells);
      continue;
    }
    const names = header;
    const cell = (name: Column) => cells[names.indexOf(name)]?.trim() ?? '';
    const fault = findFault(cell);
    if (fault !== undefined) faults.push(`Line ${line}: ${fault}`);
    else rows.push(toRow(cell));
  }
  if (header === undefined) throw new UsageError(`${path} is empty.`, `It begins with: ${COLUMNS.join(',')}`);
  if (faults.length > 0) throw new UsageError(faults.slice(0, 20).join('\n'));
  return rows;
}

function readHeader(cells: readonly string[]): string[] {
  const names = cells.map((cell) => cell.trim().toLowerCase());
  const unknown = names.filter((name) => !(COLUMNS as readonly string[]).includes(name));
  const missing = REQUIRED.filter((name) => !names.includes(name));
  if (unknown.length === 0 && missing.length === 0) return names;
  const words = [
    ...unknown.map((name) => `there is no column "${name}"`),
    ...missing.map((name) => `the column ${name} is missing`),
  ];
  throw new UsageError(`The header is not right: ${words.join(', ')}.`, `The columns are: ${COLUMNS.join(',')}`);
}

function findFault(cell: (name: Column) => string): string | undefined {
  const empty = REQUIRED.find((name) => cell(name) === '');
  if (empty !== undefined) return `${empty} is empty.`;
  if (parseMoney(cell('unit_price')) === undefined) return `"${cell('unit_price')}" is no price.`;
  const messageClass = cell('class');
  if (messageClass !== '' && !(MESSAGE_CLASSES as readonly string[]).includes(messageClass)) {
    return `"${messageClass}" is no class; there are ${MESSAGE_CLASSES.join(', ')}.`;
  }
  if (cell('valid_from') !== '' && Number.isNaN(Date.parse(cell('valid_from')))) {
    return `"${cell('valid_from')}" is no time.`;
  }
  return undefined;
}

function toRow(cell: (name: Column) => string): ListRow {
  const from = cell('valid_from');
  return {
    customerNo: cell('customer_no'),
    price: {
      firm: cell('firm'),
      class: (cell('class') || null) as Price['class'],
      prefix: cell('prefix').replace('+', '') || null,
      unit_price: cell('unit_price'),
      // The past is over: such a row says what holds now.
      ...(from === '' || Date.parse(from) <= Date.now() ? {} : { valid_from: new Date(from).toISOString() }),
    },
  };
}

async function compare(client: OperatorClient, rows: readonly ListRow[]): Promise<Change[]> {
  const lists = new Map<string, Price[]>();
  const changes: Change[] = [];
  for (const row of rows) {
    const list = lists.get(row.customerNo) ?? (await readAll(client, row.customerNo));
    lists.set(row.customerNo, list);
    const alike = list.filter((price) => keyOf(price) === keyOf(row.price));
    const current = alike.find(({ valid_from }) => Date.parse(valid_from) <= Date.now())?.unit_price;
    const there =
      row.price.valid_from === undefined
        ? current
        : alike.find(({ valid_from }) => valid_from === row.price.valid_from)?.unit_price;
    if (there !== undefined && parseMoney(there) === parseMoney(row.price.unit_price)) continue;
    changes.push({ ...row, before: current });
  }
  return changes;
}

async function readAll(client: OperatorClient, customerNo: string): Promise<Price[]> {
  const prices: Price[] = [];
  for await (const price of client.prices(customerNo)) prices.push(price);
  return prices;
}

function keyOf({ firm, class: messageClass, prefix }: PriceRequest): string {
  return `${firm} ${messageClass ?? ''} ${prefix ?? ''}`;
}

function describeChange({ customerNo, price, before }: Change): string {
  const { firm, class: messageClass, prefix, unit_price, valid_from } = price;
  const what = [customerNo, firm, messageClass ?? 'every class', prefix ?? 'every number'].join(' ');
  const from = valid_from === undefined ? 'from now' : `from ${valid_from}`;
  return before === undefined ? `+ ${what} ${unit_price} ${from}\n` : `~ ${what} ${before} -> ${unit_price} ${from}\n`;
}
