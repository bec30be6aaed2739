// Options made from the description of an entity, so that a field that is described is a field that can be given.

import type { TObject, TSchema } from '@sinclair/typebox';
import { isGroup } from '../domain/entities/fields.js';
import type { BodyFields } from './request-body.js';

/** At the end of a summary. */
const DEFAULT_TOLD = / \([^()]*\)$/;

type BodyField = BodyFields[string];

/** One option a field, one for each member of a group. Some have a better name than the field's own. */
export function optionsOf(schema: TObject, names: Readonly<Record<string, string>> = {}): BodyFields {
  const required = new Set(schema.required ?? []);
  const options = Object.entries(schema.properties).flatMap(([field, described]) => {
    if (isGroup(described)) {
      return Object.entries(described.properties).map(
        ([inner, member]) => [inner, describeOption(inner, `${field}.${inner}`, member)] as const,
      );
    }
    const name = names[field] ?? field.replaceAll('_', '-');
    const option = describeOption(name, field, described);
    const isRequired = required.has(field) && described.default === undefined;
    return [[name, isRequired ? { ...option, required: true } : option] as const];
  });
  return Object.fromEntries(options);
}

/** The same options for a change, where nothing is required and what is left out stays as it is. */
export function changeOptionsOf(schema: TObject, names: Readonly<Record<string, string>> = {}): BodyFields {
  const options = Object.entries(optionsOf(schema, names));
  return Object.fromEntries(
    options.map(([name, option]) => [
      name,
      { ...option, required: false, summary: option.summary.replace(DEFAULT_TOLD, '') },
    ]),
  );
}

function describeOption(name: string, field: string, described: TSchema): BodyField {
  const variants = described.anyOf as readonly TSchema[] | undefined;
  const schema = variants?.find((variant) => variant.type !== 'null') ?? described;
  const isNullable = variants?.some((variant) => variant.type === 'null') === true;
  return {
    field,
    ...(isNullable
      ? { isNullable, summary: summarise(described).replace('null', '`none`') }
      : { summary: summarise(described) }),
    ...describeValue(name, schema),
  };
}

function describeValue(
  name: string,
  schema: TSchema,
): Pick<BodyField, 'as' | 'type' | 'value' | 'choices' | 'multiple'> {
  if (Array.isArray(schema.enum)) return { as: 'text', type: 'string', choices: schema.enum };
  switch (schema.type) {
    case 'boolean':
      return { as: 'flag', type: 'boolean' };
    case 'integer':
      return { as: 'whole number', type: 'string', value: 'COUNT' };
    case 'array':
      if ((schema.items as TSchema).type === 'object') return { as: 'json', type: 'string', value: 'JSON' };
      return { as: 'words', type: 'string', multiple: true, value: toPlaceholder(name) };
    case 'object':
      return { as: 'json', type: 'string', value: 'JSON' };
    default:
      return {
        as: 'text',
        type: 'string',
        value: String(schema.format).endsWith('amount') ? 'AMOUNT' : toPlaceholder(name),
      };
  }
}

function toPlaceholder(name: string): string {
  return name.replaceAll('-', '_').toUpperCase();
}

/** The first sentence of the description as help says it, and what holds when the option is left out. */
function summarise({ description = '', default: fallback }: TSchema): string {
  const [sentence = ''] = description.split(/\.(?:\s|$)/, 1);
  const text = /^[A-Z][a-z ]/.test(sentence) ? sentence.charAt(0).toLowerCase() + sentence.slice(1) : sentence;
  const isTold = typeof fallback === 'string' || typeof fallback === 'number';
  return isTold ? `${text} (${fallback})` : text;
}
