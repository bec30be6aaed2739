import { connectAsCustomer } from '../../access/connection.js';
import type { Command } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { UsageError } from '../../failure.js';
import { type ListFilters, readFilters, timeFilters } from '../../list-filters.js';
import { chooseFormat, createRecordPrinter, outputOptions } from '../../output/records.js';
import { balanceShape, entrySumShape, statisticShape } from '../../output/shapes.js';

const statisticFilters: ListFilters = {
  by: {
    type: 'string',
    choices: ['day', 'hour', 'template', 'firm', 'code'],
    filter: 'by',
    summary: 'what to count by (day)',
  },
  ...timeFilters,
};
const balanceFilters: ListFilters = {
  by: { type: 'string', choices: ['day', 'hour'], filter: 'by', summary: 'what to cut the time into (day)' },
  ...timeFilters,
};

/** Statistics and statements: numbers and money, summed. */
export const sumCommands: readonly Command[] = [
  {
    path: ['stats'],
    summary: 'count numbers by result',
    description:
      'A number is counted when its receipt is made. SHARE is what was delivered of what was handed over. Days and hours are those of your billing time zone.',
    options: { ...statisticFilters, ...outputOptions },
    examples: [
      { command: 'postrider stats --start 30d', shows: 'the last thirty days, day by day' },
      { command: 'postrider stats --by code --start 1d', shows: 'why numbers were not delivered since yesterday' },
    ],
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const { items } = await client.statistics(readFilters(invocation, statisticFilters));
      const shown = items.map((item) => ({ ...item, delivered_share: writeShare(item.delivered, item.handed_over) }));
      const format = chooseFormat(invocation);
      if (items.length === 0 && format === 'table') await invocation.terminal.err.write('No numbers.\n');
      else
        await createRecordPrinter(invocation.terminal.out, statisticShape, format)(format === 'table' ? shown : items);
      return exitCodes.ok;
    },
  },
  {
    path: ['balances'],
    summary: 'what was available and reserved at the end of each day or hour',
    description: 'Days and hours are those of your billing time zone; the last one is what there is now.',
    options: { ...balanceFilters, ...outputOptions },
    examples: [
      { command: 'postrider balances', shows: 'the last thirty days' },
      { command: 'postrider balances --by hour --start 1d', shows: 'hour by hour since yesterday' },
    ],
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const { items } = await client.balances(readFilters(invocation, balanceFilters));
      await createRecordPrinter(invocation.terminal.out, balanceShape, chooseFormat(invocation))(items);
      return exitCodes.ok;
    },
  },
  {
    path: ['statement'],
    summary: 'the statement of a month: balances, and every sum in between',
    arguments: [{ name: 'MONTH', summary: 'such as 2026-11, in your billing time zone', required: true }],
    options: outputOptions,
    examples: [
      { command: 'postrider statement 2026-11', shows: 'the money of November' },
      { command: 'postrider statement 2026-11 --json', shows: 'the same by day, template and carrier' },
    ],
    async run(invocation) {
      const month = invocation.argument(0);
      if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
        throw new UsageError(`"${month}" is no month.`, 'It looks like this: 2026-11');
      const client = await connectAsCustomer(invocation);
      const { terminal } = invocation;
      const statement = await client.statement(month, { signal: terminal.signal });
      const format = chooseFormat(invocation);
      if (format === 'json') {
        await createRecordPrinter(terminal.out, entrySumShape, format)([statement]);
        return exitCodes.ok;
      }
      const { opening, entries, closing } = statement;
      const sums = Object.entries(entries).map(([type, sum]) => ({ what: type, ...sum }));
      const rows = [{ what: 'opening', ...opening }, ...sums, { what: 'closing', ...closing }];
      await createRecordPrinter(terminal.out, entrySumShape, format)(rows);
      return exitCodes.ok;
    },
  },
];

function writeShare(part: number, whole: number): string {
  return whole === 0 ? '' : `${((part / whole) * 100).toFixed(1)} %`;
}
