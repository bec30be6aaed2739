// The configuration of a kind of channel is described once, as a schema: it fills in defaults, names faults, says which fields
// are secret (`writeOnly`), and is what operators are shown and forms are made of.

import type { Static, TObject } from '@sinclair/typebox';
import type { ConfigObject } from '../domain/entities/channel.js';
import type { Fault } from '../domain/fault/fault.js';
import { checkFields } from '../domain/request/check-fields.js';

export type CheckedConfig<Config> =
  | { readonly config: Config; readonly faults?: undefined }
  | { readonly config?: undefined; readonly faults: readonly Fault[] };

/** Fills in the defaults and checks everything; reports all faults at once, with pointers into the configuration. */
export function checkConfig<Schema extends TObject>(
  schema: Schema,
  input: unknown,
  refine: (config: Partial<Static<Schema>>) => readonly Fault[] = () => [],
): CheckedConfig<Static<Schema>> {
  const { value, faults } = checkFields(schema, input, { defaults: true, refine });
  return faults === undefined ? { config: value } : { faults };
}

/** Splits the secret fields from those that may be shown. */
export function splitSecrets(schema: TObject, config: ConfigObject): { config: ConfigObject; secret: ConfigObject } {
  const isSecret = ([name]: [string, unknown]) => schema.properties[name]?.writeOnly === true;
  const fields = Object.entries(config);
  return {
    config: Object.fromEntries(fields.filter((field) => !isSecret(field))),
    secret: Object.fromEntries(fields.filter(isSecret)),
  };
}
