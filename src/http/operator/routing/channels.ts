import { Type } from '@sinclair/typebox';
import { isPermitted } from '../../../domain/access/permissions.js';
import {
  type Channel,
  ChannelChanges,
  ChannelFields,
  type ConfigObject,
  OLD_CALLBACK_TOKEN_HOURS,
} from '../../../domain/entities/channel.js';
import { type ErrorText, errorText } from '../../../domain/fault/error-text.js';
import { createFault, type Fault } from '../../../domain/fault/fault.js';
import { formatNo } from '../../../domain/id.js';
import { toPlain } from '../../../domain/plain.js';
import { listFromArray } from '../../../store/list.js';
import {
  type AdmitChannel,
  changeChannel,
  createChannel,
  readChannel,
  readChannels,
  rotateCallbackToken,
  type SplitConfig,
} from '../../../store/operator/channel.js';
import { checkBody } from '../../body/check-body.js';
import { invalidRequest, notFound } from '../../problem/problem.js';
import { oneOf } from '../../query/list-query.js';
import { ChannelAnswer } from '../answers.js';
import {
  type CheckChannelConfig,
  defineChange,
  defineShowAndList,
  type OperatorCall,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
} from '../operator-route.js';
import { requireFirms } from './require-firms.js';

const tag = 'Channels';
/** Of callback addresses. */
const TOKEN_BYTES = 32;

export function createChannelRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineChange(deps, {
      method: 'POST',
      path: '/channels',
      name: 'createChannel',
      tag,
      summary: 'Create a channel',
      body: { schema: ChannelFields, example: { name: 'Simulator', kind: 'simulator', firms: ['cmcc'] } },
      answer: { status: 201, schema: ChannelAnswer, description: 'The channel with its `channel_no` and health.' },
      problems: ['firm_unavailable'],
      change: async (call, context) => {
        let parted: SplitConfig = { config: {}, secret: {} };
        const body = checkBody(ChannelFields, call.body, {
          defaults: true,
          refine: ({ kind, config }) => {
            if (kind === undefined) return [];
            const unknown = findUnknownKind(deps, kind);
            if (unknown !== undefined) return [createFault('/kind', 'out_of_range', unknown)];
            if (config === undefined) return [];
            const checked = checkConfig(deps, kind, config);
            if ('faults' in checked) return checked.faults;
            parted = checked;
            return [];
          },
        });
        await requireFirms(deps, body.firms);
        const channelNo = formatNo('H', deps.nextId());
        const terms = { ...body, ...parted };
        const token = deps.channelKinds.hasCallbacks(body.kind) ? createToken(deps) : null;
        return createChannel(context, deps.sealer, channelNo, terms, token, admitWith(deps));
      },
      render: renderChannel,
    }),
    defineChange(deps, {
      method: 'PATCH',
      path: '/channels/{channel_no}',
      name: 'changeChannel',
      tag,
      summary: 'Change a channel',
      description: 'Fields of `config` that are left out keep their value; null takes one back to its default.',
      body: { schema: ChannelChanges },
      answer: { status: 200, schema: ChannelAnswer, description: 'The channel as it then is.' },
      problems: ['firm_unavailable'],
      change: async (call, context) => {
        const channelNo = readParam(call, 'channel_no');
        if ((await readChannel(deps.sql, channelNo)) === undefined) throw notFound();
        // The fields are checked before the firms are looked up, the configuration under the lock of the channel.
        const { firms } = checkBody(ChannelChanges, call.body, { defaults: false });
        if (firms !== undefined) await requireFirms(deps, firms);
        return changeChannel(
          context,
          deps.sealer,
          channelNo,
          (current, secret) => reviseChannel(deps, call.body, current, secret),
          admitWith(deps),
        );
      },
      render: renderChannel,
    }),
    defineChange(deps, {
      method: 'POST',
      path: '/channels/{channel_no}/callback-token',
      name: 'rotateCallbackToken',
      tag,
      summary: 'Make a new callback token',
      description: `The addresses before work for ${OLD_CALLBACK_TOKEN_HOURS} hours more. Make two in a row to end a token that others know at once.`,
      answer: { status: 200, schema: ChannelAnswer, description: 'The channel with its new `callbacks`.' },
      change: async (call, context) => {
        const oldUntil = new Date(deps.now() + OLD_CALLBACK_TOKEN_HOURS * 3_600_000);
        const channelNo = readParam(call, 'channel_no');
        return rotateCallbackToken(context, channelNo, createToken(deps), oldUntil);
      },
      render: renderChannel,
    }),
    ...defineShowAndList({
      tag,
      path: '/channels',
      key: 'channel_no',
      item: ChannelAnswer,
      render: renderChannel,
      show: {
        name: 'getChannel',
        summary: 'Show a channel',
        answer: 'The channel.',
        find: (_, channelNo) => readChannel(deps.sql, channelNo),
      },
      list: {
        name: 'listChannels',
        summary: 'List channels',
        definition: {
          name: 'channels',
          timed: false,
          filters: {
            kind: Type.String({ minLength: 1, maxLength: 32, description: 'Only of this kind.' }),
            status: oneOf(['active', 'disabled'], 'Only with this status.'),
          },
          isKey: () => true,
        },
        source: async (_, { filters }) => {
          const unknown = filters.kind === undefined ? undefined : findUnknownKind(deps, filters.kind);
          if (unknown !== undefined) throw invalidRequest([createFault('?kind', 'out_of_range', unknown)]);
          const channels = (await readChannels(deps.sql)).filter(
            (channel) =>
              channel.kind === (filters.kind ?? channel.kind) && channel.status === (filters.status ?? channel.status),
          );
          return listFromArray(channels, (channel) => channel.channel_no);
        },
      },
    }),
  ];
}

