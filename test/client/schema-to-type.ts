// JSON Schema as the OpenAPI document uses it, written as TypeScript, so that the compiler can compare it with the client.

type Schema = Readonly<Record<string, unknown>>;

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listSchemas(value: unknown): Schema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

function formatObject(schema: Schema): string {
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const members = Object.entries(properties).map(([name, member]) => {
    const mark = required.includes(name) ? '' : '?';
    return `readonly ${JSON.stringify(name)}${mark}: ${formatType(member)}`;
  });
  if (members.length > 0) return `{ ${members.join('; ')} }`;
  const patterns = isSchema(schema.patternProperties) ? Object.values(schema.patternProperties) : [];
  const values = [...patterns, ...(isSchema(schema.additionalProperties) ? [schema.additionalProperties] : [])];
  return values.length === 0 ? '{}' : `{ readonly [name: string]: ${values.map(formatType).join(' | ')} }`;
}

function formatNamedType(name: unknown, schema: Schema): string {
  switch (name) {
    case 'string':
    case 'boolean':
    case 'null':
      return name;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `readonly (${formatType(schema.items)})[]`;
    case 'object':
      return formatObject(schema);
    default:
      throw new Error(`No type for ${JSON.stringify(schema)}`);
  }
}

export function formatType(schema: unknown): string {
  if (!isSchema(schema)) return 'unknown';
  if (typeof schema.$ref === 'string') return schema.$ref.replace('#/components/schemas/', '');
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const choices = [...listSchemas(schema.anyOf), ...listSchemas(schema.oneOf)].filter(
    (choice) =>
      choice.type !== undefined || choice.$ref !== undefined || choice.enum !== undefined || choice.const !== undefined,
  );
  if (choices.length > 0 && schema.type === undefined)
    return choices.map((choice) => `(${formatType(choice)})`).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((name) => `(${formatNamedType(name, schema)})`).join(' | ');
  return schema.type === undefined ? 'unknown' : formatNamedType(schema.type, schema);
}
