// Whether a channel works: what can be set on each kind, a test message through one, and the history of its sessions.

import { Type } from '@sinclair/typebox';
import { CHANNEL_FIELD_TYPES } from '../../../domain/entities/channel.js';
import {
  CHANNEL_EVENTS,
  type ChannelEvent,
  type ChannelTest,
  ChannelTestFields,
  fitsOnePart,
  TEST_STATUSES,
} from '../../../domain/entities/channel-test.js';
import { errorText } from '../../../domain/fault/error-text.js';
import { createFault, type Fault } from '../../../domain/fault/fault.js';
import { formatNo } from '../../../domain/id.js';
import type { Alphabet } from '../../../domain/message/parts.js';
import { normalisePhone, type Region } from '../../../domain/phone/phone.js';
import { DELIVERY_STATUSES } from '../../../domain/record/records.js';
import { readChannelEvents } from '../../../store/channel/channel-event.js';
import { listFromArray } from '../../../store/list.js';
import { readChannel } from '../../../store/operator/channel.js';
import { createChannelTest, readChannelTests } from '../../../store/operator/channel-test.js';
import { checkBody } from '../../body/check-body.js';
import { findPhoneFaults } from '../../body/check-phone.js';
import { notFound } from '../../problem/problem.js';
import { oneOf } from '../../query/list-query.js';
import { answerOf, created, orNull, Time } from '../../resources/entity-answers.js';
import type { Call } from '../../route.js';
import {
  actorContextFor,
  defineList,
  defineOperation,
  type OperatorDeps,
  type OperatorRoute,
  readParam,
} from '../operator-route.js';

const tag = 'Channels';

const ChannelKindFieldAnswer = Type.Object({
  name: Type.String({ description: 'Of the field of `config`.' }),
  label: Type.String({ description: 'As a form shows it.' }),
  type: oneOf(
    CHANNEL_FIELD_TYPES,
    '`choice`: one of `choices`. `strings`, `integers`: an array of them. `json`: any JSON.',
  ),
  required: Type.Boolean({ description: 'Whether a new channel must have it.' }),
  default: Type.Unknown({ description: 'What holds when it is left out; null: nothing.' }),
  secret: Type.Boolean({ description: 'Stored sealed and never shown again.' }),
  description: Type.String(),
  description_zh: Type.String({ description: 'The same in Chinese.' }),
  choices: orNull(Type.Array(Type.Union([Type.String(), Type.Boolean()]))),
  minimum: orNull(Type.Number()),
  maximum: orNull(Type.Number()),
  max_length: orNull(Type.Number({ description: 'Characters.' })),
  max_items: orNull(Type.Number()),
});

const ChannelKindAnswer = answerOf(
  { $id: 'ChannelKind', description: 'A kind of channel, with the fields of its `config`.' },
  {
    kind: Type.String({ description: 'What `kind` of a channel takes.' }),
    name: Type.String(),
    name_zh: Type.String({ description: 'The same in Chinese.' }),
    fields: Type.Array(ChannelKindFieldAnswer, { description: 'What `config` takes.' }),
  },
);

const ChannelTestAnswer = answerOf(
  { $id: 'ChannelTest', description: 'A message sent through one channel to see whether it works.' },
  {
    test_no: Type.String(),
    phone: Type.String({ description: 'In international form, without the plus sign.' }),
    sender: Type.String(),
    text: Type.String(),
    status: oneOf(
      TEST_STATUSES,
      '`queued` until the process that speaks for the channel takes it up; `not_sent` when none did within a minute, or the upstream turned it away for now.',
    ),
    code: orNull(Type.String({ description: 'What the upstream answered, where it did not accept.' })),
    upstream_message_id: orNull(Type.String()),
    report: orNull(
      Type.Object({
        status: oneOf(DELIVERY_STATUSES, 'Its outcome.'),
        code: Type.String(),
        received_at: Time(),
      }),
    ),
    created_by: Type.String(),
    ...created,
    submitted_at: orNull(Time()),
    answered_at: orNull(Time()),
  },
);

