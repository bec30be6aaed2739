import type { PostriderClient } from '@postrider/client';
import { RECEIPT_RESULTS } from '../../../domain/record/records.js';
import { quoteForShell } from '../../../service/checkout.js';
import { connectAsCustomer } from '../../access/connection.js';
import type { Command, Invocation } from '../../command.js';
import { wrapProse } from '../../display-width.js';
import { exitCodes } from '../../exit-codes.js';
import {
  batchFilter,
  type ListFilters,
  phoneFilter,
  readListOptions,
  requestIdFilter,
  taskFilter,
  timeFilters,
} from '../../list-filters.js';
import { listOptions, printListing } from '../../output/records.js';
import { receiptShape, receiptTextShape } from '../../output/shapes.js';
import { spellCommand } from '../../spell-command.js';

const receiptFilters: ListFilters = {
  'request-id': requestIdFilter,
  batch: batchFilter,
  phone: phoneFilter,
  result: { type: 'string', choices: RECEIPT_RESULTS, filter: 'result', summary: 'with this outcome' },
  firm: {
    type: 'string',
    value: 'FIRM',
    filter: 'firm',
    summary: 'that went to this carrier; - for those that went to none',
  },
  ...timeFilters,
};

async function listReceipts(invocation: Invocation): Promise<typeof exitCodes.ok> {
  const client = await connectAsCustomer(invocation);
  const hasText = invocation.flag('text');
  const included = hasText ? { include: 'text' as const } : {};
  const filters = { ...readListOptions(invocation, receiptFilters), ...included };
  const taskNos = invocation.words('task') ?? [undefined];
  const listings = taskNos.map((taskNo) =>
    client.receipts({ ...filters, ...(taskNo === undefined ? {} : { taskNo }) }),
  );
  await printListing(invocation, listings, hasText ? receiptTextShape : receiptShape, 'receipts');
  const requestId = invocation.text('request-id');
  if (requestId !== undefined && invocation.text('batch') === undefined)
    await tellOfBatch(invocation, client, requestId);
  return exitCodes.ok;
}

/** A send that was cut into requests is known by the id of the first, which has the receipts of the first alone. */
async function tellOfBatch({ terminal }: Invocation, client: PostriderClient, requestId: string): Promise<void> {
  const { err, signal } = terminal;
  const batchId = (await client.findTask(requestId, { signal }))?.batch_id ?? null;
  if (batchId === null) return;
  const { tasks } = await client.batch(batchId, { signal });
  if (tasks < 2) return;
  const all = spellCommand(terminal, `receipts --batch ${quoteForShell(batchId)}`);
  const text = `That is one request of a batch of ${tasks.toLocaleString('en')}. All of them: ${all}`;
  await err.write(`${wrapProse(text, err)}\n`);
}

export const receiptsCommand: Command = {
  path: ['receipts'],
  summary: 'the final outcome of each number',
  description: 'A receipt is the one final outcome of one number. A completed task has as many receipts as numbers.',
  options: {
    task: { ...taskFilter, multiple: true, summary: 'of this task; repeat it for several' },
    text: { type: 'boolean', summary: 'with the text that was sent' },
    ...receiptFilters,
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
