import { chainListings } from '../chain-listings.js';
import type { Command, Invocation } from '../command.js';
import { connectAsCustomer } from '../connection.js';
import { exitCodes } from '../exit-codes.js';
import {
  phoneOption,
  readFilters,
  readListOptions,
  requestIdOption,
  results,
  taskOption,
  timeOptions,
} from '../list-filters.js';
import { listOptions, printListing } from '../records.js';
import { findRequestIds, isMadeFromContent } from '../send-ids.js';
import { receiptShape } from '../shapes.js';

/** A send that was cut into several requests is several tasks, and its receipts are those of all of them. */
async function listReceipts(invocation: Invocation): Promise<typeof exitCodes.ok> {
  const client = await connectAsCustomer(invocation);
  const { err, signal } = invocation.terminal;
  const filters = {
    ...readListOptions(invocation),
    ...readFilters(invocation, { phone: 'phone', result: 'result' }),
  };
  const requestId = invocation.text('request-id');
  const requestIds = requestId === undefined ? [undefined] : await findRequestIds(client, requestId, signal);
  const taskNos = invocation.words('task') ?? [undefined];
  // Newest first, as within each.
  const listings = requestIds.reverse().flatMap((clientRequestId) =>
    taskNos.map((taskNo) =>
      client.receipts({
        ...filters,
        ...(taskNo === undefined ? {} : { taskNo }),
        ...(clientRequestId === undefined ? {} : { clientRequestId }),
      }),
    ),
  );
  await printListing(invocation, chainListings(listings), receiptShape, 'receipts');
  if (requestId !== undefined && isMadeFromContent(requestId)) {
    await err.write(
      'These are of one request. Other requests of the same send have ids of their own: postrider tasks\n',
    );
  }
  return exitCodes.ok;
}

export const receiptsCommand: Command = {
  path: ['receipts'],
  summary: 'the final outcome of each number',
  description: 'A receipt is the one final outcome of one number. A completed task has as many receipts as numbers.',
  options: {
    task: { ...taskOption, multiple: true, summary: 'of this task; repeat it for several' },
    'request-id': {
      ...requestIdOption,
      summary: 'of this client_request_id, with the ID.2, ID.3 … of a send that was cut into several requests',
    },
    phone: phoneOption,
    result: { type: 'string', choices: results, summary: 'with this outcome' },
    ...timeOptions,
    ...listOptions,
  },
  examples: [
    {
      command: 'postrider receipts --task TASK --all --csv > receipts.csv',
      shows: 'all receipts of a task, for a spreadsheet',
    },
    {
      command: 'postrider receipts --result undelivered --start 1d',
      shows: 'what was not delivered since yesterday',
    },
  ],
  run: listReceipts,
};
