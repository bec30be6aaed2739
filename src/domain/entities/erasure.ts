// A request to erase a phone number.

import { Type } from '@sinclair/typebox';
import { MAX_PHONE_LENGTH } from '../phone/phone.js';
import { closedObject, line, nullable } from './fields.js';

export const ErasureFields = closedObject({
  phone: Type.String({ minLength: 1, maxLength: MAX_PHONE_LENGTH, description: 'Any spelling of it.' }),
  remark: nullable(line(200, 'Why.'), { default: null, description: 'Why; null: nothing.' }),
});
