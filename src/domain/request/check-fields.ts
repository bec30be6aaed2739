// Checks what came from outside against the description that the API reference shows for it. Written by hand rather than
// compiled: it finds every fault at once, names each with the contract's code, counts characters as people do, says what is
// allowed, and turns amounts into money and times into dates.

import { isIP } from 'node:net';
import type { Static, TSchema } from '@sinclair/typebox';
import {
  addTextFault,
  addTooMany,
  addUnknownFields,
  findTextFault,
  isFields,
  type TextFault,
} from '../fault/body-faults.js';
import { type ErrorText, errorText } from '../fault/error-text.js';
import { addFault, type Fault, isFull, joinPointer } from '../fault/fault.js';
import { isTimeZone } from '../local-time.js';
import { formatMoney, MAX_CREDIT, MAX_MONEY, MAX_UNIT_PRICE, parseMoney } from '../money/money.js';
import { parseRfc3339Ms } from '../rfc3339.js';
import { parsePeriod } from '../rules/caps.js';
import { countCharacters, hasControlCharacter, isStorableText } from '../text.js';
import { explainPattern } from './text-forms.js';

export interface CheckOptions<Body> {
  /** Creations fill in the defaults of the schema; changes leave out what was left out. */
  readonly defaults: boolean;
  /** Rules that a schema cannot say. It gets the fields that have no fault of their own. */
  readonly refine?: (body: Partial<Body>) => readonly Fault[];
}

export type Checked<Value> =
  | { readonly value: Value; readonly faults?: undefined }
  | { readonly value?: undefined; readonly faults: readonly Fault[] };

export function checkFields<Schema extends TSchema>(
  schema: Schema,
  input: unknown,
  options: CheckOptions<Static<Schema>>,
): Checked<Static<Schema>> {
  const faults: Fault[] = [];
  const checked = checkValue(schema, input, '', { faults, defaults: options.defaults });
  if (options.refine !== undefined && isFields(checked)) {
    const sound = Object.entries(checked).filter(([name]) => !hasFault(faults, joinPointer('', name)));
    const refined = options.refine(Object.fromEntries(sound) as Partial<Static<Schema>>);
    for (const fault of refined) if (!isFull(faults)) faults.push(fault);
  }
  return faults.length > 0 ? { faults } : { value: checked as Static<Schema> };
}

interface Check {
  readonly faults: Fault[];
  readonly defaults: boolean;
}

/** The value with defaults filled in, amounts as money and times as dates. After a fault it is the input. */
function checkValue(schema: TSchema, value: unknown, pointer: string, check: Check): unknown {
  const variants = schema.anyOf as readonly TSchema[] | undefined;
  if (variants !== undefined) {
    if (variants.every((variant) => 'const' in variant)) return checkChoice(variants, value, pointer, check);
    return checkVariants(variants, value, pointer, check);
  }
  switch (schema.type) {
    case 'string':
      return checkString(schema, value, pointer, check);
    case 'integer':
    case 'number':
      return checkNumber(schema, value, pointer, check);
    case 'boolean':
      if (typeof value !== 'boolean') addFault(check.faults, pointer, 'type', errorText('not_boolean'));
      return value;
    case 'array':
      return checkArray(schema, value, pointer, check);
    case 'object':
      return checkObject(schema, value, pointer, check);
    default:
      checkFree(value, pointer, check);
      return value;
  }
}

/** By the variant of the value's own type; where none is, the words name them all. */
function checkVariants(variants: readonly TSchema[], value: unknown, pointer: string, check: Check): unknown {
  if (value === null && variants.some(({ type }) => type === 'null')) return null;
  const others = variants.filter(({ type }) => type !== 'null');
  const [only] = others;
  if (only === undefined) return value;
  const fitting = others.length === 1 ? only : others.find(({ type }) => (TYPES[type]?.of ?? type) === typeof value);
  if (fitting !== undefined) return checkValue(fitting, value, pointer, check);
  const types = others.map(({ type }) => TYPES[type]?.words ?? type).join(' or ');
  addFault(check.faults, pointer, 'type', errorText('not_of_type', { types }));
  return value;
}

