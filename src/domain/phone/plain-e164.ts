// Numbers written plainly in E.164, a plus sign and digits, judged with the library's own metadata compiled once. The library
// compiles its expressions for every number and takes up to 30 µs; 5,000 foreign numbers would take the event loop 150 ms.
//
// This path only accepts. Numbers that it does not recognise go to the library, which decides; a property test compares the two.

import metadata from 'libphonenumber-js/max/metadata';

/** The places in the library's compact metadata (version 4), as its `Metadata` class reads them. */
const PATTERN = 2;
const NATIONAL_PREFIX = 5;
const NATIONAL_PREFIX_FOR_PARSING = 7;
const LEADING_DIGITS = 10;
const TYPES = 11;

const MAX_CALLING_CODE_DIGITS = 3;
const MIN_NATIONAL_DIGITS = 2;
const PLAIN_E164 = /^\+[1-9]\d{3,14}$/;

/** The numbering plan of one country. */
interface Plan {
  readonly pattern: RegExp;
  readonly leadingDigits: RegExp | undefined;
  readonly types: readonly NumberType[];
}

interface NumberType {
  readonly pattern: RegExp;
  /** Undefined: any length that the pattern allows. */
  readonly lengths: readonly number[] | undefined;
}

/** All countries with one calling code, in the library's order. */
interface CallingCode {
  readonly nationalPrefix: RegExp | undefined;
  readonly plans: readonly Plan[];
}

const callingCodes = new Map<string, CallingCode | undefined>();

/** The digits without the plus sign; undefined when the library has to decide. */
export function normalisePlainE164(raw: string): string | undefined {
  if (!PLAIN_E164.test(raw)) return undefined;
  for (let digits = 1; digits <= MAX_CALLING_CODE_DIGITS; digits++) {
    const known = findCallingCode(raw.slice(1, 1 + digits));
    if (known !== undefined) return isReal(raw.slice(1 + digits), known) ? raw.slice(1) : undefined;
  }
  return undefined;
}

function isReal(national: string, { nationalPrefix, plans }: CallingCode): boolean {
  if (national.length < MIN_NATIONAL_DIGITS) return false;
  // The library may strip what looks like a national prefix, or replace it.
  if (nationalPrefix?.test(national)) return false;
  const [only] = plans;
  const owner =
    plans.length === 1
      ? only
      : plans.find((plan) => (plan.leadingDigits ? plan.leadingDigits.test(national) : hasType(national, plan)));
  return owner !== undefined && hasType(national, owner);
}

function hasType(national: string, { pattern, types }: Plan): boolean {
  if (!pattern.test(national)) return false;
  return types.some(
    (type) => (type.lengths === undefined || type.lengths.includes(national.length)) && type.pattern.test(national),
  );
}

function findCallingCode(code: string): CallingCode | undefined {
  if (!callingCodes.has(code)) callingCodes.set(code, compileCallingCode(code));
  return callingCodes.get(code);
}

function compileCallingCode(code: string): CallingCode | undefined {
  const byCode: Readonly<Record<string, readonly string[]>> = metadata.country_calling_codes;
  const byCountry: Readonly<Record<string, unknown>> = metadata.countries;
  const countries = Object.hasOwn(byCode, code) ? (byCode[code] ?? []) : [];
  const fields = countries.map((country) => byCountry[country]);
  const [first] = fields;
  if (!Array.isArray(first)) return undefined;
  const plans = fields.map(compilePlan).filter((plan) => plan !== undefined);
  // Metadata of another shape than expected: every number goes to the library, and a test says that this path is gone.
  if (plans.length < fields.length) return undefined;
  const prefix: unknown = first[NATIONAL_PREFIX_FOR_PARSING] || first[NATIONAL_PREFIX];
  return { nationalPrefix: typeof prefix === 'string' ? new RegExp(`^(?:${prefix})`) : undefined, plans };
}

function compilePlan(fields: unknown): Plan | undefined {
  if (!Array.isArray(fields)) return undefined;
  const [pattern, leading, types]: unknown[] = [fields[PATTERN], fields[LEADING_DIGITS], fields[TYPES]];
  if (typeof pattern !== 'string' || !Array.isArray(types)) return undefined;
  return {
    pattern: compileWhole(pattern),
    leadingDigits: typeof leading === 'string' ? new RegExp(`^(?:${leading})`) : undefined,
    types: types.flatMap(compileType),
  };
}

function compileType(fields: unknown): NumberType[] {
  if (!Array.isArray(fields)) return [];
  const [pattern, lengths]: unknown[] = fields;
  // Some types are there without a pattern: no number is of them.
  if (typeof pattern !== 'string' || pattern === '') return [];
  return [{ pattern: compileWhole(pattern), lengths: Array.isArray(lengths) ? lengths : undefined }];
}

function compileWhole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}
