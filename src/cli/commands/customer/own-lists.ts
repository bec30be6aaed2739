import { createOwnListCommand } from '../../api-command.js';
import type { Command } from '../../command.js';
import { phoneFilter, templateFilters } from '../../list-filters.js';
import {
  optOutShape,
  ownServiceAccountShape,
  ownTemplateShape,
  usableFirmShape,
} from '../../output/operator-shapes.js';
import { unsentShape } from '../../output/shapes.js';

/** What the caller may send with, and what still waits to be sent. */
export const ownListCommands: readonly Command[] = [
  createOwnListCommand({
    path: ['templates'],
    summary: 'your templates and their variables',
    filters: templateFilters,
    shape: ownTemplateShape,
    noun: 'templates',
    call: (client, _args, options) => client.templates(options),
  }),
  createOwnListCommand({
    path: ['service-accounts'],
    summary: 'addresses that your messages can come from',
    shape: ownServiceAccountShape,
    noun: 'service accounts',
    call: (client, _args, options) => client.serviceAccounts(options),
  }),
  createOwnListCommand({
    path: ['firms'],
    summary: 'carriers that you can use, and what a segment costs there',
    shape: usableFirmShape,
    noun: 'carriers',
    call: (client, _args, options) => client.firms(options),
  }),
  createOwnListCommand({
    path: ['unsent'],
    summary: 'numbers of a task that were not handed over yet',
    arguments: [{ name: 'TASK', summary: 'number of the task', required: true }],
    examples: [{ command: 'postrider unsent T1M7EN1DEDRV8T --all', shows: 'every number that still waits' }],
    shape: unsentShape,
    noun: 'unsent numbers',
    call: (client, [taskNo = ''], options) => client.unsent(taskNo, options),
  }),
  createOwnListCommand({
    path: ['opt-outs'],
    summary: 'numbers that opted out of your messages',
    filters: { phone: phoneFilter },
    examples: [{ command: 'postrider opt-outs --phone 13800138000', shows: 'whether one number has opted out' }],
    shape: optOutShape,
    noun: 'opt-outs',
    call: (client, _args, options) => client.optOuts(options),
  }),
];
