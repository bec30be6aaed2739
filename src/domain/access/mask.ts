// How numbers look to a masked caller: `138****9001`. Everything that is shown to one goes through `maskAnswer`. It masks by default
// and knows the few fields whose digits are no phone number, so that a new field of an answer is masked until it is named here.

import { type FoundNumber, findNumbers } from './numbers-in-text.js';

const DIGIT = /\p{Nd}/gu;
const STARS = 4;
const SHOWN_END = 4;
/** Shorter ones are service numbers and codes. */
const MIN_DIGITS = 7;
const MAX_DIGITS = 15;

/** The four digits before the last four are replaced; whatever is between the digits stays. */
export function maskPhone(phone: string): string {
  const count = phone.match(DIGIT)?.length ?? 0;
  if (count < MIN_DIGITS || isErased(phone)) return phone;
  const end = count - (count > STARS + SHOWN_END - 1 ? SHOWN_END : 2);
  let index = 0;
  return phone.replace(DIGIT, (digit) => {
    const at = index++;
    return at >= end - STARS && at < end ? '*' : digit;
  });
}

function isErased(phone: string): boolean {
  return phone.startsWith('erased-');
}

/** Every phone number in it, and what may be one. */
export function maskText(text: string): string {
  return maskFound(text, findNumbers(text));
}

/**
 * An identifier, which may contain a phone number: only what is certainly one is masked, because the caller asks for it by its identifier,
 * such as `spring-20261114`.
 */
function maskIdentifier(text: string): string {
  return maskFound(
    text,
    findNumbers(text).filter(({ isCertain }) => isCertain),
  );
}

/** Whether a part of it is certainly a phone number. */
export function containsNumber(text: string): boolean {
  return findNumbers(text).some(({ isCertain }) => isCertain);
}

function maskFound(text: string, found: readonly FoundNumber[]): string {
  let masked = '';
  let last = 0;
  for (const { start, end } of found) {
    masked += text.slice(last, start) + maskDigits(text.slice(start, end));
    last = end;
  }
  return masked + text.slice(last);
}

/** More digits than a number has may be several numbers without a blank. */
function maskDigits(digits: string): string {
  const count = digits.match(DIGIT)?.length ?? 0;
  if (count <= MAX_DIGITS) return maskPhone(digits);
  let index = 0;
  return digits.replace(DIGIT, (digit) => (index++ < count - SHOWN_END ? '*' : digit));
}

/** Fields that are no phone number and contain none: identifiers of ours, times, secrets, prefixes, texts of templates. */
const NOT_MASKED =
  /(?:_no|_at|_until|_hash|cursor|api_key|secret|token|version|prefix|prefixes|body)$|^(?:request_id|hash)$/;
const IS_PHONE = /(?:^|_)phones?$/;
/** `client_request_id` and its like are a customer's own words. */
const IS_ID = /_id$/;
const AMOUNT = /^-?\d+\.\d{6}$/;

/** The same value with every phone number masked. */
export function maskAnswer<Value>(value: Value, field = ''): Value {
  return maskValue(value, field) as Value;
}

function maskValue(value: unknown, field: string): unknown {
  if (typeof value === 'string') return maskString(value, field);
  if (Array.isArray(value)) return value.map((item) => maskValue(item, field));
  return isPlain(value) ? maskMembers(value) : value;
}

function maskMembers(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const masked: Record<string, unknown> = {};
  // The sender of a message is a service number; of an inbound one, which has a recipient, it is the handset.
  const senderField = 'recipient' in record ? 'phone' : 'sender_no';
  for (const [name, value] of Object.entries(record)) {
    masked[name] = maskValue(value, name === 'sender' ? senderField : name);
  }
  return masked;
}

function maskString(text: string, field: string): string {
  if (IS_PHONE.test(field)) return maskPhone(text);
  // What is kept of a message to a webhook is a text that contains records.
  if (field === 'request_body' || field === 'response_body') return maskText(text);
  if (NOT_MASKED.test(field) || AMOUNT.test(text)) return text;
  return IS_ID.test(field) ? maskIdentifier(text) : maskText(text);
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
