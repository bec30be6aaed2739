import type { ChannelRequest, FirmRequest } from '@postrider/client';
import { Type } from '@sinclair/typebox';
import { ChannelFields } from '../../domain/entities/channel.js';
import { FirmFields } from '../../domain/entities/firm.js';
import type { Command } from '../command.js';
import { changeOptionsOf, optionsOf } from '../entity-options.js';
import { createListCommand, createRecordCommand } from '../operator-command.js';
import { auditShape, channelShape, firmShape, unclaimedUplinkShape } from '../operator-shapes.js';

// The firm itself is an argument, and a channel keeps its kind.
const NamedFirmFields = Type.Omit(FirmFields, ['firm']);
const ChangeableChannelFields = Type.Omit(ChannelFields, ['kind']);
const firmNames = { prefixes: 'prefix' };
const channelNames = { firms: 'firm' };

const channelArgument = { name: 'CHANNEL', summary: 'number of the channel', required: true };
const firmArgument = { name: 'FIRM', summary: 'short name, such as cmcc', required: true };

export const platformCommands: readonly Command[] = [
  createRecordCommand({
    path: ['firm', 'create'],
    summary: 'create a firm: a network that numbers are reached through',
    arguments: [firmArgument],
    fields: optionsOf(NamedFirmFields, firmNames),
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
    fields: changeOptionsOf(NamedFirmFields, firmNames),
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
    fields: optionsOf(ChannelFields, channelNames),
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
    fields: changeOptionsOf(ChangeableChannelFields, channelNames),
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