/** What JavaScript calls the types of a schema, and what people do. */
const TYPES: Readonly<Record<string, { readonly of: string; readonly words: string }>> = {
  string: { of: 'string', words: 'a string' },
  integer: { of: 'number', words: 'a whole number' },
  number: { of: 'number', words: 'a number' },
};

function checkChoice(variants: readonly TSchema[], value: unknown, pointer: string, { faults }: Check): unknown {
  const choices: readonly unknown[] = variants.map((variant) => variant.const);
  if (choices.includes(value)) return value;
  const code = choices.some((choice) => typeof choice === typeof value) ? 'out_of_range' : 'type';
  addFault(faults, pointer, code, errorText('not_one_of', { choices: choices.join(', ') }));
  return value;
}

function checkObject(schema: TSchema, value: unknown, pointer: string, check: Check): unknown {
  if (!isFields(value)) {
    addFault(check.faults, pointer, 'type', pointer === '' ? errorText('body_not_object') : errorText('not_object'));
    return value;
  }
  const properties = schema.properties as Readonly<Record<string, TSchema>> | undefined;
  if (properties === undefined) {
    checkFree(value, pointer, check);
    return value;
  }
  addUnknownFields(check.faults, pointer, value, new Set(Object.keys(properties)));
  const required = new Set((schema.required as readonly string[] | undefined) ?? []);
  const checked: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    const member = given === undefined && check.defaults ? property.default : given;
    if (member !== undefined) checked[name] = checkValue(property, member, joinPointer(pointer, name), check);
    else if (required.has(name)) addFault(check.faults, joinPointer(pointer, name), 'required', errorText('required'));
  }
  return checked;
}

function checkArray(schema: TSchema, value: unknown, pointer: string, check: Check): unknown {
  if (!Array.isArray(value)) {
    addFault(check.faults, pointer, 'type', errorText('not_array'));
    return value;
  }
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    addFault(check.faults, pointer, 'too_few', explainCount(schema.minItems, 'no_entries', 'too_few_entries'));
  }
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    addTooMany(check.faults, pointer, value.length, schema.maxItems);
    return value;
  }
  const checked: unknown[] = [];
  for (const [index, item] of value.entries()) {
    if (isFull(check.faults)) return value;
    // An entry of a list is always whole, also in a change.
    const entry = checkValue(schema.items as TSchema, item, joinPointer(pointer, index), { ...check, defaults: true });
    checked.push(entry);
  }
  // Repeating an entry of a list changes nothing in any of them, so it is no fault.
  return [...new Set(checked)];
}

function checkNumber(schema: TSchema, value: unknown, pointer: string, { faults }: Check): unknown {
  const isWhole = schema.type === 'integer';
  if (typeof value !== 'number' || (isWhole && !Number.isInteger(value))) {
    addFault(faults, pointer, 'type', isWhole ? errorText('not_whole_number') : errorText('not_number'));
    return value;
  }
  const { minimum = -Infinity, maximum = Infinity } = schema;
  if (value < minimum || value > maximum) {
    addFault(faults, pointer, 'out_of_range', explainRange(minimum, maximum));
  }
  return value;
}

function explainRange(min: number, max: number): ErrorText {
  if (max === Infinity) return errorText('below_minimum', { min });
  return min === -Infinity ? errorText('above_maximum', { max }) : errorText('not_between', { min, max });
}

function explainCount<More extends 'too_few_entries' | 'too_short'>(
  min: number,
  one: 'no_entries' | 'empty',
  more: More,
): ErrorText {
  return min === 1 ? errorText(one) : errorText<'too_few_entries' | 'too_short'>(more, { min });
}

function checkString(schema: TSchema, value: unknown, pointer: string, { faults }: Check): unknown {
  if (typeof value !== 'string') {
    addFault(faults, pointer, 'type', isAmount(schema) ? errorText('not_decimal_string') : errorText('not_string'));
    return value;
  }
  const words = schema.enum as readonly string[] | undefined;
  if (words !== undefined) {
    if (!words.includes(value))
      addFault(faults, pointer, 'out_of_range', errorText('not_one_of', { choices: words.join(', ') }));
    return value;
  }
  if (schema.minLength !== undefined && countCharacters(value) < schema.minLength) {
    addFault(faults, pointer, 'too_short', explainCount(schema.minLength, 'empty', 'too_short'));
    return value;
  }
  const unfit = findTextFault(value, schema.maxLength ?? Infinity);
  if (unfit !== undefined) {
    addFault(faults, pointer, unfit.code, unfit.text);
    return value;
  }
  if (typeof schema.pattern === 'string' && !new RegExp(schema.pattern, 'u').test(value)) {
    addFault(faults, pointer, 'format', explainPattern(schema.pattern));
    return value;
  }
  const wrong = typeof schema.format === 'string' ? formats[schema.format]?.(value) : undefined;
  if (wrong !== undefined) addFault(faults, pointer, wrong.code, wrong.text);
  return wrong === undefined ? convert(schema, value) : value;
}

