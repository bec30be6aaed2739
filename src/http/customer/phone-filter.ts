// A number as callers name it: in any spelling.

import { Type } from '@sinclair/typebox';
import { MAX_PHONE_LENGTH, normalisePhone, phoneKey, type Region } from '../../domain/phone/phone.js';

export const phoneFilter = Type.String({
  minLength: 1,
  maxLength: MAX_PHONE_LENGTH,
  description: 'Any spelling of the number.',
});

export function keyOfPhone(raw: string | undefined, region: Region): string | undefined {
  if (raw === undefined) return undefined;
  // A plus sign that was sent unescaped reads as a space in a query.
  const written = raw.startsWith(' ') ? `+${raw.slice(1)}` : raw;
  return phoneKey(written, normalisePhone(written, region));
}
