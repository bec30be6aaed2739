// What a customer may use, and whom it must leave alone.

import { Type } from '@sinclair/typebox';
import { MAX_PHONE_LENGTH } from '../phone/phone.js';
import { closedObject, line } from './fields.js';

export const GrantFields = closedObject({ channel_no: line(64, 'A channel that exists.') });

export interface Grant {
  readonly channel_no: string;
  readonly created_at: Date;
}

export const ListedNumberFields = closedObject({ phone: Type.String({ minLength: 1, maxLength: MAX_PHONE_LENGTH }) });

/** A number on a list of a customer's. */
export interface ListedNumber {
  /** One key for every spelling of the number. */
  readonly phone_key: bigint;
  readonly phone: string;
  readonly created_at: Date;
}

export interface OptOut extends ListedNumber {
  readonly source: 'uplink' | 'operator';
}

export type CapExemption = ListedNumber;
