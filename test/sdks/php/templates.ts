// The generated files of the PHP SDK: a class for each type, and the methods of the client.

import {
  type ApiModel,
  type Body,
  type Enum,
  type Field,
  type FieldType,
  type Filters,
  type Method,
  type Model,
  toCamelCase,
} from '../model.js';

const LINE_WIDTH = 118;
/** Shown once by the service, and never by `print_r` or `var_dump`. */
const SECRETS = new Set(['secret', 'api_secret', 'invitation_url', 'password_reset_url']);

export function formatPhp(api: ApiModel): Readonly<Record<string, string>> {
  const records = new Set(api.models.filter(({ isGiven }) => !isGiven).map(({ name }) => name));
  const files: Record<string, string> = {};
  for (const one of api.enums)
    files[`src/Model/${one.name}.php`] = formatFile(api, 'Postrider\\Model', formatEnum(one));
  for (const one of api.models) {
    const text = one.isGiven ? formatGiven(one) : formatAnswer(one, records);
    const uses = ['Decimal', 'Read'].filter((name) => new RegExp(`\\b${name}\\b[: ]`).test(text));
    const imports = uses.length === 0 ? '' : `${uses.map((name) => `use Postrider\\${name};\n`).join('')}\n`;
    files[`src/Model/${one.name}.php`] = formatFile(api, 'Postrider\\Model', `${imports}${text}`);
  }
  files['src/Model/WebhookData.php'] = formatFile(api, 'Postrider\\Model', formatWebhookData(api));
  files['src/CustomerCalls.php'] = formatFile(api, 'Postrider', formatCalls(api));
  return files;
}

function formatFile(api: ApiModel, namespace: string, text: string): string {
  return `<?php\n\n// ${api.header}\n\ndeclare(strict_types=1);\n\nnamespace ${namespace};\n\n${text}`;
}

