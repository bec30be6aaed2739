import { STAGES } from '@postrider/client';
import { ENTRY_TYPES } from '../../../domain/money/ledger.js';
import { DELIVERY_STATUSES, SUBMIT_STATUSES } from '../../../domain/record/records.js';
import { connectAsCustomer, connectAsOperator } from '../../access/connection.js';
import { createOwnListCommand, createOwnRecordCommand } from '../../api-command.js';
import type { Command, Invocation } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { UsageError } from '../../failure.js';
import {
  batchFilter,
  classFilter,
  customerFilter,
  type ListFilters,
  phoneFilter,
  readListOptions,
  requestIdFilter,
  taskFilter,
  timeFilters,
  titleFilter,
} from '../../list-filters.js';
import { listOptions, printListing } from '../../output/records.js';
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

const taskFilters: ListFilters = {
  'request-id': requestIdFilter,
  batch: batchFilter,
  stage: { type: 'string', choices: STAGES, filter: 'stage', summary: 'in this stage' },
  template: { type: 'string', value: 'TEMPLATE', filter: 'templateNo', summary: 'of this template' },
  class: classFilter,
  title: titleFilter,
  customer: { ...customerFilter, summary: 'with --operator: of this customer' },
  ...timeFilters,
};
const partFilters: ListFilters = { task: taskFilter, batch: batchFilter, phone: phoneFilter };

async function listTasks(invocation: Invocation): Promise<typeof exitCodes.ok> {
  const options = readListOptions(invocation, taskFilters);
  if (invocation.flag('operator')) {
    const client = await connectAsOperator(invocation);
    refuseOptions(invocation, ['batch', 'template'], 'goes without --operator: the operator lists tasks by customer.');
    await printListing(invocation, client.tasks(options), operatorTaskShape, 'tasks');
  } else {
    const client = await connectAsCustomer(invocation);
    refuseOptions(invocation, ['customer'], 'goes with --operator: without it, the tasks are your own.');
    await printListing(invocation, client.tasks(options), taskShape, 'tasks');
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
      ...taskFilters,
      operator: { type: 'boolean', summary: 'of all customers, as the operator' },
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
  createOwnListCommand({
    path: ['uplinks'],
    summary: 'messages that came in',
    filters: {
      phone: phoneFilter,
      'service-account': {
        type: 'string',
        value: 'ACCOUNT',
        filter: 'serviceAccountNo',
        summary: 'to this service account',
      },
      ...timeFilters,
    },
    examples: [{ command: 'postrider uplinks --start 1h', shows: 'what came in within the last hour' }],
    shape: uplinkShape,
    noun: 'replies',
    call: (client, _args, options) => client.uplinks(options),
  }),
  createOwnListCommand({
    path: ['ledger'],
    summary: 'every movement of money, with the balances after it',
    filters: {
      task: taskFilter,
      batch: batchFilter,
      type: {
        type: 'string',
        choices: ENTRY_TYPES,
        filter: 'type',
        summary: 'of this type',
      },
      ...timeFilters,
    },
    examples: [
      { command: 'postrider ledger --output ledger.csv', shows: 'the whole ledger, for reconciliation' },
      { command: 'postrider ledger --output ledger.csv --append', shows: 'and the next day what came since' },
    ],
    shape: ledgerShape,
    noun: 'ledger entries',
    call: (client, _args, options) => client.ledgers(options),
  }),
  createOwnListCommand({
    path: ['submits'],
    summary: 'segments put on the wire, and what the upstream answered',
    filters: {
      ...partFilters,
      status: {
        type: 'string',
        choices: SUBMIT_STATUSES,
        filter: 'status',
        summary: 'answered like this',
      },
      ...timeFilters,
    },
    examples: [{ command: 'postrider submits --status unknown', shows: 'segments whose answer was lost' }],
    shape: submitShape,
    noun: 'submit records',
    call: (client, _args, options) => client.submits(options),
  }),
  createOwnListCommand({
    path: ['deliveries'],
    summary: 'delivery reports that came back, segment by segment',
    filters: {
      ...partFilters,
      status: { type: 'string', choices: DELIVERY_STATUSES, filter: 'status', summary: 'with this status' },
      ...timeFilters,
    },
    examples: [
      { command: 'postrider deliveries --phone 13800139001', shows: 'what the carrier said about one number' },
    ],
    shape: deliveryShape,
    noun: 'delivery records',
    call: (client, _args, options) => client.deliveries(options),
  }),
  ...ownListCommands,
  createOwnRecordCommand({
    path: ['account'],
    summary: 'the balance',
    examples: [{ command: 'postrider account --json | jq -r .available', shows: 'the available amount alone' }],
    shape: accountShape,
    call: (client, _args, _body, options) => client.account(options),
  }),
];
