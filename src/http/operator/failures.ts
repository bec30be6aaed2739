// From a count of an error code to the message parts that it came with.

import { Type } from '@sinclair/typebox';
import { formatNo, timeOfId } from '../../domain/id.js';
import { FAILURE_EVENTS } from '../../domain/platform.js';
import { readChannelId } from '../../store/operator/channel.js';
import { type FailureRecord, isFailureKey, listFailures } from '../../store/operator/failure.js';
import { notFound } from '../problem/problem.js';
import { oneOf } from '../query/list-query.js';
import { answerOf, orNull } from '../resources/entity-answers.js';
import { defineList, type OperatorDeps, type OperatorRoute, readParam } from './operator-route.js';

const event = oneOf(
  FAILURE_EVENTS,
  'An answer to a segment (`refused`, `unknown`), or the status of a report; as in `codes` of the platform.',
);
const MAX_CODE_LENGTH = 64;

const FailureAnswer = answerOf(
  { $id: 'Failure', description: 'A segment that failed on a channel.' },
  {
    event,
    code: Type.String({ description: "The upstream's own, or ours where it gave none." }),
    customer_no: orNull(Type.String()),
    task_no: Type.String(),
    seq: Type.Integer({ minimum: 1, description: 'Position of the number in its task.' }),
    part: Type.Integer({ minimum: 1 }),
    parts: Type.Integer({ minimum: 1 }),
    phone: Type.String({ description: 'As the customer wrote it.' }),
    firm: Type.String(),
    upstream_message_id: orNull(Type.String()),
    at: Type.String({
      format: 'date-time',
      description: 'When the segment was put on the wire; of a report, when it came.',
    }),
  },
);

export function createFailureRoute(deps: OperatorDeps): OperatorRoute {
  return defineList({
    path: '/channels/{channel_no}/failures',
    name: 'listChannelFailures',
    item: FailureAnswer,
    tag: 'Channels',
    summary: 'List the failed segments of a channel by code',
    description:
      'Of all customers, newest first: segments that were refused, segments whose answer is still unknown, and segments with a failed delivery report. Without a time range, segments from before the counts of the channel began are included. Throttled segments are retried and have no record here.',
    list: {
      name: 'channel-failures',
      timed: true,
      filters: {
        event,
        code: Type.String({ minLength: 1, maxLength: MAX_CODE_LENGTH, description: 'Exactly this one.' }),
      },
      needed: ['event', 'code'],
      isKey: isFailureKey,
    },
    source: async (call, { filters, startMs, endMs }) => {
      const channelId = await readChannelId(deps.sql, readParam(call, 'channel_no'));
      if (channelId === undefined) throw notFound();
      const buckets = deps.snapshot.current().buckets();
      return listFailures(deps.readers, buckets, { ...filters, channelId, startMs, endMs });
    },
    render: (failure) => renderFailure(deps, failure),
  });
}

function renderFailure({ snapshot }: OperatorDeps, failure: FailureRecord) {
  const { id, customerId, taskId, seq, part, parts, phone, firm, upstreamMessageId } = failure;
  return {
    event: failure.event,
    code: failure.code,
    customer_no: snapshot.current().customer(customerId)?.customerNo ?? null,
    task_no: formatNo('T', taskId),
    seq,
    part,
    parts,
    phone,
    firm,
    upstream_message_id: upstreamMessageId,
    at: timeOfId(id).toISOString(),
  };
}