/** Amounts become Money and times become Date, so that unchecked values cannot be used in their place. */
function convert(schema: TSchema, text: string): unknown {
  if (isAmount(schema)) return parseMoney(text, 'signed');
  return schema.format === 'date-time' ? new Date(parseRfc3339Ms(text) ?? Number.NaN) : text;
}

type Wrong = TextFault | undefined;

const DECIMAL = /^-?(0|[1-9]\d*)(\.\d{1,6})?$/;
const NOT_DECIMAL = errorText('not_decimal');
/** The most that an amount can be. */
const MOST = formatMoney(MAX_MONEY);
const MOST_CREDIT = formatMoney(MAX_CREDIT);

const formats: Readonly<Record<string, (text: string) => Wrong>> = {
  /** One line of text. */
  line: (text) => (hasControlCharacter(text) ? { code: 'format', text: errorText('control_characters') } : undefined),
  amount: (text) => checkAmount(text, 'unsigned', () => true, errorText('not_between', { min: 0, max: MOST })),
  'price-amount': (text) =>
    checkAmount(
      text,
      'unsigned',
      (money) => money <= MAX_UNIT_PRICE,
      errorText('not_between', { min: 0, max: formatMoney(MAX_UNIT_PRICE) }),
    ),
  'positive-amount': (text) =>
    checkAmount(
      text,
      'unsigned',
      (money) => money > 0n && money <= MAX_CREDIT,
      errorText('not_positive', { max: MOST_CREDIT }),
    ),
  'signed-amount': (text) =>
    checkAmount(
      text,
      'signed',
      (money) => money !== 0n && money <= MAX_CREDIT && -money <= MAX_CREDIT,
      errorText('zero_or_too_large', { max: MOST_CREDIT }),
    ),
  'date-time': (text) =>
    parseRfc3339Ms(text) === undefined ? { code: 'format', text: errorText('not_time') } : undefined,
  'cap-period': (text) =>
    parsePeriod(text) === undefined ? { code: 'format', text: errorText('not_cap_period') } : undefined,
  'time-zone': (text) =>
    isTimeZone(text) ? undefined : { code: 'out_of_range', text: errorText('unknown_time_zone') },
  'address-block': (text) =>
    isAddressBlock(text) ? undefined : { code: 'format', text: errorText('not_address_block') },
};

function isAmount(schema: TSchema): boolean {
  return typeof schema.format === 'string' && schema.format.endsWith('amount');
}

function checkAmount(
  text: string,
  sign: 'unsigned' | 'signed',
  isAllowed: (money: bigint) => boolean,
  allowed: ErrorText,
): Wrong {
  if (!DECIMAL.test(text)) return { code: 'format', text: NOT_DECIMAL };
  const money = parseMoney(text, sign);
  return money !== undefined && isAllowed(money) ? undefined : { code: 'out_of_range', text: allowed };
}

function isAddressBlock(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Values that are checked elsewhere must still be storable. */
function checkFree(value: unknown, pointer: string, check: Check): void {
  if (isFull(check.faults)) return;
  if (typeof value === 'string') addTextFault(check.faults, pointer, value, Infinity);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const place = joinPointer(pointer, Array.isArray(value) ? Number(name) : name);
    if (!isStorableText(name)) addFault(check.faults, place, 'format', errorText('name_not_storable'));
    checkFree(member, place, check);
  }
}

function hasFault(faults: readonly Fault[], pointer: string): boolean {
  return faults.some((fault) => fault.pointer === pointer || fault.pointer.startsWith(`${pointer}/`));
}
