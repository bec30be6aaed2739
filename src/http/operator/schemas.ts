// The bodies of the operator API that are no entities. Those are described in the domain.

import { Type } from '@sinclair/typebox';
import { closedObject, line, words } from '../../domain/entities/fields.js';
import type { Money } from '../../domain/money/money.js';

const creditFields = {
  remark: Type.Optional(line(500, 'Shown in the ledger.')),
  reference: Type.Optional(
    line(128, 'Unique for the customer: repeating it changes nothing and answers the first entry.'),
  ),
};
export const CreateTopup = closedObject({
  amount: Type.Unsafe<Money>({ type: 'string', format: 'positive-amount', maxLength: 32 }),
  ...creditFields,
});
export const CreateAdjustment = closedObject({
  amount: Type.Unsafe<Money>({
    type: 'string',
    format: 'signed-amount',
    maxLength: 32,
    description: 'Negative to take away.',
  }),
  ...creditFields,
});

export const ResolveTask = closedObject({
  outcome: words(['accepted', 'not_accepted']),
  seqs: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: 5000 }), {
      minItems: 1,
      maxItems: 5000,
      description: 'Positions of the numbers; all unknown ones when left out.',
    }),
  ),
  remark: Type.Optional(line(500, 'Kept in the audit log.')),
});
export const RevealText = closedObject({
  seq: Type.Integer({ minimum: 1, maximum: 5000, description: 'Position of the number.' }),
});
export const MoveTask = closedObject({});