/** Who has the callback token can report on messages and opt numbers out. */
function renderChannel(channel: Channel, { role }: OperatorCall) {
  return toPlain(isPermitted(role, 'configure') ? channel : { ...channel, callbacks: null });
}

function createToken({ randomBytes }: OperatorDeps): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

const KIND_FIXED: Fault = createFault('/kind', 'out_of_range', errorText('channel_kind_fixed'));

/** What a body changes of a channel as it is now. Throws a Problem that names every fault. */
function reviseChannel(deps: OperatorDeps, input: unknown, current: Channel, secret: ConfigObject) {
  let parted: Partial<SplitConfig> = {};
  const {
    kind: _,
    config: __,
    ...terms
  } = checkBody(ChannelChanges, input, {
    defaults: false,
    refine: ({ kind, config }) => {
      const faults = kind === undefined || kind === current.kind ? [] : [KIND_FIXED];
      if (config === undefined) return faults;
      const checked = checkConfig(deps, current.kind, mergeConfig({ ...current.config, ...secret }, config));
      if ('faults' in checked) return [...faults, ...checked.faults];
      parted = checked;
      return faults;
    },
  });
  return { ...terms, ...parted };
}

/** Refuses a channel that has what only one active channel of its kind may have. */
function admitWith({ channelKinds: { exclusiveClaimOf } }: OperatorDeps): AdmitChannel {
  return (channel, others) => {
    const claim = channel.status === 'active' ? exclusiveClaimOf(channel.kind, channel.config) : undefined;
    if (claim === undefined) return;
    const holder = others.find(
      ({ kind, status, config }) =>
        kind === channel.kind && status === 'active' && exclusiveClaimOf(kind, config)?.value === claim.value,
    );
    if (holder === undefined) return;
    const text = errorText('listen_login_taken', { channel: holder.channel_no });
    throw invalidRequest([createFault(`/config/${claim.field}`, 'not_allowed_together', text)]);
  };
}

function findUnknownKind({ channelKinds }: OperatorDeps, kind: string): ErrorText | undefined {
  if (channelKinds.traitsOf(kind) !== undefined) return undefined;
  const kinds = channelKinds.list.map((described) => described.kind);
  return errorText('not_one_of', { choices: kinds.join(', ') });
}

function checkConfig(deps: OperatorDeps, kind: string, config: ConfigObject): ReturnType<CheckChannelConfig> {
  const checked = deps.channelKinds.checkConfig(kind, config);
  if (!('faults' in checked)) return checked;
  return { faults: checked.faults.map((fault) => ({ ...fault, pointer: `/config${fault.pointer}` })) };
}

function mergeConfig(current: ConfigObject, change: ConfigObject): ConfigObject {
  return Object.fromEntries(Object.entries({ ...current, ...change }).filter(([, value]) => value !== null));
}