const ChannelEventAnswer = answerOf(
  { $id: 'ChannelEvent', description: 'An event of a channel or one of its sessions.' },
  {
    event_no: Type.Integer({ minimum: 1 }),
    at: Time(),
    owner: Type.String({ description: 'The process that spoke for the channel.' }),
    event: oneOf(CHANNEL_EVENTS, '`left_out` stands for many in a short time.'),
    detail: Type.String(),
  },
);

export function createChannelCheckRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineList({
      path: '/channel-kinds',
      name: 'listChannelKinds',
      item: ChannelKindAnswer,
      tag,
      summary: 'List the kinds of channels with the fields of their configuration',
      list: { name: 'channel-kinds', timed: false, filters: {}, isKey: () => true },
      source: async () => listFromArray(deps.channelKinds.list, ({ kind }) => kind),
      render: (kind) => kind,
    }),
    defineOperation({
      method: 'POST',
      path: '/channels/{channel_no}/tests',
      name: 'testChannel',
      permission: 'configure',
      tag,
      summary: 'Send a test message through a channel',
      description:
        'Sends a real message through the channel, once. It belongs to no customer and costs none. The list of tests shows its outcome.',
      body: { schema: ChannelTestFields, example: { phone: '13800138000' } },
      answer: { status: 201, schema: ChannelTestAnswer, description: 'The test, waiting to be sent.' },
      handle: async (call) => {
        const channel = await requireChannel(deps, call);
        const { alphabet } = deps.channelKinds.traitsOf(channel.kind) ?? { alphabet: 'gsm7' };
        const body = checkBody(ChannelTestFields, call.body, {
          defaults: true,
          refine: (given) => findFaults(given, deps.defaultRegion, alphabet),
        });
        const test = await createChannelTest(actorContextFor(deps, call), channel.channel_no, {
          test_id: deps.nextId(),
          phone: normalisePhone(body.phone, deps.defaultRegion) ?? body.phone,
          sender: body.sender ?? '',
          text: body.text,
        });
        deps.onChannelTest();
        return renderTest(test);
      },
    }),
    defineList({
      path: '/channels/{channel_no}/tests',
      name: 'listChannelTests',
      item: ChannelTestAnswer,
      tag,
      summary: 'List the last hundred test messages of a channel',
      list: { name: 'channel-tests', timed: false, filters: {} },
      source: async (call) => {
        const { channel_no } = await requireChannel(deps, call);
        return listFromArray(await readChannelTests(deps.sql, channel_no), ({ test_id }) => String(test_id));
      },
      render: renderTest,
    }),
    defineList({
      path: '/channels/{channel_no}/events',
      name: 'listChannelEvents',
      item: ChannelEventAnswer,
      tag,
      summary: 'List the last two hundred events of a channel and its sessions',
      description: 'When it was opened and by which process, binds, lost and refused sessions with the reason.',
      list: { name: 'channel-events', timed: false, filters: {} },
      source: async (call) => {
        const { channel_no } = await requireChannel(deps, call);
        return listFromArray(await readChannelEvents(deps.sql, channel_no), ({ event_no }) => String(event_no));
      },
      render: renderEvent,
    }),
  ];
}

async function requireChannel(deps: OperatorDeps, call: Call) {
  const channel = await readChannel(deps.sql, readParam(call, 'channel_no'));
  if (channel === undefined) throw notFound();
  return channel;
}

function findFaults(
  given: { phone?: string | undefined; text?: string | undefined },
  region: Region,
  alphabet: Alphabet,
): Fault[] {
  const faults = findPhoneFaults(given, region);
  if (given.text !== undefined && !fitsOnePart(given.text, alphabet)) {
    faults.push(createFault('/text', 'too_long', errorText('longer_than_one_part')));
  }
  return faults;
}

function renderTest({ test_id, report_status, report_code, reported_at, ...test }: ChannelTest) {
  return {
    test_no: formatNo('E', test_id),
    ...test,
    created_at: test.created_at.toISOString(),
    submitted_at: test.submitted_at?.toISOString() ?? null,
    answered_at: test.answered_at?.toISOString() ?? null,
    report:
      report_status === null || reported_at === null
        ? null
        : { status: report_status, code: report_code ?? '', received_at: reported_at.toISOString() },
  };
}

function renderEvent({ event_no, at, ...event }: ChannelEvent) {
  return { event_no: Number(event_no), at: at.toISOString(), ...event };
}
