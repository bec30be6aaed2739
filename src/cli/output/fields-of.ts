import { ANSWER_FIELDS } from './answer-fields.generated.js';

/** All fields of an answer in the order of the API, but these first. */
export function fieldsOf(answer: keyof typeof ANSWER_FIELDS, ...first: readonly string[]): readonly string[] {
  return [...new Set([...first, ...ANSWER_FIELDS[answer]])];
}
