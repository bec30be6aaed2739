import type { Fault } from '../../domain/fault.js';
import { formatNo } from '../../domain/id.js';
import { listFromArray } from '../../store/list.js';
import {
  type Channel,
  type ChannelKind,
  type ConfigObject,
  changeChannel,
  createChannel,
  openChannelSecret,
  readChannel,
  readChannels,
} from '../../store/operator/channel.js';
import { oneOf } from '../list-query.js';
import { notFound } from '../problem.js';
import { ChannelAnswer } from './answers.js';
import { checkBody } from './check-body.js';
import {
  defineList,
  defineOperation,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
  takeIn,
} from './operator-route.js';
import { requireFirms } from './require-firms.js';
import { ChangeChannel, CreateChannel } from './schemas.js';

const tag = 'Channels';

export function makeChannelRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineOperation({
      method: 'POST',
      path: '/channels',
      name: 'createChannel',
      tag,
      summary: 'Create a channel',
      body: { schema: CreateChannel, example: { name: 'Simulator', kind: 'simulator', firms: ['cmcc'] } },
      answer: { status: 201, schema: ChannelAnswer, description: 'The channel with its `channel_no` and health.' },
      problems: ['firm_unavailable'],
      handle: async (call) => {
        const checked: { config: ConfigObject; secret: ConfigObject } = { config: {}, secret: {} };
        const body = checkBody(CreateChannel, call.body, {
          defaults: true,
          refine: ({ kind, config }) =>
            kind === undefined || config === undefined ? [] : checkConfig(deps, kind, config, checked),
        });
        await requireFirms(deps, body.firms);
        const channelNo = formatNo('H', deps.nextId());
        const channel = await createChannel(deps.sql, deps.sealer, channelNo, { ...body, ...checked });
        await takeIn(deps);
        return renderChannel(channel);
      },
    }),
    defineOperation({
      method: 'PATCH',
      path: '/channels/{channel_no}',
      name: 'changeChannel',
      tag,
      summary: 'Change a channel',
      description: 'Fields of `config` that are left out keep their value; null takes one back to its default.',
      body: { schema: ChangeChannel },
      answer: { status: 200, schema: ChannelAnswer, description: 'The channel as it then is.' },
      problems: ['firm_unavailable'],
      handle: async (call) => {
        const channelNo = readParam(call, 'channel_no');
        const current = await readChannel(deps.sql, channelNo);
        if (current === undefined) throw notFound();
        const secret = await openChannelSecret(deps.sql, deps.sealer, channelNo);
        const checked: { config: ConfigObject; secret: ConfigObject } = { config: current.config, secret };
        const { kind: _, ...body } = checkBody(ChangeChannel, call.body, {
          defaults: false,
          refine: ({ kind, config }) => [
            ...(kind === undefined || kind === current.kind ? [] : [KIND_FIXED]),
            ...(config === undefined
              ? []
              : checkConfig(deps, current.kind, mergeConfig({ ...current.config, ...secret }, config), checked)),
          ],
        });
        if (body.firms !== undefined) await requireFirms(deps, body.firms);
        const channel = await changeChannel(deps.sql, deps.sealer, channelNo, { ...body, ...checked });
        if (channel === undefined) throw notFound();
        await takeIn(deps);
        return renderChannel(channel);
      },
    }),
    defineOperation({
      method: 'GET',
      path: '/channels/{channel_no}',
      name: 'getChannel',
      tag,
      summary: 'Show a channel',
      answer: { status: 200, schema: ChannelAnswer, description: 'The channel.' },
      handle: async (call) => {
        const channel = await readChannel(deps.sql, readParam(call, 'channel_no'));
        if (channel === undefined) throw notFound();
        return renderChannel(channel);
      },
    }),
    defineList({
      path: '/channels',
      name: 'listChannels',
      item: ChannelAnswer,
      tag,
      summary: 'List channels',
      list: {
        name: 'channels',
        timed: false,
        filters: {
          kind: oneOf(['simulator', 'smpp'], 'Only of this kind.'),
          status: oneOf(['active', 'disabled'], 'Only with this status.'),
        },
        isKey: () => true,
      },
      source: async (_, { filters }) => {
        const channels = (await readChannels(deps.sql)).filter(
          (channel) =>
            channel.kind === (filters.kind ?? channel.kind) && channel.status === (filters.status ?? channel.status),
        );
        return listFromArray(channels, (channel) => channel.channel_no);
      },
      render: renderChannel,
    }),
  ];
}

const KIND_FIXED: Fault = { pointer: '/kind', code: 'out_of_range', message: 'a channel keeps its kind for good' };

/** Puts the checked configuration into `checked`. */
function checkConfig(
  deps: OperatorDeps,
  kind: ChannelKind,
  config: ConfigObject,
  checked: { config: ConfigObject; secret: ConfigObject },
): readonly Fault[] {
  const result = deps.checkChannelConfig(kind, config);
  if ('faults' in result) {
    return result.faults.map((fault) => ({ ...fault, pointer: `/config${fault.pointer}` }));
  }
  checked.config = result.config;
  checked.secret = result.secret;
  return [];
}

function mergeConfig(current: ConfigObject, change: ConfigObject): ConfigObject {
  return Object.fromEntries(Object.entries({ ...current, ...change }).filter(([, value]) => value !== null));
}

/** The stored configuration has no secret fields, so there is none to leave out. */
function renderChannel(channel: Channel) {
  const { channel_no, name, kind, firms, status, parts_per_second, config, health, created_at, updated_at } = channel;
  return {
    channel_no,
    name,
    kind,
    firms,
    status,
    parts_per_second,
    config,
    health,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
