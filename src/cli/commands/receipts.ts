import type { Command, Invocation } from '../command.js';
import { connectAsCustomer } from '../connection.js';
import { exitCodes } from '../exit-codes.js';
import {
  batchOption,
  phoneOption,
  readFilters,
  readListOptions,
  requestIdOption,
  results,
  taskOption,
  timeOptions,
} from '../list-filters.js';
import { listOptions, printListing } from '../records.js';
import { receiptShape } from '../shapes.js';

async function listReceipts(invocation: Invocation): Promise<typeof exitCodes.ok> {
  const client = await connectAsCustomer(invocation);
  const names = { 'request-id': 'clientRequestId', batch: 'batchId', phone: 'phone', result: 'result' };
  const filters = { ...readListOptions(invocation), ...readFilters(invocation, names) };
  const taskNos = invocation.words('task') ?? [undefined];
  const listings = taskNos.map((taskNo) =>
    client.receipts({ ...filters, ...(taskNo === undefined ? {} : { taskNo }) }),
  );
  await printListing(invocation, listings, receiptShape, 'receipts');
  return exitCodes.ok;
}

export const receiptsCommand: Command = {
  path: ['receipts'],
  summary: 'the final outcome of each number',
  description: 'A receipt is the one final outcome of one number. A completed task has as many receipts as numbers.',
  options: {
    task: { ...taskOption, multiple: true, summary: 'of this task; repeat it for several' },
    'request-id': requestIdOption,
    batch: batchOption,
    phone: phoneOption,
    result: { type: 'string', choices: results, summary: 'with this outcome' },
    ...timeOptions,
    ...listOptions,
  },
  examples: [
    {
      command: 'postrider receipts --task TASK --output receipts.csv',
      shows: 'all receipts of a task, for a spreadsheet',
    },
    {
      command: 'postrider receipts --batch may-campaign --output receipts.csv',
      shows: 'all receipts of a send, however many tasks it has',
    },
    {
      command: 'postrider receipts --result undelivered --start 1d',
      shows: 'what was not delivered since yesterday',
    },
  ],
  run: listReceipts,
};
