// How many numbers had which outcome.

import { Type } from '@sinclair/typebox';
import { orNull } from '../../resources/entity-answers.js';
import { Amount, Count } from './fields.js';

export const outcomeFields = {
  total: Count(),
  delivered: Count(),
  undelivered: Count(),
  expired: Count(),
  rejected: Count(),
  cancelled: Count('Not sent: cancelled, or not sent before `expires_at`. Not among `rejected`.'),
  handed_over: Count('Given to a carrier, whatever came of it. The delivery rate is `delivered` of these.'),
  parts: Count(),
  charged: Amount('What these numbers were charged; what was refunded since is not taken off.'),
};

export const StatisticSchema = Type.Object(
  {
    key: orNull(
      Type.String({ description: 'The day, the start of the hour, the template, carrier or code. Null: none.' }),
    ),
    ...outcomeFields,
  },
  { $id: 'Statistic' },
);
