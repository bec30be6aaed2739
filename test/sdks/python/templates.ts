// The generated files of the Python SDK, formatted as black formats them.

import {
  type ApiModel,
  type Body,
  type Enum,
  type Field,
  type FieldType,
  type Filters,
  type Method,
  type Model,
  toSnakeCase,
} from '../model.js';

/** Of 100 columns, with room for the quotes behind the last line of a docstring. */
const LINE_WIDTH = 97;
const KEYWORDS = new Set(['class', 'from']);
/** Shown once by the service, and never by `repr`. */
const SECRETS = new Set(['secret', 'api_secret', 'invitation_url', 'password_reset_url']);
const OPTIONS = 'timeout: Optional[float] = None';

export function formatPython(api: ApiModel): Readonly<Record<string, string>> {
  return {
    'src/postrider/models.py': formatModels(api),
    'src/postrider/_calls.py': formatCalls(api, false),
    'src/postrider/_async_calls.py': formatCalls(api, true),
  };
}

function nameOf(name: string): string {
  return KEYWORDS.has(name) ? `${name}_` : name;
}

function formatDocstring(text: string, indent: string): string {
  const lines = wrap(text, indent);
  if (lines.length === 1) return `${indent}"""${text}"""\n`;
  return `${indent}"""${lines.join('\n')}\n${indent}"""\n`;
}

/** The first line begins behind the quotes. */
function wrap(text: string, indent: string): string[] {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const last = lines[lines.length - 1] ?? '';
    const width = LINE_WIDTH - (lines.length === 1 ? indent.length + 3 : 0);
    if (last.trim() !== '' && last.length + 1 + word.length > width) lines.push(`${indent}${word}`);
    else lines[lines.length - 1] = last.trim() === '' ? `${last}${word}` : `${last} ${word}`;
  }
  return lines;
}

function formatFieldComment(description: string | undefined): string {
  if (description === undefined) return '';
  return wrap(description, '    # ')
    .map((line, at) => (at === 0 ? `    # ${line}\n` : `${line}\n`))
    .join('');
}

/** Of answers lists and dictionaries, of what is given anything that is like them. */
function formatType(type: FieldType, isGiven: boolean): string {
  switch (type.kind) {
    case 'text':
      return 'str';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'decimal':
      return 'Decimal';
    case 'time':
      return isGiven ? 'Time' : 'datetime';
    case 'any':
      return 'Any';
    case 'list':
      return `${isGiven ? 'Sequence' : 'List'}[${formatType(type.of, isGiven)}]`;
    case 'map':
      return `${isGiven ? 'Mapping' : 'Dict'}[str, ${formatType(type.of, isGiven)}]`;
    case 'either':
      if (isGiven && type.of.some((one) => one.kind === 'map')) return 'VariableValues';
      return `Union[${type.of.map((one) => formatType(one, isGiven)).join(', ')}]`;
    default:
      return type.name;
  }
}

function formatHead(api: ApiModel, docstring: string, imports: string): string {
  return `# ${api.header}\n"""${docstring}"""\n\n${imports}\n`;
}

function formatModels(api: ApiModel): string {
  const imports = `from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

# As a caller may give it: a datetime with a time zone, RFC 3339, or milliseconds since the epoch.
Time = Union[datetime, str, int]
# Of the placeholders {p1} to {p18}: a dictionary, or a list whose first entry is p1.
VariableValues = Union[Mapping[str, Union[str, float]], Sequence[Union[str, float]]]
`;
  const data = api.webhookMessages.map(({ type, data: name }) => `    "${type}": ${name},\n`);
  return [
    formatHead(api, 'The types of the API, spelled as they travel.', imports),
    ...api.enums.map(formatEnum),
    ...api.models.map((model) => `\n\n${model.isGiven ? formatGiven(model) : formatAnswer(model)}`),
    `\n\n# What the messages of a webhook carry, by their type.\nWEBHOOK_DATA = {\n${data.join('')}}\n`,
  ].join('');
}

function formatEnum({ name, words }: Enum): string {
  if (words.length === 1) return `${name} = Literal["${words[0]}"]\n`;
  return `${name} = Literal[\n${words.map((word) => `    "${word}",\n`).join('')}]\n`;
}

