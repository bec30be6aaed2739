import { STAGES } from '@postrider/client';
import { connectAsCustomer, connectAsOperator } from '../../access/connection.js';
import type { Command, Invocation } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { UsageError } from '../../failure.js';
import {
  batchOption,
  classOption,
  phoneOption,
  readFilters,
  readListOptions,
  requestIdOption,
  results,
  taskOption,
  timeOptions,
  titleOption,
} from '../../list-filters.js';
import { listOptions, outputOptions, printListing, printRecord } from '../../output/records.js';
import {
  accountShape,
  deliveryShape,
  ledgerShape,
  operatorTaskShape,
  submitShape,
  taskShape,
  uplinkShape,
} from '../../output/shapes.js';
import { historyCommand } from './history.js';
import { ownListCommands } from './own-lists.js';
import { receiptsCommand } from './receipts.js';

async function listTasks(invocation: Invocation): Promise<typeof exitCodes.ok> {
  if (invocation.flag('operator')) {
    const client = await connectAsOperator(invocation);
    refuseOptions(
      invocation,
      ['batch', 'template', 'title'],
      'goes without --operator: the operator lists tasks by customer.',
    );
    const names = { customer: 'customerNo', 'request-id': 'clientRequestId', stage: 'stage', class: 'class' };
    const listing = client.tasks({ ...readListOptions(invocation), ...readFilters(invocation, names) });
    await printListing(invocation, listing, operatorTaskShape, 'tasks');
  } else {
    const client = await connectAsCustomer(invocation);
    refuseOptions(invocation, ['customer'], 'goes with --operator: without it, the tasks are your own.');
    const names = {
      'request-id': 'clientRequestId',
      batch: 'batchId',
      stage: 'stage',
      template: 'templateNo',
      class: 'class',
      title: 'title',
    };
    const listing = client.tasks({ ...readListOptions(invocation), ...readFilters(invocation, names) });
    await printListing(invocation, listing, taskShape, 'tasks');
  }
  return exitCodes.ok;
}

/** A filter that is passed over would show everything as if it had matched. */
function refuseOptions(invocation: Invocation, names: readonly string[], reason: string): void {
  const given = names.find((name) => invocation.text(name) !== undefined);
  if (given !== undefined) throw new UsageError(`--${given} ${reason}`);
}

export const queryCommands: readonly Command[] = [
  {
    path: ['tasks'],
    summary: 'tasks, newest first',
    options: {
      'request-id': requestIdOption,
      batch: batchOption,
      stage: { type: 'string', choices: STAGES, summary: 'in this stage' },
      template: { type: 'string', value: 'TEMPLATE', summary: 'of this template' },
      class: classOption,
      title: titleOption,
      operator: { type: 'boolean', summary: 'of all customers, as the operator' },
      customer: { type: 'string', value: 'CUSTOMER', summary: 'with --operator: of this customer' },
      ...timeOptions,
      ...listOptions,
    },
    examples: [
      { command: 'postrider tasks --stage submit_unknown', shows: 'what the upstream has not answered for' },
      { command: 'postrider tasks --request-id order-1 --json', shows: 'the outcome of one request' },
    ],
    run: listTasks,
  },
  receiptsCommand,
  historyCommand,
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
      await printListing(invocation, listing, uplinkShape, 'replies');
      return exitCodes.ok;
    },
  },
  {
    path: ['ledger'],
    summary: 'every movement of money, with the balances after it',
    options: {
      task: taskOption,
      batch: batchOption,
      type: {
        type: 'string',
        choices: ['freeze', 'charge', 'release', 'refund', 'topup', 'adjustment'],
        summary: 'of this type',
      },
      ...timeOptions,
      ...listOptions,
    },
    examples: [
      { command: 'postrider ledger --output ledger.csv', shows: 'the whole ledger, for reconciliation' },
      { command: 'postrider ledger --output ledger.csv --append', shows: 'and the next day what came since' },
    ],
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const listing = client.ledgers({
        ...readListOptions(invocation),
        ...readFilters(invocation, { task: 'taskNo', batch: 'batchId', type: 'type' }),
      });
      await printListing(invocation, listing, ledgerShape, 'ledger entries');
      return exitCodes.ok;
    },
  },
  {
    path: ['submits'],
    summary: 'segments put on the wire, and what the upstream answered',
    options: {
      task: taskOption,
      batch: batchOption,
      phone: phoneOption,
      status: { type: 'string', choices: ['accepted', 'rejected', 'unknown'], summary: 'answered like this' },
      ...timeOptions,
      ...listOptions,
    },
    examples: [{ command: 'postrider submits --status unknown', shows: 'segments whose answer was lost' }],
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const names = { task: 'taskNo', batch: 'batchId', phone: 'phone', status: 'status' };
      const listing = client.submits({ ...readListOptions(invocation), ...readFilters(invocation, names) });
      await printListing(invocation, listing, submitShape, 'submit records');
      return exitCodes.ok;
    },
  },
  {
    path: ['deliveries'],
    summary: 'delivery reports that came back, segment by segment',
    options: {
      task: taskOption,
      batch: batchOption,
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
      const names = { task: 'taskNo', batch: 'batchId', phone: 'phone', status: 'status' };
      const listing = client.deliveries({ ...readListOptions(invocation), ...readFilters(invocation, names) });
      await printListing(invocation, listing, deliveryShape, 'delivery records');
      return exitCodes.ok;
    },
  },
  ...ownListCommands,
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
