import type { ChannelFailureFilters, ChannelRequest, ChannelTestRequest, FirmRequest } from '@postrider/client';
import { Type } from '@sinclair/typebox';
import { ChannelFields } from '../../../domain/entities/channel.js';
import { ChannelTestFields } from '../../../domain/entities/channel-test.js';
import { FirmFields } from '../../../domain/entities/firm.js';
import { FAILURE_EVENTS } from '../../../domain/platform.js';
import { createListCommand, createRecordCommand } from '../../api-command.js';
import { applyPreset, presetOptions } from '../../channel-preset.js';
import type { Command } from '../../command.js';
import { changeOptionsOf, optionsOf } from '../../entity-options.js';
import { customerFilter, taskFilter, timeFilters } from '../../list-filters.js';
import {
  auditShape,
  channelEventShape,
  channelKindShape,
  channelShape,
  channelTestShape,
  failureShape,
  firmShape,
  keptReportShape,
  numberCustomerShape,
  setAsideShape,
  unclaimedUplinkShape,
  unknownPartShape,
} from '../../output/operator-shapes.js';
import type { BodyFields } from '../../request-body.js';

// The firm itself is an argument, and a channel keeps its kind.
const NamedFirmFields = Type.Omit(FirmFields, ['firm']);
const ChangeableChannelFields = Type.Omit(ChannelFields, ['kind']);
const firmNames = { prefixes: 'prefix' };
const channelNames = { firms: 'firm', failover_codes: 'failover-code' };
const channelSecret = {
  password: {
    type: 'boolean',
    as: 'secret',
    field: 'config.password',
    summary: 'ask for the password of the account, or take it from standard input',
  },
} as const;

const { kind: kindOption, ...otherOptions } = optionsOf(ChannelFields, channelNames);
/** A preset has its kind. */
const newChannelOptions: BodyFields = {
  ...otherOptions,
  ...(kindOption && { kind: { ...kindOption, required: false } }),
};

const channelOption = { type: 'string', value: 'CHANNEL', filter: 'channelNo', summary: 'of this channel' } as const;
const channelArgument = { name: 'CHANNEL', summary: 'number of the channel', required: true };
const firmArgument = { name: 'FIRM', summary: 'short name, such as cmcc', required: true };

