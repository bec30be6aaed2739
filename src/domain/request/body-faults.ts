// The faults that any body can have, in the same words wherever it is checked: by its schema, or by hand where it may have
// 5,000 numbers.

import { countCharacters, isStorableText } from '../message/text.js';
import { addFault, type Fault, isFull, joinPointer } from './fault.js';

export type Fields = Readonly<Record<string, unknown>>;

/** What JSON calls an object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function addUnknownFields(faults: Fault[], pointer: string, fields: Fields, known: ReadonlySet<string>): void {
  for (const name of Object.keys(fields)) {
    if (known.has(name)) continue;
    if (isFull(faults)) return;
    const hint = known.size === 0 ? 'there are no fields' : `known are: ${[...known].join(', ')}`;
    const message = `is not known here; ${hint}`;
    addFault(faults, joinPointer(pointer, name), 'unknown_field', message);
  }
}

export function addTooMany(faults: Fault[], pointer: string, entries: number, maxEntries: number): void {
  addFault(faults, pointer, 'too_many', `has ${entries} entries; at most ${maxEntries} are allowed`);
}

type TextFault = Pick<Fault, 'code' | 'message'>;

const NOT_STORABLE: TextFault = { code: 'format', message: 'must be well-formed Unicode without NUL characters' };

/** Why a text cannot be taken in. */
export function findTextFault(text: string, maxCharacters: number): TextFault | undefined {
  // Characters are never more than UTF-16 units, so most texts need no counting.
  const characters = text.length <= maxCharacters ? 0 : countCharacters(text);
  if (characters > maxCharacters) {
    return { code: 'too_long', message: `has ${characters} characters; at most ${maxCharacters} are allowed` };
  }
  return isStorableText(text) ? undefined : NOT_STORABLE;
}

export function addTextFault(faults: Fault[], pointer: string, text: string, maxCharacters: number): void {
  const found = findTextFault(text, maxCharacters);
  if (found !== undefined) addFault(faults, pointer, found.code, found.message);
}
