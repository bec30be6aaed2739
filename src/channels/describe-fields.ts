// The configuration schema of a driver as a list of fields, for the operator API, the command line and the console's forms.

import type { TObject, TSchema } from '@sinclair/typebox';
import type { ChannelKindField } from '../domain/entities/channel.js';

export function describeFields(schema: TObject, zh: Readonly<Record<string, string>>): readonly ChannelKindField[] {
  const needed = new Set(schema.required ?? []);
  return Object.entries(schema.properties).map(([name, property]) => ({
    name,
    label: property.title ?? labelOf(name),
    type: typeOf(property),
    required: needed.has(name) && property.default === undefined,
    default: property.default ?? null,
    secret: property.writeOnly === true,
    description: property.description ?? '',
    description_zh: zh[name] ?? '',
    choices: choicesOf(property),
    minimum: property.minimum ?? null,
    maximum: property.maximum ?? null,
    max_length: property.maxLength ?? null,
    max_items: property.maxItems ?? null,
  }));
}

function typeOf(property: TSchema): ChannelKindField['type'] {
  if (choicesOf(property) !== null) return 'choice';
  switch (property.type) {
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return property.type;
    case 'array':
      return (property.items as TSchema).type === 'integer' ? 'integers' : 'strings';
    default:
      return 'json';
  }
}

/** The values of a field that takes one of a few, as JSON has them. */
function choicesOf(property: TSchema): ChannelKindField['choices'] {
  const variants = property.anyOf as readonly TSchema[] | undefined;
  if (variants === undefined || !variants.every((variant) => 'const' in variant)) return null;
  return variants.map((variant) => variant.const as string | boolean);
}

const UPPER_CASE = /\b(id|ms|tls|ton|npi|url|gsm7|ucs2|utc)\b/g;

/** `response_timeout_ms` as `Response timeout MS`. */
function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ').replace(UPPER_CASE, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
