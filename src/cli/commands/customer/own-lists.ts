import type { Listing, OwnListOptions, PostriderClient } from '@postrider/client';
import { connectAsCustomer } from '../../access/connection.js';
import type { Command } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { classOption, phoneOption, readFilters, templateStatusOption } from '../../list-filters.js';
import {
  optOutShape,
  ownServiceAccountShape,
  ownTemplateShape,
  usableFirmShape,
} from '../../output/operator-shapes.js';
import { listOptions, printListing, type RecordShape } from '../../output/records.js';
import { unsentShape } from '../../output/shapes.js';
import { readPageSize } from '../../page-size.js';

/** What the caller may send with, and what still waits to be sent. */
export const ownListCommands: readonly Command[] = [
  {
    path: ['templates'],
    summary: 'your templates and their variables',
    options: { class: { ...classOption, summary: 'of this class' }, status: templateStatusOption, ...listOptions },
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const options = { pageSize: readPageSize(invocation), signal: invocation.terminal.signal };
      const listing = client.templates({
        ...options,
        ...readFilters(invocation, { class: 'class', status: 'status' }),
      });
      await printListing(invocation, listing, ownTemplateShape, 'templates');
      return exitCodes.ok;
    },
  },
  createOwnList(
    'service-accounts',
    'addresses that your messages can come from',
    ownServiceAccountShape,
    (client, options) => client.serviceAccounts(options),
  ),
  createOwnList(
    'firms',
    'carriers that you can use, and what a segment costs there',
    usableFirmShape,
    (client, options) => client.firms(options),
  ),
  {
    path: ['unsent'],
    summary: 'numbers of a task that were not handed over yet',
    arguments: [{ name: 'TASK', summary: 'number of the task', required: true }],
    options: listOptions,
    examples: [{ command: 'postrider unsent T1M7EN1DEDRV8T --all', shows: 'every number that still waits' }],
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const options = { pageSize: readPageSize(invocation), signal: invocation.terminal.signal };
      await printListing(invocation, client.unsent(invocation.argument(0), options), unsentShape, 'unsent numbers');
      return exitCodes.ok;
    },
  },
  {
    path: ['opt-outs'],
    summary: 'numbers that opted out of your messages',
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
      await printListing(
        invocation,
        list(client, options),
        shape,
        word === 'firms' ? 'carriers' : word.replace('-', ' '),
      );
      return exitCodes.ok;
    },
  };
}
