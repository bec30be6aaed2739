import type { Listing, ListOptions, OwnListOptions, PostriderClient, ReceiptResult, Stage } from '@postrider/client';
import type { Command, Invocation, OptionSpec } from '../command.js';
import { connectAsCustomer, connectAsOperator } from '../connection.js';
import { parseMoment } from '../duration.js';
import { exitCodes } from '../exit-codes.js';
import { optOutShape, ownTemplateShape, serviceAccountShape, usableFirmShape } from '../operator-shapes.js';
import { readPageSize } from '../page-size.js';
import { listOptions, outputOptions, printListing, printRecord, type RecordShape } from '../records.js';
import {
  accountShape,
  deliveryShape,
  ledgerShape,
  operatorTaskShape,
  receiptShape,
  submitShape,
  taskShape,
  uplinkShape,
} from '../shapes.js';

const timeOptions: Readonly<Record<string, OptionSpec>> = {
  start: {
    type: 'string',
    value: 'TIME',
    summary: 'from this moment on: 2026-11-14, 2026-11-14T08:00:00Z, or 2h ago as 2h',
  },
  end: { type: 'string', value: 'TIME', summary: 'before this moment' },
};

const phoneOption: OptionSpec = { type: 'string', value: 'PHONE', summary: 'of this number, in any spelling' };
const taskOption: OptionSpec = { type: 'string', value: 'TASK', summary: 'of this task' };
const requestIdOption: OptionSpec = { type: 'string', value: 'ID', summary: 'of this client_request_id' };

function readListOptions(invocation: Invocation): ListOptions {
  const start = invocation.text('start');
  const end = invocation.text('end');
  const nowMs = Date.now();
  return {
    pageSize: readPageSize(invocation),
    signal: invocation.terminal.signal,
    ...(start === undefined ? {} : { startAt: parseMoment(start, 'start', nowMs) }),
    ...(end === undefined ? {} : { endAt: parseMoment(end, 'end', nowMs) }),
  };
}

/** Filters that were given, under the names that the client uses. The table has checked the choices. */
function readFilters(invocation: Invocation, names: Readonly<Record<string, string>>): Record<string, string> {
  const filters: Record<string, string> = {};
  for (const [option, filter] of Object.entries(names)) {
    const value = invocation.text(option);
    if (value !== undefined) filters[filter] = value;
  }
  return filters;
}

const stages: readonly Stage[] = [
  'queued',
  'prepared',
  'submitting',
  'waiting_receipt',
  'submit_unknown',
  'completed',
  'failed',
  'cancelled',
];
const results: readonly ReceiptResult[] = ['delivered', 'undelivered', 'expired', 'rejected'];

async function listTasks(invocation: Invocation): Promise<typeof exitCodes.ok> {
  if (invocation.flag('operator')) {
    const _filters = readFilters(invocation, {
      'request-id': 'client_request_id',
      stage: 'stage',
      template: 'template_no',
    });
    const client = await connectAsOperator(invocation);
    const names = { customer: 'customerNo', 'request-id': 'clientRequestId', stage: 'stage' };
    const listing = client.tasks({ ...readListOptions(invocation), ...readFilters(invocation, names) });
    await printListing(invocation, listing, operatorTaskShape, 'tasks');
  } else {
    const client = await connectAsCustomer(invocation);
    const names = { 'request-id': 'clientRequestId', stage: 'stage', template: 'templateNo' };
    const listing = client.tasks({ ...readListOptions(invocation), ...readFilters(invocation, names) });
    await printListing(invocation, listing, taskShape, 'tasks');
  }
  return exitCodes.ok;
}

/** What the caller may send with. */
const ownLists: readonly Command[] = [
  createOwnList('templates', 'your templates and their variables', ownTemplateShape, (client, options) =>
    client.templates(options),
  ),
  createOwnList(
    'service-accounts',
    'addresses that your messages can come from',
    serviceAccountShape,
    (client, options) => client.serviceAccounts(options),
  ),
  createOwnList('firms', 'firms that you can use, and what a part costs there', usableFirmShape, (client, options) =>
    client.firms(options),
  ),
  {
    path: ['opt-outs'],
    summary: 'numbers that want nothing more from you',
    options: { phone: phoneOption, ...listOptions },
    examples: [{ command: 'postrider opt-outs --phone 13800138000', shows: 'whether one number has opted out' }],
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const options = { pageSize: readPageSize(invocation), signal: invocation.terminal.signal };
      const listing = client.optOuts({ ...options, ...readFilters(invocation, { phone: 'phone' }) });
      await printListing(invocation, listing, optOutShape, 'opt-outs');
      return exitCodes.ok;
    },
  },
];

