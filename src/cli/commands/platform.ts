import type { ChannelRequest, FirmRequest } from '@postrider/client';
import type { Command } from '../command.js';
import { createListCommand, createRecordCommand } from '../operator-command.js';
import { auditShape, channelShape, firmShape, unclaimedUplinkShape } from '../operator-shapes.js';
import { type BodyFields, makeOptional } from '../request-body.js';

const firmFields: BodyFields = {
  name: { field: 'name', as: 'text', type: 'string', value: 'NAME', summary: 'what people call it' },
  prefix: {
    field: 'prefixes',
    as: 'words',
    type: 'string',
    multiple: true,
    value: 'PREFIX',
    summary: 'E.164 prefixes that it serves (any number)',
  },
};

const channelFields: BodyFields = {
  name: { field: 'name', as: 'text', type: 'string', value: 'NAME', required: true, summary: 'what people call it' },
  kind: {
    field: 'kind',
    as: 'text',
    type: 'string',
    choices: ['simulator', 'smpp'],
    required: true,
    summary: 'who answers on the other end',
  },
  firm: {
    field: 'firms',
    as: 'words',
    type: 'string',
    multiple: true,
    value: 'FIRM',
    required: true,
    summary: 'firms that it serves',
  },
  status: {
    field: 'status',
    as: 'text',
    type: 'string',
    choices: ['active', 'disabled'],
    summary: 'active unless said',
  },
  'parts-per-second': {
    field: 'parts_per_second',
    as: 'whole number',
    type: 'string',
    value: 'COUNT',
    summary: 'its rate',
  },
  config: { field: 'config', as: 'json', type: 'string', value: 'JSON', summary: 'settings of its kind' },
};

const channelArgument = { name: 'CHANNEL', summary: 'number of the channel', required: true };
const firmArgument = { name: 'FIRM', summary: 'short name, such as cmcc', required: true };

export const platformCommands: readonly Command[] = [
  createRecordCommand({
    path: ['firm', 'create'],
    summary: 'create a firm: a network that numbers are reached through',
    arguments: [firmArgument],
    fields: firmFields,
    shape: firmShape,
    examples: [
      {
        command: 'postrider firm create cmcc --name "China Mobile" --prefix 86134,86135',
        shows: 'serves two prefixes',
      },
    ],
    call: (client, [firm = ''], body, options) => client.createFirm({ firm, ...body } as FirmRequest, options),
  }),
  createRecordCommand({
    path: ['firm', 'update'],
    summary: 'change a firm',
    arguments: [firmArgument],
    fields: makeOptional(firmFields),
    shape: firmShape,
    call: (client, [firm = ''], body, options) => client.updateFirm(firm, body, options),
  }),
  createListCommand({
    path: ['firm', 'list'],
    summary: 'firms',
    shape: firmShape,
    noun: 'firms',
    call: (client, _args, options) => client.firms(options),
  }),
  createRecordCommand({
    path: ['channel', 'create'],
    summary: 'create a channel: one upstream connection',
    fields: channelFields,
    shape: channelShape,
    examples: [
      {
        command: 'postrider channel create --name sim --kind simulator --firm cmcc --config \'{"receipt_ms":500}\'',
        shows: 'an upstream that needs nobody',
      },
    ],
    call: (client, _args, body, options) => client.createChannel(body as unknown as ChannelRequest, options),
  }),
  createRecordCommand({
    path: ['channel', 'update'],
    summary: 'change a channel',
    arguments: [channelArgument],
    fields: makeOptional(channelFields),
    shape: channelShape,
    examples: [{ command: 'postrider channel update CHANNEL --parts-per-second 200', shows: 'a new rate' }],
    call: (client, [channelNo = ''], body, options) => client.updateChannel(channelNo, body, options),
  }),
  createRecordCommand({
    path: ['channel', 'show'],
    summary: 'one channel: configuration and health',
    arguments: [channelArgument],
    shape: channelShape,
    call: (client, [channelNo = ''], _body, options) => client.channel(channelNo, options),
  }),
  createListCommand({
    path: ['channel', 'list'],
    summary: 'channels and their health',
    shape: channelShape,
    noun: 'channels',
    call: (client, _args, options) => client.channels(options),
  }),
  createListCommand({
    path: ['unclaimed-uplinks'],
    summary: 'inbound messages to addresses that no service account has',
    shape: unclaimedUplinkShape,
    noun: 'messages',
    call: (client, _args, options) => client.unclaimedUplinks(options),
  }),
  createListCommand({
    path: ['audit-log'],
    summary: 'every change by an operator: who, when, what',
    shape: auditShape,
    noun: 'entries',
    call: (client, _args, options) => client.auditLog(options),
  }),
];
