// What a message part costs: a customer, or us on a channel. By firm, prefix and class, from a date on.

import { type Static, Type } from '@sinclair/typebox';
import { inForm } from '../request/text-forms.js';
import { MESSAGE_CLASSES } from '../rules/message-class.js';
import { closedObject, nullable, time, unitPrice, words } from './fields.js';
import { firmName } from './firm.js';

const unit_price = unitPrice('Of one segment at this carrier.');

export const RateFields = closedObject({
  firm: firmName,
  class: nullable(words(MESSAGE_CLASSES), {
    default: null,
    description: 'Only for messages of this class; null: for every class.',
  }),
  prefix: nullable(Type.String({ maxLength: 16, ...inForm('prefix') }), {
    default: null,
    description: 'Only for numbers that begin with these E.164 digits; null: for every number of the carrier.',
  }),
  unit_price,
  valid_from: nullable(time('From when it applies.'), {
    default: null,
    description: 'From when it applies, not in the past; null or left out: from now on.',
  }),
});
export const RateChanges = closedObject({ unit_price });

export type RateTerms = Static<typeof RateFields>;

/** A row of a price list, as the operator API shows it. */
export interface StoredRate extends RateTerms {
  readonly valid_from: Date;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A caller's clock may be this far behind. */
export const MAX_PAST_MS = 30_000;