function createOwnList<Item>(
  word: string,
  summary: string,
  shape: RecordShape,
  list: (client: PostriderClient, options: OwnListOptions) => Listing<Item>,
): Command {
  return {
    path: [word],
    summary,
    options: listOptions,
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const options = { pageSize: readPageSize(invocation), signal: invocation.terminal.signal };
      await printListing(invocation, list(client, options), shape, word.replace('-', ' '));
      return exitCodes.ok;
    },
  };
}

export const queryCommands: readonly Command[] = [
  {
    path: ['tasks'],
    summary: 'tasks, newest first',
    options: {
      'request-id': requestIdOption,
      stage: { type: 'string', choices: stages, summary: 'in this stage' },
      template: { type: 'string', value: 'TEMPLATE', summary: 'of this template' },
      operator: { type: 'boolean', summary: 'of all customers, as the operator' },
      customer: { type: 'string', value: 'CUSTOMER', summary: 'with --operator: of this customer' },
      ...timeOptions,
      ...listOptions,
    },
    examples: [
      { command: 'postrider tasks --stage submit_unknown', shows: 'what the upstream has not answered for' },
      { command: 'postrider tasks --request-id order-1 --json', shows: 'what became of one request of yours' },
    ],
    run: listTasks,
  },
  {
    path: ['receipts'],
    summary: 'the final outcome of each number',
    description: 'A receipt is the one final outcome of one number. A completed task has as many receipts as numbers.',
    options: {
      task: taskOption,
      'request-id': requestIdOption,
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
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const names = { task: 'taskNo', 'request-id': 'clientRequestId', phone: 'phone', result: 'result' };
      const listing = client.receipts({ ...readListOptions(invocation), ...readFilters(invocation, names) });
      await printListing(invocation, listing, receiptShape, 'receipts');
      return exitCodes.ok;
    },
  },
  {
    path: ['uplinks'],
    summary: 'messages that came in',
    options: {
      phone: phoneOption,
      'service-account': { type: 'string', value: 'ACCOUNT', summary: 'to this service account' },
      ...timeOptions,
      ...listOptions,
    },
    examples: [{ command: 'postrider uplinks --start 1h', shows: 'what came in within the last hour' }],
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const names = { phone: 'phone', 'service-account': 'serviceAccountNo' };
      const listing = client.uplinks({ ...readListOptions(invocation), ...readFilters(invocation, names) });
      await printListing(invocation, listing, uplinkShape, 'uplinks');
      return exitCodes.ok;
    },
  },
  {
    path: ['ledger'],
    summary: 'every movement of money, with the balances after it',
    options: {
      task: taskOption,
      type: {
        type: 'string',
        choices: ['freeze', 'charge', 'release', 'refund', 'topup', 'adjustment'],
        summary: 'of this type',
      },
      ...timeOptions,
      ...listOptions,
    },
    examples: [{ command: 'postrider ledger --all --csv > ledger.csv', shows: 'the whole ledger, for reconciliation' }],
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const listing = client.ledgers({
        ...readListOptions(invocation),
        ...readFilters(invocation, { task: 'taskNo', type: 'type' }),
      });
      await printListing(invocation, listing, ledgerShape, 'ledger entries');
      return exitCodes.ok;
    },
  },
  {
    path: ['submits'],
    summary: 'message parts put on the wire, and what the upstream answered',
    options: {
      task: taskOption,
      phone: phoneOption,
      status: { type: 'string', choices: ['accepted', 'rejected', 'unknown'], summary: 'answered like this' },
      ...timeOptions,
      ...listOptions,
    },
    examples: [{ command: 'postrider submits --status unknown', shows: 'parts whose answer was lost' }],
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const names = { task: 'taskNo', phone: 'phone', status: 'status' };
      const listing = client.submits({ ...readListOptions(invocation), ...readFilters(invocation, names) });
      await printListing(invocation, listing, submitShape, 'submit records');
      return exitCodes.ok;
    },
  },
  {
    path: ['deliveries'],
    summary: 'delivery reports that came back, part by part',
    options: {
      task: taskOption,
      phone: phoneOption,
      status: { type: 'string', choices: [...results, 'intermediate'], summary: 'with this status' },
      ...timeOptions,
      ...listOptions,
    },
    examples: [
      { command: 'postrider deliveries --phone 13800139001', shows: 'what the carrier said about one number' },
    ],
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const names = { task: 'taskNo', phone: 'phone', status: 'status' };
      const listing = client.deliveries({ ...readListOptions(invocation), ...readFilters(invocation, names) });
      await printListing(invocation, listing, deliveryShape, 'delivery records');
      return exitCodes.ok;
    },
  },
  ...ownLists,
  {
    path: ['account'],
    summary: 'the balance',
    options: outputOptions,
    examples: [{ command: 'postrider account --json | jq -r .available', shows: 'the available amount alone' }],
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      await printRecord(invocation, await client.account({ signal: invocation.terminal.signal }), accountShape);
      return exitCodes.ok;
    },
  },
];
