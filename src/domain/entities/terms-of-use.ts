// What a customer may use, and whom it must leave alone.

import { Type } from '@sinclair/typebox';
import { MAX_PHONE_LENGTH } from '../plan/phone.js';
import { closedObject, line } from './fields.js';

export const GrantFields = closedObject({ channel_no: line(64, 'A channel that exists.') });

export interface Grant {
  readonly channel_no: string;
  readonly created_at: Date;
}

export const OptOutFields = closedObject({ phone: Type.String({ minLength: 1, maxLength: MAX_PHONE_LENGTH }) });

export interface OptOut {
  /** One key for every spelling of the number. */
  readonly phone_key: bigint;
  readonly phone: string;
  readonly source: 'uplink' | 'operator';
  readonly created_at: Date;
}

export const CapExemptionFields = closedObject({ phone: Type.String({ minLength: 1, maxLength: MAX_PHONE_LENGTH }) });

/** A number that no cap of the customer applies to. */
export interface CapExemption {
  readonly phone_key: bigint;
  readonly phone: string;
  readonly created_at: Date;
}
