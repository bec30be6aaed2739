// JSON Schema as the OpenAPI document uses it, written as TypeScript: one field a line, descriptions as comments.

import { ANSWER_NAMES } from './wire-names.js';

export type Schema = Readonly<Record<string, unknown>>;

/** A type that has a name: the same words or fields elsewhere are written by it. */
export interface NamedType {
  readonly name: string;
  readonly schema: Schema;
}

export interface TypeStyle {
  /** What a caller gives is readonly; what the service answers is the caller's to change. */
  readonly isGiven: boolean;
  readonly named: readonly NamedType[];
  /** With descriptions; the shape alone is what types are compared by. */
  readonly hasComments: boolean;
}

const LINE_WIDTH = 120;
/** What stands before a union on its line. */
const LONGEST_FIELD = 32;
export const AMOUNT_PATTERN = '^-?\\d+\\.\\d{6}$';

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function listSchemas(value: unknown): Schema[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

export function propertiesOf(schema: Schema): [string, Schema][] {
  return Object.entries(isSchema(schema.properties) ? schema.properties : {}).filter(
    (entry): entry is [string, Schema] => isSchema(entry[1]),
  );
}

/** The schema of what is there, of one that may also be null. */
export function withoutNull(schema: Schema): Schema {
  const present = listSchemas(schema.anyOf).filter(({ type }) => type !== 'null');
  return present.length === 1 && present[0] !== undefined ? present[0] : schema;
}

export function formatType(schema: unknown, style: TypeStyle, indent: string): string {
  if (!isSchema(schema)) return 'unknown';
  return findNamed(schema, style)?.name ?? formatShape(schema, style, indent);
}

/** A type that has a name, of the same words or fields. */
export function findNamed(schema: Schema, style: TypeStyle): NamedType | undefined {
  return style.named.find((one) => one.schema === schema || isSameShape(one.schema, schema, style));
}

function isSameShape(one: Schema, other: Schema, style: TypeStyle): boolean {
  if (one.type !== other.type || one.$ref !== other.$ref) return false;
  if (one.enum === undefined && one.properties === undefined && one.anyOf === undefined) return false;
  return shapeOf(one, style) === shapeOf(other, style);
}

const shapes = { given: new WeakMap<Schema, string>(), answered: new WeakMap<Schema, string>() };

/** The type without names and comments. */
function shapeOf(schema: Schema, { isGiven }: TypeStyle): string {
  const known = isGiven ? shapes.given : shapes.answered;
  const shape = known.get(schema) ?? formatShape(schema, { isGiven, named: [], hasComments: false }, '');
  known.set(schema, shape);
  return shape;
}

/** Without looking for a name of it. */
export function formatShape(schema: Schema, style: TypeStyle, indent: string): string {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.replace('#/components/schemas/', '');
    return ANSWER_NAMES[name] ?? name;
  }
  if (Array.isArray(schema.enum)) return formatUnion(schema.enum.map(formatWord), indent);
  if (schema.const !== undefined) return formatWord(schema.const);
  const choices = listSchemas(schema.anyOf);
  if (choices.length > 0 && schema.type === undefined) {
    return formatUnion([...new Set(choices.flatMap((choice) => listMembers(choice, style, indent)))], indent);
  }
  switch (schema.type) {
    case undefined:
      return 'unknown';
    case 'string':
      return formatText(schema, style);
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `${style.isGiven ? 'readonly ' : ''}${formatItem(schema.items, style, indent)}[]`;
    case 'object':
      return formatObject(schema, style, indent);
    default:
      throw new Error(`No type for ${JSON.stringify(schema)}`);
  }
}

function formatText({ format, pattern }: Schema, { isGiven }: TypeStyle): string {
  if (pattern === AMOUNT_PATTERN || String(format).endsWith('amount')) return 'Decimal';
  // Callers may write a time in other ways than the service does.
  return format === 'date-time' && !isGiven ? 'Timestamp' : 'string';
}

