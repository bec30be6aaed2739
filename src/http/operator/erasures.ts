// Requests to erase a phone number from everything that is stored.

import { Type } from '@sinclair/typebox';
import { maskText } from '../../domain/access/mask.js';
import { ErasureFields } from '../../domain/entities/erasure.js';
import { formatNo, parseNo } from '../../domain/id.js';
import { normalisePhone, phoneKey } from '../../domain/phone/phone.js';
import { createErasure, type Erasure, readErasure, readErasures } from '../../store/erasure/erasure.js';
import { listFromArray } from '../../store/list.js';
import { checkBody } from '../body/check-body.js';
import { findPhoneFaults } from '../body/check-phone.js';
import { oneOf } from '../query/list-query.js';
import { answerOf, orNull, Time } from '../resources/entity-answers.js';
import { defineChange, defineShowAndList, type OperatorDeps, type OperatorRoute } from './operator-route.js';

const tag = 'Erasures';

const ErasureAnswer = answerOf(
  { $id: 'Erasure', description: 'A request to replace a phone number by a hash in everything that is stored.' },
  {
    erasure_no: Type.String(),
    hash: Type.String({ description: '`erased-` and this stands where the number stood.' }),
    remark: orNull(Type.String({ description: 'With numbers in it masked.' })),
    status: oneOf(
      ['waiting', 'running', 'done'],
      'It waits for its turn, and while something of the number is open: see `waits_for`.',
    ),
    waits_for: orNull(Type.String({ description: 'What of the number is open.' })),
    counts: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
      description: 'Rows in which the number was replaced, by table; all of them once it is done.',
    }),
    created_by: Type.String({ description: 'The operator.' }),
    created_at: Time(),
    done_at: orNull(Time()),
  },
);

export function createErasureRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineChange(deps, {
      method: 'POST',
      path: '/erasures',
      name: 'createErasure',
      tag,
      summary: 'Erase a phone number',
      description:
        'Replaces the number by `erased-<hash>` in the records of all customers, in small steps while the service runs. Opt-outs keep working by the hash; money does not change. What is sent to the number later is recorded as usual.',
      body: { schema: ErasureFields, example: { phone: '13800138000', remark: 'Request 4711' } },
      answer: { status: 201, schema: ErasureAnswer, description: 'The erasure, which waits for its turn.' },
      change: async (call, context) => {
        const { phone, remark } = checkBody(ErasureFields, call.body, {
          defaults: true,
          refine: (body) => findPhoneFaults(body, deps.defaultRegion),
        });
        return createErasure(context, deps, {
          erasureId: deps.nextId(),
          digits: phoneKey(phone, normalisePhone(phone, deps.defaultRegion)),
          // The number must not stay behind in the note about its erasure.
          remark: remark === null ? null : maskText(remark),
        });
      },
      render: renderErasure,
    }),
    ...defineShowAndList({
      tag,
      path: '/erasures',
      key: 'erasure_no',
      item: ErasureAnswer,
      render: renderErasure,
      show: {
        name: 'getErasure',
        summary: 'Show an erasure',
        answer: 'The erasure, with what was replaced so far.',
        find: async (_, no) => {
          const erasureId = parseNo('X', no);
          return erasureId === undefined ? undefined : await readErasure(deps.sql, erasureId);
        },
      },
      list: {
        name: 'listErasures',
        summary: 'List erasures',
        description: 'The last thousand, newest first.',
        definition: { name: 'erasures', timed: false, filters: {} },
        source: async () => listFromArray(await readErasures(deps.sql), ({ erasure_id }) => String(erasure_id)),
      },
    }),
  ];
}

function renderErasure({ erasure_id, created_at, done_at, ...erasure }: Erasure) {
  return {
    erasure_no: formatNo('X', erasure_id),
    ...erasure,
    created_at: created_at.toISOString(),
    done_at: done_at?.toISOString() ?? null,
  };
}
