// Faults that any body can have, with the same texts in the schema validation and in the hand-written one for 5,000 numbers.

import { countCharacters, isStorableText } from '../text.js';
import { type ErrorText, errorText } from './error-text.js';
import { addFault, type Fault, type FaultCode, isFull, joinPointer } from './fault.js';

export type Fields = Readonly<Record<string, unknown>>;

/** Whether it is a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function addUnknownFields(faults: Fault[], pointer: string, fields: Fields, known: ReadonlySet<string>): void {
  for (const name of Object.keys(fields)) {
    if (known.has(name)) continue;
    if (isFull(faults)) return;
    const text =
      known.size === 0 ? errorText('unexpected_field') : errorText('unknown_field', { names: [...known].join(', ') });
    addFault(faults, joinPointer(pointer, name), 'unknown_field', text);
  }
}

export function addTooMany(faults: Fault[], pointer: string, entries: number, maxEntries: number): void {
  addFault(faults, pointer, 'too_many', errorText('too_many_entries', { count: entries, max: maxEntries }));
}

export interface TextFault {
  readonly code: FaultCode;
  readonly text: ErrorText;
}

const NOT_STORABLE: TextFault = { code: 'format', text: errorText('not_storable') };

/** Why a text is not accepted. */
export function findTextFault(text: string, maxCharacters: number): TextFault | undefined {
  // Characters are never more than UTF-16 units, so most texts need no counting.
  const characters = text.length <= maxCharacters ? 0 : countCharacters(text);
  if (characters > maxCharacters) {
    return { code: 'too_long', text: errorText('too_long', { count: characters, max: maxCharacters }) };
  }
  return isStorableText(text) ? undefined : NOT_STORABLE;
}

export function addTextFault(faults: Fault[], pointer: string, text: string, maxCharacters: number): void {
  const found = findTextFault(text, maxCharacters);
  if (found !== undefined) addFault(faults, pointer, found.code, found.text);
}
