import { type TSchema, Type } from '@sinclair/typebox';
import { CODE_EVENTS } from '../../../domain/platform.js';
import { oneOf } from '../../query/list-query.js';
import { answerOf, orNull, Time } from '../../resources/entity-answers.js';
import { ChannelHealthAnswer } from '../answers.js';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const figure = (description: string) => Type.Number({ minimum: 0, description });

const waiting = (name: string, of: string): TSchema =>
  Type.Object({
    [name]: count(of),
    is_exact: Type.Boolean({ description: 'False where more wait than are counted, or of more customers.' }),
    oldest_at: orNull(Type.String({ format: 'date-time', description: 'Since when the oldest of them waits.' })),
  });

const ChannelRow = Type.Object({
  channel_no: Type.String(),
  name: Type.String(),
  kind: Type.String({ description: 'The protocol it speaks: one of `GET channel-kinds`.' }),
  status: oneOf(['active', 'disabled'], 'A disabled channel carries nothing.'),
  health: ChannelHealthAnswer,
  lease: orNull(
    Type.Object({
      token: Type.Integer({ description: 'Rises with every change of owner.' }),
      expires_at: Type.String({
        format: 'date-time',
        description: 'When another process may take it, unless renewed.',
      }),
    }),
  ),
  window: orNull(
    Type.Object({
      in_flight: count('Segments that wait for their answer, over all sessions.'),
      size: count('How many may.'),
    }),
  ),
  rate: Type.Object({
    configured: orNull(Type.Integer({ description: 'Segments a second that it may carry; null: no limit.' })),
    pace: orNull(Type.Number({ description: 'What it holds itself to now, such as after being throttled.' })),
    parts_per_second: figure('Answered over the last seconds.'),
    reports_per_second: figure('Reported over the last seconds.'),
  }),
  queue: waiting('parts', 'Unsent segments in its queue.'),
  counted: orNull(
    Type.Object({
      since: Time(),
      at: Time(),
      accepted: count('Segments that the upstream accepted.'),
      refused: count('Segments that it refused.'),
      throttled: count('Segments that it turned away for now; they go again.'),
      unknown: count('Segments whose answer was lost.'),
      unsent: count('Segments that were given back; they go again.'),
      reports: count('Delivery reports that came.'),
    }),
  ),
  codes: Type.Array(
    Type.Object({
      event: oneOf(CODE_EVENTS, 'An answer to a segment, or the status of a report.'),
      code: Type.String({ description: "The upstream's own." }),
      count: count('How often it was seen.'),
      last_at: Type.String({ format: 'date-time', description: 'When it was last seen.' }),
    }),
    { description: 'The twenty seen most, of what did not go well.' },
  ),
});

const NodeRow = Type.Object({
  node: Type.String({ description: 'Host, process and a random word; the `owner` of its channels.' }),
  roles: Type.Array(Type.String()),
  version: Type.String(),
  started_at: Time(),
  seen_at: Time(),
  is_alive: Type.Boolean({ description: 'False when it was not heard of for 15 seconds.' }),
  channels: count('Channels that it speaks for.'),
  requests: count('Answered since its start.'),
  requests_in_flight: count('Being handled.'),
  sends_waiting: count('Sends that wait for the next commit.'),
  memory_bytes: count('Resident memory.'),
  lost_commits: count(
    'Segments that an upstream answered or reported and that the database no longer knew to be sent, since its start. Anything but 0: the database has lost commits.',
  ),
  lag_ms: figure('99 of 100 turns of its event loop were late by less.'),
});

export const PlatformAnswer = answerOf(
  { $id: 'Platform', description: 'The state of the platform now.' },
  {
    at: Time(),
    to_prepare: waiting('tasks', 'Tasks that wait to be prepared.'),
    channels: Type.Array(ChannelRow),
    nodes: Type.Array(NodeRow, { description: 'Every process, also those that fell silent within a day.' }),
    books: orNull(
      Type.Object({
        imbalances: count('Accounts that do not stand where their last ledger entry left them.'),
        checked_at: Time(),
      }),
    ),
    rejections: Type.Object(
      {
        since: Time(),
        reasons: Type.Array(
          Type.Object({
            code: Type.String({ description: 'As in their receipts.' }),
            count: count('Numbers with it, of all customers.'),
            customers: Type.Array(Type.Object({ customer_no: Type.String(), count: count('Of this customer.') }), {
              description: 'The three with the most.',
            }),
          }),
          { description: 'The most frequent first.' },
        ),
      },
      { description: 'Numbers that were rejected since the beginning of the last hour, by reason. A few seconds old.' },
    ),
  },
);
