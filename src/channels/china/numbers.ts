// Handset numbers. The platform writes E.164 without the plus sign; gateways of mainland China take eleven digits, with or
// without 86 before them.

const COUNTRY_CODE = '86';
const NATIONAL = /^1\d{10}$/;
const INTERNATIONAL = /^861\d{10}$/;

/** The eleven digits of a mainland number; any other number stays as it is. */
export function toNational(phone: string): string {
  return INTERNATIONAL.test(phone) ? phone.slice(COUNTRY_CODE.length) : phone;
}

/** E.164 without the plus sign; undefined when it is no number, such as a pseudo code. */
export function normaliseHandset(address: string): string | undefined {
  const digits = address.replace(/^(?:\+|00)/, '');
  if (!/^\d{3,}$/.test(digits)) return undefined;
  return NATIONAL.test(digits) ? COUNTRY_CODE + digits : digits;
}