function formatAnswer({ name, description, fields }: Model): string {
  const lines = [...fields.filter((one) => one.isRequired), ...fields.filter((one) => !one.isRequired)].map((one) => {
    const type = formatType(one.type, false);
    const optional = one.isNullable || !one.isRequired ? `Optional[${type}]` : type;
    const secret = SECRETS.has(one.name) ? ' = field(repr=False)' : one.isRequired ? '' : ' = None';
    return `${formatFieldComment(one.description)}    ${nameOf(one.name)}: ${optional}${secret}\n`;
  });
  const docstring = description === undefined ? '' : `${formatDocstring(description, '    ')}\n`;
  return `@dataclass(frozen=True)\nclass ${name}:\n${docstring}${lines.join('')}`;
}

/** Fields that may be missing are those of a class of their own until Python 3.11. */
function formatGiven({ name, description, fields }: Model): string {
  const format = (ones: readonly Field[]) =>
    ones
      .map((one) => `${formatFieldComment(one.description)}    ${one.name}: ${formatType(one.type, true)}\n`)
      .join('');
  const docstring = description === undefined ? '' : `${formatDocstring(description, '    ')}\n`;
  const required = fields.filter((one) => one.isRequired);
  const optional = fields.filter((one) => !one.isRequired);
  return `class _${name}(TypedDict):\n${format(required)}\n\nclass ${name}(_${name}, total=False):\n${docstring}${format(optional)}`;
}

function formatParameter({ name, type, isRequired, isNullable }: Field): string {
  const text = formatType(type, true);
  if (isRequired) return `${nameOf(name)}: ${text}`;
  if (isNullable) return `${nameOf(name)}: Union[${text}, None, Omitted] = OMITTED`;
  return `${nameOf(name)}: Optional[${text}] = None`;
}

/** Parameters that must be given come first, those that may be left out are only known by their names. */
function formatSignature(
  name: string,
  positional: readonly string[],
  named: readonly string[],
  result: string,
): string {
  const parameters = ['self', ...positional, '*', ...named].map((one) => `        ${one},\n`);
  return `    def ${name}(\n${parameters.join('')}    ) -> ${result}:\n`;
}

function formatFields(fields: readonly Field[], indent: string): string {
  if (fields.length === 0) return '{}';
  return `{\n${fields.map((one) => `${indent}    "${one.name}": ${formatValue(one)},\n`).join('')}${indent}}`;
}

function formatValue({ name, isNullable, isRequired }: Field): string {
  return isNullable && !isRequired ? `nullable(${nameOf(name)})` : nameOf(name);
}

function formatPath({ path, pathParameters }: Method): string {
  if (pathParameters.length === 0) return `"${path}"`;
  const names = pathParameters.map(({ name }) => name).join(', ');
  return `path("${path.replaceAll(/\{\w+\}/g, '{}')}", ${names})`;
}

function formatMethod(method: Method, filters: readonly Filters[], isAsync: boolean): string {
  const { kind, pathParameters, body, answer } = method;
  if (kind === 'send' && body !== null) return formatSends(method, body, isAsync);
  const name = toSnakeCase(method.name);
  const inPath = pathParameters.map((one) => `${one.name}: ${one.type === 'integer' ? 'int' : 'str'}`);
  const own = filters.find((one) => one.name === method.filters)?.fields ?? [];
  const docstring = formatDocstring(method.description, '        ');
  const indent = '            ';
  const target = `${indent}${formatPath(method)},\n`;
  if (kind === 'list') {
    const list = `${isAsync ? 'Async' : ''}${method.hasFiles ? 'FileListing' : 'Listing'}`;
    const named = [...own.map(formatParameter), 'page_size: Optional[int] = None', OPTIONS];
    const values = [answer, null, formatFields(own, indent), 'page_size', 'timeout'];
    const call = values.map((value) => (value === null ? target : `${indent}${value},\n`)).join('');
    const make = method.hasFiles ? '_file_list' : '_list';
    const signature = formatSignature(name, inPath, named, `${list}[${answer}]`);
    return `${signature}${docstring}        return self.${make}(\n${call}        )\n`;
  }
  const fields = body?.fields ?? [];
  const positional = [...inPath, ...(body?.isArgument === true ? fields.map(formatParameter) : [])];
  const byName = [...(body?.isArgument === true ? [] : fields), ...own];
  const named = [...byName.filter((one) => one.isRequired), ...byName.filter((one) => !one.isRequired)];
  const signature = formatSignature(name, positional, [...named.map(formatParameter), OPTIONS], answer);
  const call = [
    `${indent}${answer},\n${indent}"${method.http}",\n${target}`,
    ...(own.length > 0 ? [`${indent}query=${formatFields(own, indent)},\n`] : []),
    ...(body === null ? [] : [`${indent}body=${formatFields(fields, indent)},\n`]),
    `${indent}repeatable=${method.isRepeatable ? 'True' : 'False'},\n${indent}timeout=timeout,\n`,
  ].join('');
  const head = isAsync ? signature.replace('    def ', '    async def ') : signature;
  return `${head}${docstring}        return ${isAsync ? 'await ' : ''}self._call(\n${call}        )\n`;
}