export const platformCommands: readonly Command[] = [
  createRecordCommand({
    path: ['firm', 'create'],
    summary: 'create a carrier: a network that numbers are reached through',
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
    summary: 'change a carrier',
    arguments: [firmArgument],
    fields: changeOptionsOf(NamedFirmFields, firmNames),
    shape: firmShape,
    call: (client, [firm = ''], body, options) => client.updateFirm(firm, body, options),
  }),
  createListCommand({
    path: ['firm', 'list'],
    summary: 'carriers',
    shape: firmShape,
    noun: 'carriers',
    call: (client, _args, options) => client.firms(options),
  }),
  createRecordCommand({
    path: ['channel', 'create'],
    summary: 'create a channel: one upstream connection',
    fields: { ...newChannelOptions, ...channelSecret, ...presetOptions },
    shape: channelShape,
    examples: [
      {
        command: 'postrider channel create --name sim --kind simulator --firm cmcc --config \'{"receipt_ms":500}\'',
        shows: 'a simulated upstream, for trials',
      },
      {
        command: 'postrider channel create --name Twilio --preset twilio --firm cmcc --secrets',
        shows: 'a known provider',
      },
    ],
    call: (client, _args, body, options) =>
      client.createChannel(applyPreset(body) as unknown as ChannelRequest, options),
  }),
  createRecordCommand({
    path: ['channel', 'update'],
    summary: 'change a channel',
    arguments: [channelArgument],
    fields: {
      ...changeOptionsOf(ChangeableChannelFields, channelNames),
      ...channelSecret,
      secrets: presetOptions.secrets,
    },
    shape: channelShape,
    examples: [{ command: 'postrider channel update CHANNEL --parts-per-second 200', shows: 'a new rate' }],
    call: (client, [channelNo = ''], body, options) => client.updateChannel(channelNo, applyPreset(body), options),
  }),
  createRecordCommand({
    path: ['channel', 'rotate-callback-token'],
    summary: 'make a new callback token; the addresses before work for 24 hours more',
    arguments: [channelArgument],
    shape: channelShape,
    call: (client, [channelNo = ''], _body, options) => client.rotateCallbackToken(channelNo, options),
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
    path: ['channel', 'kinds'],
    summary: 'kinds of channels; --json has the fields of their configuration',
    shape: channelKindShape,
    noun: 'kinds',
    call: (client, _args, options) => client.channelKinds(options),
  }),
  createRecordCommand({
    path: ['channel', 'test'],
    summary: 'send a real message through one channel, at no customer’s cost',
    arguments: [channelArgument],
    fields: optionsOf(ChannelTestFields),
    shape: channelTestShape,
    examples: [
      { command: 'postrider channel test CHANNEL --phone 13800138000', shows: 'see: postrider channel tests CHANNEL' },
    ],
    call: (client, [channelNo = ''], body, options) =>
      client.testChannel(channelNo, body as unknown as ChannelTestRequest, options),
  }),
  createListCommand({
    path: ['channel', 'tests'],
    summary: 'the last test messages of a channel and their outcomes',
    arguments: [channelArgument],
    shape: channelTestShape,
    noun: 'tests',
    call: (client, [channelNo = ''], options) => client.channelTests(channelNo, options),
  }),
  createListCommand({
    path: ['channel', 'log'],
    summary: 'the last binds, losses and refusals of a channel’s sessions',
    arguments: [channelArgument],
    shape: channelEventShape,
    noun: 'events',
    call: (client, [channelNo = ''], options) => client.channelEvents(channelNo, options),
  }),
  createListCommand({
    path: ['channel', 'failures'],
    summary: 'failed segments of a channel by code, across all customers',
    arguments: [channelArgument],
    filters: {
      event: {
        type: 'string',
        value: 'EVENT',
        filter: 'event',
        choices: FAILURE_EVENTS,
        required: true,
        summary: 'what happened: an answer to a segment, or the status of a report',
      },
      code: { type: 'string', value: 'CODE', filter: 'code', required: true, summary: 'with exactly this code' },
      ...timeFilters,
    },
    shape: failureShape,
    noun: 'segments',
    examples: [
      {
        command: 'postrider channel failures CHANNEL --event undelivered --code UNDELIV --start 1h',
        shows: 'which numbers a code of the last hour stands for',
      },
    ],
    call: (client, [channelNo = ''], options) => client.channelFailures(channelNo, options as ChannelFailureFilters),
  }),
  createListCommand({
    path: ['number'],
    summary: 'the customers that sent to a number or got replies from it; in the audit log',
    arguments: [{ name: 'PHONE', summary: 'any spelling of the number', required: true }],
    shape: numberCustomerShape,
    noun: 'customers',
    examples: [{ command: 'postrider number 13800138000', shows: 'whose message it was, and its outcome' }],
    call: (client, [phone = ''], options) => client.numberCustomers(phone, options),
  }),
  createListCommand({
    path: ['unknown'],
    summary: 'segments whose acceptance an operator has to decide',
    filters: { customer: customerFilter, channel: channelOption, task: taskFilter },
    shape: unknownPartShape,
    noun: 'segments',
    examples: [{ command: 'postrider unknown --channel CHANNEL', shows: 'what to ask a carrier about' }],
    call: (client, _args, options) => client.unknownParts(options),
  }),
  createListCommand({
    path: ['set-aside'],
    summary: 'the retry queue: failed work, with its error',
    shape: setAsideShape,
    noun: 'entries',
    call: (client, _args, options) => client.setAside(options),
  }),
  createListCommand({
    path: ['kept-reports'],
    summary: 'delivery reports that match no segment',
    filters: { channel: channelOption },
    shape: keptReportShape,
    noun: 'reports',
    call: (client, _args, options) => client.keptReports(options),
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
    filters: {
      actor: { type: 'string', value: 'NAME', filter: 'actor', summary: 'by this operator' },
      action: { type: 'string', value: 'ACTION', filter: 'action', summary: 'such as customer.change' },
      subject: {
        type: 'string',
        value: 'SUBJECT',
        filter: 'subject',
        summary: 'of this customer, channel, task or carrier',
      },
      ...timeFilters,
    },
    examples: [
      {
        command: 'postrider audit-log --actor root --start 1d',
        shows: 'what was done with the root token since yesterday',
      },
    ],
    shape: auditShape,
    noun: 'entries',
    call: (client, _args, options) => client.auditLog(options),
  }),
];
