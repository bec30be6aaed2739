// The outcome that a send would have.

import { Type } from '@sinclair/typebox';
import { ENCODINGS } from '../../../domain/message/parts.js';
import { oneOf } from '../../query/list-query.js';
import { orNull } from '../../resources/entity-answers.js';
import { Amount, Count, Phone, Position } from './fields.js';

export const PreviewSchema = Type.Object(
  {
    total: Count(),
    sendable: Count(),
    rejected: Count(),
    parts: Count('Segments of all sendable numbers.'),
    price: Amount('What reserving would take.'),
    currency: Type.String(),
    available: Amount('The balance that can be reserved; a postpaid customer may go below zero.'),
    affordable: Type.Boolean({ description: 'Whether the price would be reserved now.' }),
    waits_for: orNull(oneOf(['funds', 'limit'], 'Where it would not: what the task would wait for.')),
    firms: Type.Array(
      Type.Object({ firm: Type.String(), numbers: Count(), parts: Count(), unit_price: Amount(), price: Amount() }),
    ),
    rejections: Type.Array(
      Type.Object({
        seq: Position(),
        phone: Phone,
        code: Type.String({ description: 'The code that its receipt would have.' }),
        description: Type.String({ description: 'In words, ours.' }),
        suggested_phone: orNull(
          Type.String({
            description: 'For `invalid_number`: what was likely meant, such as `+4915112345678` for `4915112345678`.',
          }),
        ),
      }),
      { maxItems: 100, description: 'The first 100 numbers that would not be sent to.' },
    ),
    samples: Type.Array(
      Type.Object({
        seq: Type.Integer({ minimum: 1 }),
        phone: Phone,
        text: Type.String(),
        encoding: oneOf(
          ENCODINGS,
          'The alphabet, which depends on the text and on the channel: 160, 140 or 70 characters fit one segment, 153, 134 or 67 each of several.',
        ),
        parts: Type.Integer({ minimum: 1 }),
        price: Amount(),
      }),
      { maxItems: 10, description: 'The first 10 numbers that would be sent to, with their texts.' },
    ),
  },
  { $id: 'Preview', description: 'The outcome that a send would have. Nothing is stored.' },
);