/** `send`, `send_or_replay` and `send_all`: the fields of the request are arguments of each. */
function formatSends(method: Method, { fields }: Body, isAsync: boolean): string {
  const indent = '            ';
  const parameters = [...fields.filter((one) => one.isRequired), ...fields.filter((one) => !one.isRequired)];
  const define = isAsync ? '    async def ' : '    def ';
  const wait = isAsync ? 'await ' : '';
  const format = (name: string, result: string, text: string, code: string) => {
    const signature = formatSignature(name, [], [...parameters.map(formatParameter), OPTIONS], result);
    const call = `${wait}self._send(\n${indent}${formatFields(fields, indent)},\n${indent}timeout,\n        )`;
    return `${signature.replace('    def ', define)}${formatDocstring(text, '        ')}        ${code.replace('CALL', call)}\n`;
  };
  const more = `Without a client_request_id it gets one. After a lost answer it asks for the task before it sends again.`;
  const shared = fields.filter(({ name }) => !['phones', 'recipients', 'client_request_id'].includes(name));
  const numbers = isAsync ? 'Union[Iterable[SendAllNumber], AsyncIterable[SendAllNumber]]' : 'Iterable[SendAllNumber]';
  const all = formatSignature(
    'send_all',
    [`numbers: ${numbers}`],
    [
      ...shared.filter((one) => one.isRequired).map(formatParameter),
      ...shared.filter((one) => !one.isRequired).map(formatParameter),
      'numbers_per_task: int = 5000',
      'concurrency: int = 4',
      'on_progress: Optional[Callable[[SendAllProgress], None]] = None',
      OPTIONS,
    ],
    'SendAllSummary',
  ).replace('    def ', define);
  const text = `Send to any number of numbers: phones, or dictionaries with \`phone\` and \`variable_values\`. They are read no further ahead than what is under way, and cut into tasks of \`numbers_per_task\` under one \`batch_id\`. Run again with the same input after a failure, it repeats nothing that was accepted; other numbers under the same \`batch_id\` are refused with \`idempotency_conflict\`.`;
  const given = `${indent}${formatFields(shared, indent)},\n`;
  const options = ['numbers', 'numbers_per_task', 'concurrency', 'on_progress', 'timeout'];
  const call = `${wait}self._send_all(\n${given}${options.map((one) => `${indent}${one},\n`).join('')}        )`;
  return [
    format('send', 'Task', `${method.description} ${more}`, 'sent = CALL\n        return sent.task'),
    format(
      'send_or_replay',
      'SentTask',
      'Like send, and says whether the request had been accepted before.',
      'return CALL',
    ),
    `${all}${formatDocstring(text, '        ')}        return ${call}\n`,
  ].join('\n');
}

function formatCalls(api: ApiModel, isAsync: boolean): string {
  const methods = api.methods.map((method) => formatMethod(method, api.filters, isAsync)).join('\n');
  const names = [...new Set([...methods.matchAll(/\b[A-Z]\w+/g)].map(([name]) => name))].sort();
  const types = [...api.models, ...api.enums].map(({ name }) => name);
  const models = names.filter((name) => types.includes(name) || ['Time', 'VariableValues'].includes(name));
  const typing = ['AsyncIterable', 'Callable', 'Iterable', 'Mapping', 'Optional', 'Sequence', 'Union'];
  const prefix = isAsync ? 'Async' : '';
  const imports = `from typing import ${typing.filter((name) => new RegExp(`\\b${name}\\[`).test(methods)).join(', ')}

from ._call import OMITTED, Omitted, nullable, path
from ._${isAsync ? 'async_' : ''}base import ${prefix}Base
from ._${isAsync ? 'async_' : ''}listing import ${prefix}FileListing
from ._send import SendAllNumber, SendAllProgress, SendAllSummary, SentTask
from .models import (
${models.map((name) => `    ${name},\n`).join('')})
`;
  const head = formatHead(api, 'The calls of the customer API.', imports);
  return `${head}\n\nclass ${prefix}CustomerCalls(${prefix}Base):\n${methods}`.replace(/\n\n\n\nclass/, '\n\n\nclass');
}
