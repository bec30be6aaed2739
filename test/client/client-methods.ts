// The methods of the client that do nothing but call: one for each operation, with its description and its example.

import type { TSchema } from '@sinclair/typebox';
import type { Operation } from '../../src/http/route.js';
import { filterSources, optionsOf, parametersOf, toCamelCase } from './list-filters.js';
import { CUSTOMER_EXAMPLES, OPERATOR_EXAMPLES } from './method-examples.js';
import {
  FIELD_ARGUMENTS,
  FILTER_TYPES,
  HAND_WRITTEN,
  methodOf,
  ONCE,
  REPEATABLE,
  SHARED_BODIES,
} from './method-names.js';
import { formatComment, formatImports } from './schema-to-type.js';
import { ANSWER_NAMES, BODY_NAMES } from './wire-names.js';
import { customerApi, listTypeNames, operatorApi, typeSources } from './wire-types.js';

const LINE_WIDTH = 120;

type Examples = Readonly<Record<string, string>>;

interface Method {
  readonly parameters: readonly string[];
  readonly result: string;
  readonly code: string;
}

function typeOf(schema: TSchema | undefined): string {
  const name = String(schema?.$id);
  return ANSWER_NAMES[name] ?? name;
}

function namesInPath({ path }: Operation): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => toCamelCase(name));
}

function formatPath({ path }: Operation): string {
  if (!path.includes('{')) return `'${path}'`;
  return `path\`${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `\${${toCamelCase(name)}}`)}\``;
}

function formatPathParameter(name: string): string {
  return `${name}: ${name === 'id' ? 'number' : 'string'}`;
}

function formatBodyParameter({ name, body }: Operation): { parameter: string; argument: string } | undefined {
  if (body === undefined) return undefined;
  const type = FIELD_ARGUMENTS[name];
  if (type !== undefined) {
    const [field = ''] = Object.keys(body.schema.properties);
    const parameter = toCamelCase(field);
    const argument = parameter === field ? `body: { ${field} }` : `body: { ${field}: ${parameter} }`;
    return { parameter: `${parameter}: ${type}`, argument };
  }
  const own = (BODY_NAMES as Readonly<Record<string, string>>)[name] ?? SHARED_BODIES[name];
  if (own === undefined) throw new Error(`The body of ${name} has no name`);
  return { parameter: `body: ${own}${body.optional === true ? ' = {}' : ''}`, argument: 'body' };
}

const CODE_INDENT = '    return ;'.length;

function formatWithNames(call: string, names: readonly string[]): string {
  if (names.length === 0) return `${call})`;
  const quoted = names.map((name) => `'${name}'`);
  const line = `${call}, [${quoted.join(', ')}])`;
  if (line.length + CODE_INDENT <= LINE_WIDTH) return line;
  return `${call}, [\n${quoted.map((name) => `      ${name},\n`).join('')}    ])`;
}

function formatCall(call: string, isRepeatable: boolean): string {
  const repeat = isRepeatable ? "'repeatable'" : "'once'";
  const line = `this.call(${call}, ${repeat})`;
  return line.length + CODE_INDENT <= LINE_WIDTH ? line : `this.call(\n      ${call},\n      ${repeat},\n    )`;
}

function describeList(operation: Operation): Method {
  const { name, list, files, answer } = operation;
  const type = FILTER_TYPES[name] ?? optionsOf(operation);
  const filters = parametersOf(operation);
  if (FILTER_TYPES[name] === undefined && Object.keys(list?.filters ?? {}).length > 0) {
    throw new Error(`The filters of ${name} have no name`);
  }
  const target = formatPath(operation);
  const isNeeded = (list?.needed ?? []).length > 0;
  return {
    parameters: [...namesInPath(operation).map(formatPathParameter), `options: ${type}${isNeeded ? '' : ' = {}'}`],
    result: `${files === undefined ? 'Listing' : 'FileListing'}<${typeOf(answer.schema?.properties.items.items)}>`,
    code: formatWithNames(`this.${files === undefined ? 'list' : 'fileList'}(${target}, options`, filters),
  };
}

function describeQuery(operation: Operation): Method {
  return {
    parameters: [`options: ${FILTER_TYPES[operation.name]} = {}`],
    result: `Promise<${typeOf(operation.answer.schema)}>`,
    code: formatWithNames(`this.query(${formatPath(operation)}, options`, parametersOf(operation)),
  };
}

function describeCall(operation: Operation): Method {
  const { name, method } = operation;
  const body = formatBodyParameter(operation);
  const isRepeatable = method === 'POST' ? REPEATABLE.has(name) : !ONCE.has(name);
  const call = [`...options`, `method: '${method}'`, `path: ${formatPath(operation)}`];
  return {
    parameters: [
      ...namesInPath(operation).map(formatPathParameter),
      ...(body === undefined ? [] : [body.parameter]),
      'options: CallOptions = {}',
    ],
    result: `Promise<${typeOf(operation.answer.schema)}>`,
    code: formatCall(`{ ${[...call, ...(body === undefined ? [] : [body.argument])].join(', ')} }`, isRepeatable),
  };
}

function describeMethod(operation: Operation): Method {
  if (operation.list !== undefined) return describeList(operation);
  return operation.query === undefined ? describeCall(operation) : describeQuery(operation);
}

function formatMethod(operation: Operation, examples: Examples): string {
  const name = methodOf(operation.name);
  const { parameters, result, code } = describeMethod(operation);
  const example = examples[name];
  if (example === undefined) throw new Error(`The method ${name} has no example in method-examples.ts`);
  const text = [operation.summary, operation.description].filter((part) => part !== undefined).join('. ');
  const comment = formatComment(text.endsWith('.') ? text : `${text}.`, '  ', example);
  const head = `  ${name}(${parameters.join(', ')}): ${result} {\n`;
  const longHead = `  ${name}(\n${parameters.map((parameter) => `    ${parameter},\n`).join('')}  ): ${result} {\n`;
  return `${comment}${head.length <= LINE_WIDTH ? head : longHead}    return ${code};\n  }\n`;
}

function formatClass(name: string, comment: string, operations: readonly Operation[], examples: Examples): string {
  const methods = operations
    .filter((operation) => !HAND_WRITTEN.has(operation.name))
    .map((operation) => formatMethod(operation, examples));
  const text = `${formatComment(comment, '')}export abstract class ${name} extends ApiCalls {\n${methods.join('\n')}}\n`;
  const sources = {
    ...typeSources,
    ...filterSources,
    CallOptions: './transport.js',
    Listing: './listing.js',
    FileListing: './listing.js',
  };
  return `import { ApiCalls, path } from './api-calls.js';\n${formatImports(listTypeNames(text), sources)}\n${text}`;
}

export function formatClientMethods(): { readonly customer: string; readonly operator: string } {
  return {
    customer: formatClass('CustomerCalls', 'The calls of the customer API.', customerApi.operations, CUSTOMER_EXAMPLES),
    operator: formatClass('OperatorCalls', 'The calls of the operator API.', operatorApi.operations, OPERATOR_EXAMPLES),
  };
}
