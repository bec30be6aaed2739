// What a piece of JSON in the documentation is, by the OpenAPI document: an answer with every field that it has and no
// other, a list of such answers, or the body of a request.

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

export interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const pageFields = ['next_cursor', 'page', 'page_size', 'total', 'total_is_exact'];
const listFields = ['items', ...pageFields];

/** What is wrong with the value, compared with the shape that it resembles most; empty when it has one exactly. */
export function findFaults(document: Document, value: unknown): string[] {
  // Items without pages are no list but an answer of its own, such as statistics.
  if (isObject(value) && Array.isArray(value.items) && pageFields.some((name) => name in value)) {
    const faults = compareFields(Object.keys(value), listFields, listFields, '');
    return [...faults, ...value.items.flatMap((item) => findFaults(document, item))];
  }
  const shapes = [...Object.entries(document.components.schemas), ...listBodies(document)];
  const tried = shapes.map(([name, schema]) => compare(document, schema, value, name));
  return tried.reduce((best, faults) => (faults.length < best.length ? faults : best));
}

function listBodies({ paths }: Document): [string, Schema][] {
  return Object.values(paths)
    .flatMap((operations) => Object.values(operations))
    .flatMap(({ operationId, requestBody }) =>
      Object.values(requestBody?.content ?? {}).map(({ schema }): [string, Schema] => [operationId, schema]),
    );
}

function compare(document: Document, schema: Schema, value: unknown, path: string): string[] {
  const resolved = resolve(document, schema);
  if (resolved.anyOf !== undefined) {
    const tried = resolved.anyOf.map((one) => compare(document, one, value, path));
    return tried.reduce((best, faults) => (faults.length < best.length ? faults : best));
  }
  if (resolved.type === 'array') {
    if (!Array.isArray(value)) return [`${path} is no array`];
    const { items } = resolved;
    return items === undefined ? [] : value.flatMap((item, at) => compare(document, items, item, `${path}/${at}`));
  }
  if (resolved.type === 'object') {
    if (!isObject(value)) return [`${path} is no object`];
    const { properties } = resolved;
    if (properties === undefined) return [];
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
