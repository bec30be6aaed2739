// Which answer of the API a piece of JSON shows, by the OpenAPI document: every field that is required, and no other.

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

export interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const listFields = ['items', 'next_cursor', 'page', 'page_size', 'total', 'total_is_exact'];
/** Fields that only answers have; a request or a configuration has none of them. */
const tellingFields = ['task_no', 'items', 'request_id', 'ledger_no', 'uplink_no', 'ledger_seq', 'server_time'];

export function looksLikeAnswer(value: unknown): value is Record<string, unknown> {
  return isObject(value) && tellingFields.some((field) => field in value);
}

/** The name of the schema that the value has exactly the fields of, or what is wrong with the nearest one. */
export function matchAnswer(document: Document, value: Record<string, unknown>): { name?: string; faults: string[] } {
  if ('items' in value) {
    const faults = compareFields(Object.keys(value), listFields, listFields, '');
    const items = value.items as unknown[];
    const inner = items.filter(looksLikeAnswer).flatMap((item) => matchAnswer(document, item).faults);
    return faults.length + inner.length === 0 ? { name: 'list', faults: [] } : { faults: [...faults, ...inner] };
  }
  const tried = Object.entries(document.components.schemas)
    .map(([name, schema]) => ({ name, faults: compare(document, schema, value, '') }))
    .sort((one, other) => one.faults.length - other.faults.length);
  const best = tried[0];
  if (best === undefined) return { faults: ['the document has no schemas'] };
  return best.faults.length === 0 ? best : { faults: best.faults.map((fault) => `${best.name}: ${fault}`) };
}

function compare(document: Document, schema: Schema, value: unknown, path: string): string[] {
  const resolved = resolve(document, schema);
  if (resolved.anyOf !== undefined) {
    const tried = resolved.anyOf.map((one) => compare(document, one, value, path));
    return tried.sort((one, other) => one.length - other.length)[0] ?? [];
  }
  if (resolved.type === 'array') {
    if (!Array.isArray(value)) return [`${path} is no array`];
    const { items } = resolved;
    return items === undefined ? [] : value.flatMap((item, at) => compare(document, items, item, `${path}/${at}`));
  }
  if (resolved.type === 'object' && resolved.properties !== undefined) {
    if (!isObject(value)) return [`${path} is no object`];
    const { properties } = resolved;
    const faults = compareFields(Object.keys(value), resolved.required ?? [], Object.keys(properties), path);
    const inner = Object.entries(properties).flatMap(([name, property]) =>
      name in value ? compare(document, property, value[name], `${path}/${name}`) : [],
    );
    return [...faults, ...inner];
  }
  return isOfType(resolved.type, value) ? [] : [`${path} is no ${resolved.type}`];
}

function compareFields(
  present: readonly string[],
  required: readonly string[],
  allowed: readonly string[],
  path: string,
): string[] {
  return [
    ...required.filter((name) => !present.includes(name)).map((name) => `${path}/${name} is missing`),
    ...present.filter((name) => !allowed.includes(name)).map((name) => `${path}/${name} does not exist`),
  ];
}

function resolve(document: Document, schema: Schema): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  return name === undefined ? schema : (document.components.schemas[name] ?? {});
}

function isOfType(type: string | undefined, value: unknown): boolean {
  if (type === undefined) return true;
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
