// The configuration of a kind of channel is described once, as a schema: it fills in defaults, names faults, says which fields
// are secret (`writeOnly`), and is what operators are shown and forms are made of.

import type { TObject, TSchema } from '@sinclair/typebox';
import { Value, ValueErrorType } from '@sinclair/typebox/value';
import type { Fault, FaultCode } from '../domain/fault.js';

export type ConfigObject = Readonly<Record<string, unknown>>;

/** Fills in the defaults and checks everything; all faults are told at once, with pointers into the configuration. */
export function checkConfig(
  schema: TObject,
  input: unknown,
): { readonly config: ConfigObject } | { readonly faults: readonly Fault[] } {
  const filled = Value.Default(schema, Value.Clone(input));
  const faults = new Map<string, Fault>();
  for (const error of Value.Errors(schema, filled)) {
    // A missing field is reported twice by the validator, first as missing.
    if (faults.has(error.path)) continue;
    const code = nameFault(error.type, error.schema, error.value);
    const message =
      code === 'unknown_field'
        ? `${error.message}; known are: ${Object.keys(schema.properties).join(', ')}`
        : error.message;
    faults.set(error.path, { pointer: error.path.slice(0, 65), code, message });
  }
  return faults.size > 0 ? { faults: [...faults.values()] } : { config: filled as ConfigObject };
}

/** What may be shown, apart from what may not. */
export function partSecrets(schema: TObject, config: ConfigObject): { config: ConfigObject; secret: ConfigObject } {
  const isSecret = ([name]: [string, unknown]) => schema.properties[name]?.writeOnly === true;
  const fields = Object.entries(config);
  return {
    config: Object.fromEntries(fields.filter((field) => !isSecret(field))),
    secret: Object.fromEntries(fields.filter(isSecret)),
  };
}

function nameFault(type: ValueErrorType, schema: TSchema, value: unknown): FaultCode {
  switch (type) {
    case ValueErrorType.ObjectRequiredProperty:
      return 'required';
    case ValueErrorType.ObjectAdditionalProperties:
      return 'unknown_field';
    case ValueErrorType.StringMaxLength:
      return 'too_long';
    case ValueErrorType.StringMinLength:
      return 'too_short';
    case ValueErrorType.StringPattern:
      return 'format';
    case ValueErrorType.ArrayMaxItems:
      return 'too_many';
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.IntegerMaximum:
    case ValueErrorType.NumberMinimum:
    case ValueErrorType.NumberMaximum:
      return 'out_of_range';
    default:
      return 'anyOf' in schema && typeof value === 'string' ? 'format' : 'type';
  }
}