function formatWord(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

function formatUnion(members: readonly string[], indent: string): string {
  const line = members.join(' | ');
  if (line.includes('\n') || indent.length + line.length < LINE_WIDTH - LONGEST_FIELD) return line;
  return members.map((member) => `\n${indent}  | ${member}`).join('');
}

function listMembers(schema: Schema, style: TypeStyle, indent: string): string[] {
  const text = formatType(schema, style, indent);
  return Array.isArray(schema.enum) && text.includes("'") ? schema.enum.map(formatWord) : [text];
}

function formatItem(items: unknown, style: TypeStyle, indent: string): string {
  const text = formatType(items, style, indent);
  return /^[^{]* \| /.test(text) ? `(${text.trim()})` : text;
}

function formatObject(schema: Schema, style: TypeStyle, indent: string): string {
  const properties = propertiesOf(schema);
  if (properties.length === 0) return formatRecord(schema, style, indent);
  return formatKeyed(schema, style, indent) ?? `{\n${formatFields(schema, style, `${indent}  `)}${indent}}`;
}

/** Anything by name. */
function formatRecord(schema: Schema, style: TypeStyle, indent: string): string {
  const patterns = isSchema(schema.patternProperties) ? Object.values(schema.patternProperties) : [];
  const values = [...patterns, ...(isSchema(schema.additionalProperties) ? [schema.additionalProperties] : [])];
  const record = `Record<string, ${values.map((value) => formatType(value, style, indent)).join(' | ') || 'never'}>`;
  return style.isGiven ? `Readonly<${record}>` : record;
}

/** One value for each of some words that have a name. */
function formatKeyed(schema: Schema, style: TypeStyle, indent: string): string | undefined {
  const properties = propertiesOf(schema);
  const keys = JSON.stringify(properties.map(([name]) => name));
  const words = style.named.find((one) => JSON.stringify(one.schema.enum) === keys);
  const types = new Set(properties.map(([, member]) => formatType(member, { ...style, hasComments: false }, indent)));
  if (words === undefined || types.size > 1) return undefined;
  const record = `Record<${words.name}, ${[...types].join()}>`;
  const needed = requiredOf(schema).length > 0 ? record : `Partial<${record}>`;
  return style.isGiven ? `Readonly<${needed}>` : needed;
}

export function requiredOf(schema: Schema): readonly unknown[] {
  return Array.isArray(schema.required) ? schema.required : [];
}

export function formatFields(schema: Schema, style: TypeStyle, indent: string): string {
  const required = requiredOf(schema);
  return propertiesOf(schema)
    .map(([name, member]) => {
      const comment = style.hasComments ? formatComment(descriptionOf(member), indent) : '';
      const type = formatType(member, style, indent);
      const mark = required.includes(name) ? '' : '?';
      const gap = type.startsWith('\n') ? '' : ' ';
      return `${comment}${indent}${style.isGiven ? 'readonly ' : ''}${name}${mark}:${gap}${type};\n`;
    })
    .join('');
}

export function descriptionOf(schema: Schema): string | undefined {
  const description = schema.description ?? withoutNull(schema).description;
  return typeof description === 'string' ? description : undefined;
}

/** On one line where it fits. */
export function formatComment(text: string | undefined, indent: string, example?: string): string {
  if (text === undefined) return '';
  const isShort = indent.length + text.length + 7 <= LINE_WIDTH;
  if (isShort && example === undefined) return `${indent}/** ${text} */\n`;
  const lines = wrap(text, LINE_WIDTH - indent.length - 3);
  if (example !== undefined) lines.push('', '@example', ...example.split('\n'));
  return `${indent}/**\n${lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`;
}

function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1] ?? '';
    if (last !== '' && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

/** Imports of those of the names that come from another file. */
export function formatImports(names: readonly string[], sources: Readonly<Record<string, string>>): string {
  const used = [...new Set(names)].filter((name) => sources[name] !== undefined).sort();
  const files = [...new Set(used.map((name) => sources[name]))].sort();
  return files
    .map((file) => {
      const own = used.filter((name) => sources[name] === file);
      const line = `import type { ${own.join(', ')} } from '${file}';\n`;
      if (line.length <= LINE_WIDTH) return line;
      return `import type {\n${own.map((name) => `  ${name},\n`).join('')}} from '${file}';\n`;
    })
    .join('');
}
