// The types of the client, from the schemas that the service checks and shows.

import { WEBHOOK_MESSAGES } from '../../src/domain/entities/webhook-events.js';
import { createCustomerApi } from '../../src/http/customer/api.js';
import { createOpenApi, type OpenApiDocument, type OpenApiOperation } from '../../src/http/openapi.js';
import { createOperatorApi } from '../../src/http/operator/routes.js';
import {
  descriptionOf,
  formatComment,
  formatFields,
  formatImports,
  formatShape,
  isSchema,
  type NamedType,
  propertiesOf,
  type Schema,
  withoutNull,
} from './schema-to-type.js';
import { ANSWER_NAMES, BODY_NAMES, IMPORTED_PARTS, PART_NAMES } from './wire-names.js';

interface WireType extends NamedType {
  /** The caller gives it. */
  readonly isGiven: boolean;
}

// What operations look like needs none of what they work with.
const nothing = {} as never;
export const customerApi = createCustomerApi(nothing);
export const operatorApi = createOperatorApi(nothing);

export const customerDocument = createOpenApi([customerApi], 'test');
const operatorDocument = createOpenApi([operatorApi], 'test');
export const customerOperations = operationsOf(customerDocument);
const operatorOperations = operationsOf(operatorDocument);

function operationsOf(document: OpenApiDocument): OpenApiOperation[] {
  return Object.values(document.paths).flatMap((methods) => Object.values(methods));
}

function findOperation(name: string): OpenApiOperation {
  const found = [...customerOperations, ...operatorOperations].find(({ operationId }) => operationId === name);
  if (found === undefined) throw new Error(`The API has no operation ${name}`);
  return found;
}

export const answerSchemas = { ...operatorDocument.components.schemas, ...customerDocument.components.schemas };
const answers = Object.entries(answerSchemas).map(
  ([name, schema]): WireType => ({ name: ANSWER_NAMES[name] ?? name, schema, isGiven: false }),
);

export const bodies = Object.entries(BODY_NAMES).map(([operation, name]): WireType => {
  const schema = findOperation(operation).requestBody?.content['application/json']?.schema;
  if (schema === undefined) throw new Error(`The operation ${operation} has no body`);
  return { name, schema, isGiven: true };
});

/** `Task.counts` is a field of an answer or a body, `getStatistics?by` a parameter of an operation. */
function findPart(name: string, place: string): WireType {
  const [operation = '', parameter] = place.split('?');
  if (parameter !== undefined) {
    const schema = findOperation(operation).parameters?.find((one) => one.name === parameter)?.schema;
    return { name, schema: schema ?? {}, isGiven: true };
  }
  const [owner, ...fields] = place.split('.');
  const type = [...answers, ...bodies].find((one) => one.name === owner);
  if (type === undefined) throw new Error(`The API has no ${place}`);
  return { ...type, name, schema: fields.reduce((schema, field) => findField(schema, field, place), type.schema) };
}

/** Of a list, its items. */
function findField(schema: Schema, field: string, place: string): Schema {
  const member = propertiesOf(schema).find(([name]) => name === field)?.[1];
  if (member === undefined) throw new Error(`The API has no ${place}`);
  const present = withoutNull(member);
  return isSchema(present.items) ? present.items : present;
}

const parts = Object.entries(PART_NAMES).map(([name, place]) => findPart(name, place));
/** Parts that have a name, whichever file defines them. */
export const namedParts: readonly NamedType[] = [
  ...Object.entries(IMPORTED_PARTS).map(([name, { at }]) => findPart(name, at)),
  ...parts,
];

/** A type with all fields of another, after which it is named, extends it: `NewWebhook extends Webhook`. */
function findBase(type: WireType): WireType | undefined {
  const fields = new Map(propertiesOf(type.schema).map(([name, schema]) => [name, JSON.stringify(schema)]));
  return answers
    .filter(({ name, schema }) => {
      const own = propertiesOf(schema);
      const hasAll = own.every(([field, member]) => fields.get(field) === JSON.stringify(member));
      return type.name !== name && type.name.includes(name) && own.length < fields.size && hasAll;
    })
    .sort((a, b) => propertiesOf(b.schema).length - propertiesOf(a.schema).length)[0];
}

function withoutFields(schema: Schema, base: Schema): Schema {
  const inherited = new Set(propertiesOf(base).map(([name]) => name));
  const own = propertiesOf(schema).filter(([name]) => !inherited.has(name));
  return { ...schema, properties: Object.fromEntries(own) };
}

