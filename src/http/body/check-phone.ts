import { errorText } from '../../domain/fault/error-text.js';
import { createFault, type Fault } from '../../domain/fault/fault.js';
import { normalisePhone, type Region } from '../../domain/phone/phone.js';

/** For the `refine` of a body with a `phone`: a text that is no number in the region or in E.164. */
export function findPhoneFaults({ phone }: { readonly phone?: string | undefined }, region: Region): Fault[] {
  return phone === undefined || normalisePhone(phone, region) !== undefined
    ? []
    : [createFault('/phone', 'format', errorText('not_phone'))];
}