function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.replaceAll('*/', '* /').split(/\s+/)) {
    const last = lines[lines.length - 1] ?? '';
    if (last !== '' && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

/** The paragraphs of a comment, then its tags. */
function formatDoc(text: string | undefined, tags: readonly string[], indent: string): string {
  const lines = text === undefined ? [] : wrap(text, LINE_WIDTH - indent.length - 3);
  const all = [...lines, ...(lines.length > 0 && tags.length > 0 ? [''] : []), ...tags];
  const [only = ''] = all;
  if (all.length === 0) return '';
  if (all.length === 1 && only.length < LINE_WIDTH - indent.length - 7) return `${indent}/** ${only} */\n`;
  return `${indent}/**\n${all.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`;
}

function formatEnum({ name, words }: Enum): string {
  const constants = words.map((word) => `    public const ${constantOf(word)} = '${word}';\n`).join('');
  const doc = formatDoc('Words as they travel. A later service may add some: what is read is text.', [], '');
  return `${doc}final class ${name}\n{\n${constants}}\n`;
}

function constantOf(word: string): string {
  return word
    .replaceAll(/\W/g, '_')
    .replace(/^(?=\d)|^(?=class$)/i, '_')
    .toUpperCase();
}

/** The types of the fields of an answer, and of what a caller gives. */
function typeOf(type: FieldType, isGiven: boolean): string {
  switch (type.kind) {
    case 'text':
    case 'enum':
      return 'string';
    case 'integer':
      return 'int';
    case 'number':
      return 'int|float';
    case 'boolean':
      return 'bool';
    case 'decimal':
      return 'Decimal';
    case 'time':
      return isGiven ? '\\DateTimeInterface|string|int' : '\\DateTimeImmutable';
    case 'list':
    case 'map':
      return 'array';
    case 'either':
      return type.of.every(({ kind }) => kind === 'list' || kind === 'map') ? 'array' : 'mixed';
    case 'record':
      return type.name;
    default:
      return 'mixed';
  }
}

/** As static analysers read it; `prefix` goes before the names of models. */
function docTypeOf(type: FieldType, isGiven: boolean, prefix = ''): string {
  switch (type.kind) {
    case 'list':
      return `list<${docTypeOf(type.of, isGiven, prefix)}>`;
    case 'map':
      return `array<string, ${docTypeOf(type.of, isGiven, prefix)}>`;
    case 'either':
      return type.of.map((one) => docTypeOf(one, isGiven, prefix)).join('|');
    case 'record':
      return `${prefix}${type.name}`;
    default:
      return typeOf(type, isGiven);
  }
}

function orNull(type: string): string {
  if (type === 'mixed') return type;
  return type.includes('|') ? `${type}|null` : `?${type}`;
}

function seeEnum(type: FieldType, prefix = ''): string {
  if (type.kind === 'enum') return `One of {@see ${prefix}${type.name}}.`;
  return type.kind === 'map' && type.keys !== null ? `By {@see ${prefix}${type.keys}}.` : '';
}

/** An expression that reads what travelled. */
function readerOf(type: FieldType, value: string): string {
  switch (type.kind) {
    case 'text':
    case 'enum':
      return `Read::text(${value})`;
    case 'integer':
    case 'number':
    case 'boolean':
    case 'decimal':
    case 'time':
      return `Read::${type.kind}(${value})`;
    case 'list':
      return type.of.kind === 'any'
        ? `Read::list(${value})`
        : `array_map(fn ($one) => ${readerOf(type.of, '$one')}, Read::list(${value}))`;
    case 'map':
      return type.of.kind === 'any' || type.of.kind === 'either'
        ? `Read::map(${value})`
        : `array_map(fn ($one) => ${readerOf(type.of, '$one')}, Read::map(${value}))`;
    case 'record':
      return `new ${type.name}(Read::map(${value}))`;
    default:
      return value;
  }
}

function formatAnswer({ name, description, fields }: Model, records: ReadonlySet<string>): string {
  const isOptional = (one: Field) => one.isNullable || !one.isRequired;
  const properties = fields.map((one) => {
    const type = typeOf(one.type, false);
    const isPlain = type !== 'array' && type !== 'mixed';
    const docType = docTypeOf(one.type, false);
    const tags = isPlain ? [] : [`@var ${docType}${isOptional(one) && docType !== 'mixed' ? '|null' : ''}`];
    const text = [one.description, seeEnum(one.type)].filter((part) => part).join(' ');
    const doc = formatDoc(text === '' ? undefined : text, tags, '    ');
    return `${doc}    public readonly ${isOptional(one) ? orNull(type) : type} $${toCamelCase(one.name)};\n`;
  });
  const readers = fields.map((one) => {
    const wire = `$wire['${one.name}']`;
    const isRecord = one.type.kind === 'record' && !records.has(one.type.name);
    if (isRecord) throw new Error(`${name}.${one.name} is not of an answer`);
    const set = `$this->${toCamelCase(one.name)} = `;
    const read = readerOf(one.type, wire);
    if (isOptional(one)) return `        ${set}isset(${wire}) ? ${read} : null;\n`;
    return `        if (isset(${wire})) {\n            ${set}${read};\n        }\n`;
  });
  const secrets = fields
    .filter((one) => SECRETS.has(one.name))
    .map((one) => `'${toCamelCase(one.name)}' => '(hidden)'`);
  const hide =
    secrets.length === 0
      ? ''
      : `
    /** What a log shows. */
    public function __debugInfo(): array
    {
        return [${secrets.join(', ')}] + get_object_vars($this);
    }
`;
  const parameter = secrets.length === 0 ? 'array $wire' : '#[\\SensitiveParameter] array $wire';
  return `${formatDoc(description, [], '')}final class ${name}
{
${properties.join('')}
    /** @param array<array-key, mixed> $wire The JSON object. A property whose field is missing is not set. */
    public function __construct(${parameter})
    {
${readers.join('')}    }
${hide}}
`;
}

/** What a caller makes. */
function formatGiven({ name, description, fields }: Model): string {
  const ordered = [...fields.filter((one) => one.isRequired), ...fields.filter((one) => !one.isRequired)];
  const tags = ordered.map((one) => {
    const type = `${docTypeOf(one.type, true)}${one.isRequired ? '' : '|null'}`;
    return `@param ${type} $${toCamelCase(one.name)} ${one.description ?? ''}`.trimEnd();
  });
  const parameters = ordered.map((one) => {
    const type = typeOf(one.type, true);
    const declared = one.isRequired
      ? `${type} $${toCamelCase(one.name)}`
      : `${orNull(type)} $${toCamelCase(one.name)} = null`;
    return `        public readonly ${declared},\n`;
  });
  const values = ordered.map((one) => `            '${one.name}' => $this->${toCamelCase(one.name)},\n`).join('');
  return `${formatDoc(description, [], '')}final class ${name} implements \\JsonSerializable
{
${formatDoc(
  undefined,
  tags.flatMap((tag) => wrap(tag, LINE_WIDTH - 7)),
  '    ',
)}    public function __construct(
${parameters.join('')}    ) {
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return array_filter([
${values}        ], static fn (mixed $value): bool => $value !== null);
    }
}
`;
}

function formatWebhookData({ webhookMessages }: ApiModel): string {
  const models = webhookMessages.map(({ type, data }) => `        '${type}' => ${data}::class,\n`).join('');
  return `/** What the messages of a webhook carry, by their type. */\nfinal class WebhookData\n{\n    public const MODELS = [\n${models}    ];\n}\n`;
}

interface Parameter {
  readonly code: string;
  readonly tag: string | null;
}

function formatParameter({ name, type, isRequired, isNullable }: Field): Parameter {
  const isRecord = type.kind === 'record';
  const php = isRecord ? `Model\\${type.name}` : typeOf(type, true);
  const variable = `$${toCamelCase(name)}`;
  const omitted = !isRequired && isNullable;
  const nullable = !isRequired || isNullable;
  const declared = omitted ? `${php}|Omitted|null` : nullable ? orNull(php) : php;
  const value = isRequired ? '' : omitted ? ' = Omitted::Value' : ' = null';
  const see = seeEnum(type, 'Model\\');
  const docType = docTypeOf(type, true, 'Model\\');
  const full = `${docType}${omitted ? '|Omitted' : ''}${nullable ? '|null' : ''}`;
  const tag = php === 'array' || see !== '' ? `@param ${full} ${variable} ${see}`.trimEnd() : null;
  return { code: `${declared} ${variable}${value}`, tag };
}

const plain = (code: string): Parameter => ({ code, tag: null });
const TIMEOUT = plain('?float $timeout = null');

function formatFunction(
  name: string,
  text: string,
  parameters: readonly Parameter[],
  result: string,
  tags: readonly string[],
  code: string,
): string {
  const all = [...parameters.flatMap(({ tag }) => (tag === null ? [] : [tag])), ...tags];
  const lines = parameters.map((one) => `        ${one.code},\n`).join('');
  return `${formatDoc(text, all, '    ')}    public function ${name}(\n${lines}    ): ${result} {\n${code}    }\n`;
}

const ordered = (fields: readonly Field[]) => [
  ...fields.filter((one) => one.isRequired),
  ...fields.filter((one) => !one.isRequired),
];

function formatFields(fields: readonly Field[], indent: string): string {
  if (fields.length === 0) return '[]';
  const lines = fields.map((one) => `${indent}    '${one.name}' => $${toCamelCase(one.name)},\n`);
  return `[\n${lines.join('')}${indent}]`;
}

function formatPath({ path, pathParameters }: Method): string {
  if (pathParameters.length === 0) return `'${path}'`;
  const names = pathParameters.map(({ name }) => `$${toCamelCase(name)}`).join(', ');
  return `Call::path('${path.replaceAll(/\{\w+\}/g, '%s')}', ${names})`;
}

function formatMethod(method: Method, filters: readonly Filters[]): string {
  const { kind, pathParameters, body, answer, name, description } = method;
  if (kind === 'send' && body !== null) return formatSends(method, body);
  const inPath = pathParameters.map((one) =>
    plain(`${one.type === 'integer' ? 'int' : 'string'} $${toCamelCase(one.name)}`),
  );
  const own = filters.find((one) => one.name === method.filters)?.fields ?? [];
  const model = `Model\\${answer}`;
  const indent = '            ';
  if (kind === 'list') {
    const list = method.hasFiles ? 'FileListing' : 'Listing';
    const values = [
      '$this->core',
      `${model}::class`,
      formatPath(method),
      formatFields(own, indent),
      '$pageSize',
      '$timeout',
    ];
    const code = `        return new ${list}(\n${values.map((value) => `${indent}${value},\n`).join('')}        );\n`;
    const parameters = [...inPath, ...ordered(own).map(formatParameter), plain('?int $pageSize = null'), TIMEOUT];
    return formatFunction(name, description, parameters, list, [`@return ${list}<${model}>`], code);
  }
  const fields = body?.fields ?? [];
  const parameters = [...inPath, ...ordered([...fields, ...own]).map(formatParameter), TIMEOUT];
  const nullable = fields.filter((one) => one.isNullable).map((one) => `'${one.name}'`);
  const names = nullable.length === 0 ? '' : `, [${nullable.join(', ')}]`;
  const values = [
    `${model}::class`,
    `'${method.http}'`,
    formatPath(method),
    formatFields(own, indent),
    body === null ? 'null' : `Wire::given(${formatFields(fields, indent)}${names})`,
    method.isRepeatable ? 'true' : 'false',
    '$timeout',
  ];
  const code = `        return $this->call(\n${values.map((value) => `${indent}${value},\n`).join('')}        );\n`;
  return formatFunction(name, description, parameters, model, [], code);
}

/** `send`, `sendOrReplay` and `sendAll`: the fields of the request are arguments of each. */
function formatSends(method: Method, { fields }: Body): string {
  const parameters = [...ordered(fields).map(formatParameter), TIMEOUT];
  const call = `$this->sendOne(${formatFields(fields, '        ')}, $timeout)`;
  const shared = fields.filter(({ name }) => !['phones', 'recipients', 'client_request_id'].includes(name));
  const needed = shared.filter((one) => one.isRequired);
  const left = shared.filter((one) => !one.isRequired);
  const all: Parameter[] = [
    { code: 'iterable $numbers', tag: '@param iterable<string|Model\\Recipient> $numbers' },
    ...[...needed, ...left].map(formatParameter),
    plain('int $numbersPerTask = 5000'),
    plain('int $concurrency = 4'),
    { code: '?callable $onProgress = null', tag: '@param (callable(SendAllProgress): void)|null $onProgress' },
    TIMEOUT,
  ];
  const more = `Without a clientRequestId it gets one. After a lost answer it asks for the task before it sends again.`;
  const text = `Sends to any number of numbers: phones, or a Recipient with variables of its own. They are read no further ahead than what is under way, and cut into tasks of \`numbersPerTask\` under one \`batchId\`. Run again with the same input after a failure, it repeats nothing that was accepted; other numbers under the same \`batchId\` are refused with \`idempotency_conflict\`.`;
  const given = formatFields(shared, '            ');
  const values = ['$numbers', given, '$numbersPerTask', '$concurrency', '$onProgress', '$timeout'];
  const sendAll = `        return $this->sendMany(\n${values.map((value) => `            ${value},\n`).join('')}        );\n`;
  return [
    formatFunction(
      'send',
      `${method.description} ${more}`,
      parameters,
      'Model\\Task',
      [],
      `        return ${call}->task;\n`,
    ),
    formatFunction(
      'sendOrReplay',
      'Like send, and says whether the request had been accepted before.',
      parameters,
      'SentTask',
      [],
      `        return ${call};\n`,
    ),
    formatFunction('sendAll', text, all, 'SendAllSummary', [], sendAll),
  ].join('\n');
}

function formatCalls(api: ApiModel): string {
  const methods = api.methods.map((method) => formatMethod(method, api.filters)).join('\n');
  return `/** The calls of the customer API. */\nabstract class CustomerCalls extends Base\n{\n${methods}}\n`;
}