function formatDeclaration(type: WireType): string {
  const { name, schema, isGiven } = type;
  // A body may hold those of other operations.
  const named = [...namedParts, ...(isGiven ? bodies : [])].filter((one) => one.name !== name);
  const style = { isGiven, named, hasComments: true };
  // The description of words is that of the field where they are found; they may mean something else in others.
  const comment = Array.isArray(schema.enum) ? '' : formatComment(descriptionOf(schema), '');
  if (propertiesOf(schema).length === 0) {
    const text = formatShape(schema, style, '');
    return `${comment}export type ${name} =${text.startsWith('\n') ? '' : ' '}${text};\n`;
  }
  const base = isGiven ? undefined : findBase(type);
  const fields = formatFields(base === undefined ? schema : withoutFields(schema, base.schema), style, '  ');
  return `${comment}export interface ${name}${base === undefined ? '' : ` extends ${base.name}`} {\n${fields}}\n`;
}

/** The types that code mentions. */
export function listTypeNames(declaration: string): string[] {
  const code = declaration.replaceAll(/\/\*\*.*?\*\//gs, '');
  return [...code.matchAll(/\b[A-Z]\w+/g)].map(([name]) => name);
}

/** Types in the order in which operations use them, each after what it is made of. Takes them out of what is left. */
function takeDeclarations(left: Map<string, string>, users: readonly OpenApiOperation[]): Map<string, string> {
  const taken = new Map<string, string>();
  const take = (name: string) => {
    const text = left.get(name);
    if (text === undefined) return;
    left.delete(name);
    for (const used of listTypeNames(text)) take(used);
    taken.set(name, text);
  };
  const parameters = Object.entries(PART_NAMES).filter(([, place]) => place.includes('?'));
  for (const { operationId, responses } of users) {
    take((BODY_NAMES as Readonly<Record<string, string>>)[operationId] ?? '');
    for (const [name, place] of parameters) if (place.startsWith(`${operationId}?`)) take(name);
    for (const [name] of JSON.stringify(responses).matchAll(/(?<=#\/components\/schemas\/)\w+/g)) {
      take(ANSWER_NAMES[name] ?? name);
    }
  }
  return taken;
}

function formatFile(declarations: ReadonlyMap<string, string>, sources: Readonly<Record<string, string>>): string {
  const text = [...declarations.values()].join('\n');
  return `${formatImports(listTypeNames(text), sources)}\n${text}`;
}

const undeclared = new Map([...parts, ...answers, ...bodies].map((type) => [type.name, formatDeclaration(type)]));
const customerTypes = takeDeclarations(undeclared, customerOperations);
const operatorTypes = takeDeclarations(undeclared, operatorOperations);
for (const { name, schema } of Object.values(WEBHOOK_MESSAGES)) {
  if (schema !== undefined) customerTypes.set(name, formatDeclaration({ name, schema, isGiven: false }));
}
customerTypes.set('WebhookData', formatWebhookData());
if (undeclared.size > 0) throw new Error(`No operation uses ${[...undeclared.keys()]}`);

function formatWebhookData(): string {
  const fields = Object.entries(WEBHOOK_MESSAGES).map(
    ([event, { name, isList }]) =>
      `  ${/\W/.test(event) ? `'${event}'` : event}: ${isList === true ? `{ items: ${name}[] }` : name};\n`,
  );
  return `/** The \`data\` of what a webhook receives, by the \`type\` of the message. */\nexport interface WebhookData {\n${fields.join('')}}\n`;
}

function sourcesOf(types: Iterable<string>, file: string): Record<string, string> {
  return Object.fromEntries([...types].map((name) => [name, file]));
}

const outside = {
  Decimal: './wire-values.js',
  Timestamp: './wire-values.js',
  ...Object.fromEntries(Object.entries(IMPORTED_PARTS).map(([name, { from }]) => [name, from])),
};
const customerSources = { ...outside, ...sourcesOf(customerTypes.keys(), './wire.generated.js') };

const wireSources = { ...customerSources, ...sourcesOf(operatorTypes.keys(), './operator-wire.generated.js') };

/** Which file of the client defines a type, for files outside of its folder `wire`. */
export const typeSources: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(wireSources).map(([name, file]) => [name, file.replace('./', './wire/')]),
);

/** What both APIs use is in the file of the customer's. */
export function formatWireTypes(): { readonly customer: string; readonly operator: string } {
  return { customer: formatFile(customerTypes, outside), operator: formatFile(operatorTypes, customerSources) };
}
