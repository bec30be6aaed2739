// What a customer may use, what it pays for it, and whom it must leave alone.

import { type Static, Type } from '@sinclair/typebox';
import { MAX_PHONE_LENGTH } from '../plan/phone.js';
import { closedObject, line, unitPrice } from './fields.js';
import { firmName } from './firm.js';

export const GrantFields = closedObject({ channel_no: line(64, 'A channel that exists.') });

export interface Grant {
  readonly channel_no: string;
  readonly created_at: Date;
}

const unit_price = unitPrice('Of one message part at this firm.');

export const PriceFields = closedObject({ firm: firmName, unit_price });
export const PriceChanges = closedObject({ unit_price });

export type PriceTerms = Static<typeof PriceFields>;

export interface Price extends PriceTerms {
  readonly created_at: Date;
  readonly updated_at: Date;
}

export const OptOutFields = closedObject({ phone: Type.String({ minLength: 1, maxLength: MAX_PHONE_LENGTH }) });

export interface OptOut {
  /** One key for every spelling of the number. */
  readonly phone_key: bigint;
  readonly phone: string;
  readonly source: 'uplink' | 'operator';
  readonly created_at: Date;
}
