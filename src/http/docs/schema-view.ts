// A JSON schema as a table of fields.

import type { JsonSchema } from '../openapi.js';
import { type Html, html, inlineProse } from './markup.js';

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
    return html`<div class="field">
      <div class="name"><code>${name}</code>${required.has(name) ? undefined : html`<span class="optional">optional</span>`}</div>
      <div class="what"><span class="type">${typeOf(own, components)}</span> ${constraintsOf(own)} ${said === undefined ? undefined : html`<div>${said}</div>`}
      ${inner === undefined ? undefined : html`<details><summary>fields</summary>${renderSchema(nested, components, depth + 1)}</details>`}
      </div></div>`;
  });
  return html`<div class="fields">${rows}</div>`;
}

export function typeOf(schema: JsonSchema, components: Components): string {
  const resolved = resolve(schema, components);
  if (Array.isArray(resolved.anyOf)) {
    return [...new Set(resolved.anyOf.map((one: JsonSchema) => typeOf(one, components)))].join(' or ');
  }
  const items = itemsOf(resolved, components);
  if (items !== undefined) return `array of ${typeOf(items, components)}`;
  return typeof resolved.type === 'string' ? resolved.type : 'any';
}

export function constraintsOf(schema: JsonSchema): Html {
  const words: Html[] = [];
  if (Array.isArray(schema.enum)) {
    words.push({ html: schema.enum.map((word) => html`<code class="word">${String(word)}</code>`.html).join(' ') });
  }
  const bounds = [
    describeRange(schema.minLength, schema.maxLength, 'characters'),
    describeRange(schema.minItems, schema.maxItems, 'entries'),
    describeRange(schema.minimum, schema.maximum, ''),
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ].filter((text) => text !== undefined);
  if (bounds.length > 0) words.push(html`<span class="bounds">${bounds.join(', ')}</span>`);
  return html`${words}`;
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
