// Variable values as a request carries them, in either form, and as the rest of the service knows them: a dictionary of
// strings. A number becomes the text of String(), so 5.10 is sent as 5.1 and 1e21 as 1e+21: JSON does not keep how it was written. To
// keep digits, send a string.

import { findTextFault } from '../fault/body-faults.js';
import { errorText } from '../fault/error-text.js';
import { addFault, type Fault, isFull, joinPointer } from '../fault/fault.js';
import { isVariableName, VARIABLE_NAMES, type VariableName, type Variables } from '../message/template.js';

export const MAX_VARIABLE_CHARACTERS = 500;

export const NO_VARIABLES: Variables = Object.freeze({});

/** Reads a dictionary, or an array whose first entry is p1. What is wrong goes to `faults`. */
export function readVariables(value: unknown, pointer: string, faults: Fault[]): Variables {
  if (Array.isArray(value)) return readArray(value, pointer, faults);
  if (typeof value === 'object' && value !== null) return readDictionary(value, pointer, faults);
  addFault(faults, pointer, 'type', errorText('not_variables'));
  return NO_VARIABLES;
}

function readArray(values: readonly unknown[], pointer: string, faults: Fault[]): Variables {
  if (values.length > VARIABLE_NAMES.length) {
    const text = errorText('too_many_variables', { count: values.length, max: VARIABLE_NAMES.length });
    addFault(faults, pointer, 'too_many', text);
  }
  const variables: { [name in VariableName]?: string } = {};
  for (const [at, name] of VARIABLE_NAMES.entries()) {
    if (at >= values.length) break;
    variables[name] = readValue(values[at], pointer, at, faults);
  }
  return variables;
}

function readDictionary(dictionary: object, pointer: string, faults: Fault[]): Variables {
  const variables: { [name in VariableName]?: string } = {};
  for (const [name, value] of Object.entries(dictionary)) {
    if (isFull(faults)) break;
    if (isVariableName(name)) {
      variables[name] = readValue(value, pointer, name, faults);
    } else {
      addFault(faults, joinPointer(pointer, name), 'unknown_variable', errorText('unknown_variable'));
    }
  }
  return variables;
}

/** Empty after a fault: the value is wrong, but not missing. */
function readValue(value: unknown, parent: string, key: string | number, faults: Fault[]): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') {
    addFault(faults, joinPointer(parent, key), 'type', errorText('not_string_or_number'));
    return '';
  }
  const wrong = findTextFault(value, MAX_VARIABLE_CHARACTERS);
  if (wrong !== undefined) {
    addFault(faults, joinPointer(parent, key), wrong.code, wrong.text);
    return '';
  }
  return value;
}
