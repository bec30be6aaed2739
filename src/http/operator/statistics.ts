// What was sent, what it brought in and what it cost: by day, customer, channel, firm, class or template.

import { Type } from '@sinclair/typebox';
import { errorText } from '../../domain/fault/error-text.js';
import { asCustomerId } from '../../domain/id.js';
import { sumAllToTheEnd } from '../../pipeline/maintenance/sum-up.js';
import {
  readBillingTimeZones,
  readTraffic,
  TRAFFIC_BREAKDOWNS,
  type TrafficBreakdown,
  type TrafficRow,
} from '../../store/money/traffic.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import { unavailable } from '../problem/problem.js';
import { type AskedTimes, checkKeptTimes } from '../query/kept-times.js';
import { oneOf, parseTimedQuery, timeParameters } from '../query/list-query.js';
import { answerOf, orNull } from '../resources/entity-answers.js';
import { formatMillionths } from '../resources/ledger-view.js';
import { describePath, type OperatorDeps, type OperatorRoute } from './operator-route.js';

const filters = {
  by: {
    ...oneOf(TRAFFIC_BREAKDOWNS, 'What to add up by. A day is that of the billing time zone of each customer.'),
    default: 'day',
  },
};
/** Later than any receipt, and a whole day: it is not looked for among receipts. */
const END_OF_TIME_MS = Date.UTC(2248, 0, 1);

const amount = (description: string) => Type.String({ description });

const TrafficAnswer = answerOf(
  { $id: 'OperatorStatistic', description: 'What was sent, charged and paid for one key and currency.' },
  {
    key: orNull(
      Type.String({
        description: 'The day, customer_no, channel_no, carrier, class or template_no; null where there is none.',
      }),
    ),
    name: orNull(Type.String({ description: 'Of the customer, channel or template.' })),
    currency: Type.String({ description: 'Of the customers. An item has the sums of one currency.' }),
    numbers: Type.Integer({ minimum: 0, description: 'Those whose receipt was made in this time.' }),
    parts: Type.Integer({ minimum: 0 }),
    delivered: Type.Integer({ minimum: 0 }),
    charged: amount('What customers were charged.'),
    refunded: orNull(amount('What of it they got back. This and what follows is null by template: it is not kept.')),
    cost: orNull(amount('What channels charge us.')),
    margin: orNull(amount('`charged` less `refunded` and `cost`.')),
  },
);

export function createStatisticsRoute(deps: OperatorDeps): OperatorRoute {
  return {
    ...describePath('/statistics'),
    method: 'GET',
    name: 'getOperatorStatistics',
    permission: 'read',
    tag: 'Statistics',
    summary: 'Sum numbers, charges, costs and margin',
    description:
      'Over all customers. A number counts when its receipt is made. `start_at` and `end_at` are exact to the millisecond; a time of whole hours costs least. Hours are kept for 400 days: before that, both must be midnight in the billing time zones of all customers; where retention has deleted the receipts, whole hours. Days come in their order, others with the most numbers first.',
    query: { ...filters, ...timeParameters },
    answer: {
      status: 200,
      description: 'All there are, without pages.',
      schema: Type.Object({ items: Type.Array(TrafficAnswer) }, { $id: 'OperatorStatistics' }),
    },
    problems: [],
    handle: ({ requestTarget }) => showStatistics(deps, requestTarget),
  };
}

async function showStatistics(deps: OperatorDeps, requestTarget: string) {
  const query = await parseTimedQuery(filters, requestTarget, (asked) => checkTimes(deps, asked));
  const by: TrafficBreakdown = (query.filters.by as TrafficBreakdown | undefined) ?? 'day';
  const span = { from: query.startMs ?? 0, until: query.endMs ?? END_OF_TIME_MS };
  const rows: TrafficRow[] = [];
  for (const bucket of deps.snapshot.current().buckets()) {
    if (!(await sumAllToTheEnd(deps.sql, bucket))) throw unavailable(errorText('platform_sums_not_ready'), 30);
    rows.push(...(await readTraffic(deps.readers, bucket, by, span)));
  }
  const order = (one: TrafficRow, other: TrafficRow) =>
    by === 'day' ? compare(one.key, other.key) : other.numbers - one.numbers || compare(one.key, other.key);
  return {
    items: addUp(rows)
      .sort(order)
      .map((row) => render(deps, by, row)),
  };
}

/** One span is for all customers: in old days it must cut no day of any of them. */
async function checkTimes({ readers, snapshot, now }: OperatorDeps, asked: AskedTimes) {
  const buckets = snapshot.current().buckets();
  const zones = await Promise.all(buckets.map((bucket) => readBillingTimeZones(readers, bucket)));
  return checkKeptTimes(readers, asked, [...new Set(zones.flat())].sort(), now());
}

/** Rows of several buckets under one key. */
function addUp(rows: readonly TrafficRow[]): TrafficRow[] {
  const sums = new Map<string, TrafficRow>();
  for (const row of rows) {
    const key = `${row.currency} ${row.key}`;
    const sum = sums.get(key);
    sums.set(key, sum === undefined ? row : add(sum, row));
  }
  return [...sums.values()];
}

function add(one: TrafficRow, other: TrafficRow): TrafficRow {
  return {
    key: one.key,
    currency: one.currency,
    numbers: one.numbers + other.numbers,
    parts: one.parts + other.parts,
    delivered: one.delivered + other.delivered,
    charged: one.charged + other.charged,
    refunded: addKnown(one.refunded, other.refunded),
    cost: addKnown(one.cost, other.cost),
  };
}

function addKnown(one: bigint | null, other: bigint | null): bigint | null {
  return one === null || other === null ? null : one + other;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function render({ snapshot }: OperatorDeps, by: TrafficBreakdown, row: TrafficRow) {
  const named = nameKey(snapshot.current(), by, row.key);
  const { charged, refunded, cost } = row;
  return {
    key: named.key || null,
    name: named.name ?? null,
    currency: row.currency,
    numbers: row.numbers,
    parts: row.parts,
    delivered: row.delivered,
    charged: formatMillionths(charged),
    refunded: refunded === null ? null : formatMillionths(refunded),
    cost: cost === null ? null : formatMillionths(cost),
    margin: refunded === null || cost === null ? null : formatMillionths(charged - refunded - cost),
  };
}

/** What people call the key of a row: its number, and its name where it has one. */
function nameKey(known: Snapshot, by: TrafficBreakdown, key: string): { key?: string | undefined; name?: string } {
  switch (by) {
    case 'customer': {
      const customer = known.customer(asCustomerId(BigInt(key)));
      return customer === undefined ? {} : { key: customer.customerNo, name: customer.name };
    }
    case 'channel': {
      const channel = known.channel(BigInt(key));
      return channel === undefined ? {} : { key: channel.channelNo, name: channel.name };
    }
    case 'template': {
      const template = known.templateById(BigInt(key));
      return template === undefined ? {} : { key: template.templateNo, name: template.name };
    }
    default:
      return { key };
  }
}
