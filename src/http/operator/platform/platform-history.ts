// The throughput of channels over the last minutes or hours, for charts.

import { Type } from '@sinclair/typebox';
import { readThroughput } from '../../../store/channel/channel-minute.js';
import { notFound } from '../../problem/problem.js';
import { oneOf, parseWordsQuery } from '../../query/list-query.js';
import { answerOf, Time } from '../../resources/entity-answers.js';
import { describePath, type OperatorDeps, type OperatorRoute } from '../operator-route.js';

const RANGES = ['15m', '1h', '6h', '24h'] as const;
type Range = (typeof RANGES)[number];

/** As many columns as a chart can show. */
const SPANS: Readonly<Record<Range, { readonly minutes: number; readonly step: number }>> = {
  '15m': { minutes: 15, step: 1 },
  '1h': { minutes: 60, step: 1 },
  '6h': { minutes: 360, step: 5 },
  '24h': { minutes: 1440, step: 20 },
};

const count = (description: string) => Type.Integer({ minimum: 0, description });

const PlatformHistoryAnswer = answerOf(
  { $id: 'PlatformHistory', description: 'What all channels, or one, carried over time.' },
  {
    at: Time(),
    range: oneOf(RANGES, 'How far it goes back.'),
    step_seconds: Type.Integer({ description: 'How much time an item covers.' }),
    items: Type.Array(
      Type.Object({
        at: Type.String({ format: 'date-time', description: 'When its time begins.' }),
        accepted: count('Segments that upstreams accepted.'),
        refused: count('Segments that they refused.'),
        throttled: count('Segments that they turned away for now.'),
        unknown: count('Segments whose answer was lost.'),
        reports: count('Delivery reports that came.'),
      }),
      { description: 'The oldest first. A time in which no channel was open is missing.' },
    ),
  },
);

const filters = {
  range: { ...oneOf(RANGES, 'How far to look back.'), default: '1h' },
  channel_no: Type.String({ minLength: 1, maxLength: 64, description: 'Only of this channel.' }),
};

export function createPlatformHistoryRoute({ sql, snapshot, now }: OperatorDeps): OperatorRoute {
  return {
    ...describePath('/platform/history'),
    method: 'GET',
    name: 'getPlatformHistory',
    permission: 'read',
    tag: 'Platform',
    summary: 'Show channel traffic over time',
    description: 'Over all channels or one, recorded once a minute and kept for a day; `/metrics` is for longer.',
    query: filters,
    answer: { status: 200, schema: PlatformHistoryAnswer, description: 'The last minutes or hours.' },
    problems: [],
    handle: async ({ requestTarget }) => {
      const { range: asked, channel_no: channelNo } = parseWordsQuery(filters, requestTarget);
      const range = (asked ?? '1h') as Range;
      const { minutes, step } = SPANS[range];
      const channel = channelNo === undefined ? undefined : snapshot.current().channelByNo(channelNo);
      if (channelNo !== undefined && channel === undefined) throw notFound();
      const rows = await readThroughput(sql, minutes, step, channel?.channelId);
      const items = rows.map(({ at, ...counts }) => ({ at: at.toISOString(), ...counts }));
      return { at: new Date(now()).toISOString(), range, step_seconds: step * 60, items };
    },
  };
}
