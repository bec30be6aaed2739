// A JSON schema as a table of fields.

import type { JsonSchema } from '#src/http/openapi.js';
import { inlineProse } from '../inline-prose.js';
import { findCodeOfField } from '../known-codes.js';
import { type Html, html, joinHtml } from '../markup.js';

export type Components = Readonly<Record<string, JsonSchema>>;

/** Deeper than any of ours; a schema that refers to itself ends here. */
const MAX_DEPTH = 5;

export function renderSchema(schema: JsonSchema, components: Components, depth = 0): Html {
  const resolved = resolve(schema, components);
  const fields = fieldsOf(resolved, components);
  if (fields === undefined || depth > MAX_DEPTH) {
    return html`<p class="type">${typeOf(resolved, components)} ${constraintsOf(resolved)}</p>`;
  }
  const required = new Set(Array.isArray(resolved.required) ? resolved.required : []);
  const rows = Object.entries(fields).map(([name, member]) => {
    const own = resolve(member, components);
    const said = typeof own.description === 'string' ? inlineProse(own.description) : undefined;
    const inner = fieldsOf(own, components) ?? fieldsOf(itemsOf(own, components) ?? {}, components);
    const nested = itemsOf(own, components) ?? own;
    const nestedView =
      inner === undefined ? undefined : renderNested(name, renderSchema(nested, components, depth + 1));
    return renderField(name, required.has(name) ? undefined : 'optional', own, components, said, nestedView);
  });
  return html`<div class="fields">${rows}</div>`;
}

function renderNested(name: string, fields: Html): Html {
  return html`<details><summary>Fields of <code>${name}</code></summary>${fields}</details>`;
}

export function renderField(
  name: string,
  note: string | undefined,
  schema: JsonSchema,
  components: Components,
  said: Html | undefined,
  nested?: Html,
): Html {
  return html`<div class="field"><div class="name"><code>${name}</code> <span class="type">${typeOf(schema, components)}</span>${note === undefined ? undefined : html` <span class="optional">${note}</span>`}</div>
<div class="what">${said === undefined ? undefined : html`<p>${said}</p>`}${constraintsOf(schema, name)}${nested}</div></div>`;
}

function typeOf(schema: JsonSchema, components: Components): string {
  const resolved = resolve(schema, components);
  if (Array.isArray(resolved.anyOf)) {
    return [...new Set(resolved.anyOf.map((one: JsonSchema) => typeOf(one, components)))].join(' or ');
  }
  const items = itemsOf(resolved, components);
  if (items !== undefined) return `array of ${typeOf(items, components)}`;
  return typeof resolved.type === 'string' ? resolved.type : 'any';
}

function constraintsOf(schema: JsonSchema, name = ''): Html {
  const words: Html[] = [];
  if (Array.isArray(schema.enum)) {
    const listed = schema.enum.map((word) => renderWord(String(word), findCodeOfField(name, String(word))));
    words.push(html`<p class="words">${joinHtml(listed, ' ')}</p>`);
  }
  const bounds = [
    describeRange(schema.minLength, schema.maxLength, 'characters'),
    describeRange(schema.minItems, schema.maxItems, 'entries'),
    describeRange(schema.minimum, schema.maximum, ''),
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ].filter((text) => text !== undefined);
  if (bounds.length > 0) words.push(html`<p class="bounds">${bounds.join(', ')}</p>`);
  return html`${words}`;
}

function renderWord(word: string, address: string | undefined): Html {
  const code = html`<code class="word">${word}</code>`;
  return address === undefined ? code : html`<a class="code" href="${address}">${code}</a>`;
}

function describeRange(least: unknown, most: unknown, unit: string): string | undefined {
  const text = (value: unknown) => Number(value).toLocaleString('en');
  if (least === undefined && most === undefined) return undefined;
  if (least === undefined) return `at most ${text(most)} ${unit}`.trimEnd();
  if (most === undefined) return `at least ${text(least)} ${unit}`.trimEnd();
  return `${text(least)} to ${text(most)} ${unit}`.trimEnd();
}

function resolve(schema: JsonSchema, components: Components): JsonSchema {
  if (typeof schema.$ref !== 'string') return schema;
  return components[schema.$ref.replace('#/components/schemas/', '')] ?? {};
}

function itemsOf(schema: JsonSchema, components: Components): JsonSchema | undefined {
  return schema.type === 'array' && typeof schema.items === 'object' && schema.items !== null
    ? resolve(schema.items as JsonSchema, components)
    : undefined;
}

function fieldsOf(schema: JsonSchema, components: Components): Record<string, JsonSchema> | undefined {
  const resolved = resolve(schema, components);
  const { properties } = resolved;
  if (typeof properties !== 'object' || properties === null || Object.keys(properties).length === 0) return undefined;
  return properties as Record<string, JsonSchema>;
}
