// The generated files of the Java SDK: records of what is answered, builders of what is given, words, and the methods.

import {
  type ApiModel,
  type Enum,
  type Field,
  type FieldType,
  type Method,
  type Model,
  toCamelCase,
} from '../model.js';

const LINE_WIDTH = 130;
const FOLDER = 'src/main/java/dev/postrider';
/** Shown once by the service, and never by `toString`. */
const SECRETS = new Set(['secret', 'api_secret', 'invitation_url', 'password_reset_url']);
/** Problems are read by the core, which is lenient with what something else than the service may answer. */
const READ_BY_CORE = new Set(['Problem', 'Fault']);

export function formatJava(api: ApiModel): Readonly<Record<string, string>> {
  const given = [...api.models.filter((one) => one.isGiven), ...api.bodies, ...api.filters.map(toGiven)];
  const answers = api.models.filter(({ isGiven, name }) => !isGiven && name !== 'Problem');
  // Those with one field are arguments.
  const isBuilt = (name: string) => !api.bodies.some((body) => body.name === name && body.isArgument);
  const models = [
    ...api.enums.map((one) => [one.name, formatEnum(one)]),
    ...answers.map((one) => [one.name, formatAnswer(one)]),
    ...given.filter(({ name }) => isBuilt(name)).map((one) => [one.name, formatGiven(one)]),
  ];
  const head = `// ${api.header}\n`;
  return {
    ...Object.fromEntries(
      models.map(([name, text]) => [
        `${FOLDER}/model/${name}.java`,
        `${head}package dev.postrider.model;\n\n${formatImports(text ?? '', JAVA_TYPES)}${text}`,
      ]),
    ),
    [`${FOLDER}/ModelReader.java`]: head + formatReader(api),
    [`${FOLDER}/CustomerCalls.java`]: head + formatCalls(api),
  };
}

const JAVA_TYPES: Readonly<Record<string, string>> = {
  BigDecimal: 'java.math.BigDecimal',
  Instant: 'java.time.Instant',
  List: 'java.util.List',
  Map: 'java.util.Map',
};

function formatImports(text: string, places: Readonly<Record<string, string>>): string {
  const code = text.replaceAll(/\/\*\*.*?\*\//gs, '').replaceAll(/"[^"]*"/g, '');
  const used = Object.entries(places).filter(([name]) => new RegExp(`(?<![.\\w])${name}\\b`).test(code));
  const lines = used.map(([, place]) => `import ${place};\n`).sort();
  return lines.length === 0 ? '' : `${lines.join('')}\n`;
}

function toGiven({ name, fields }: { readonly name: string; readonly fields: readonly Field[] }): Model {
  return { name, fields, isGiven: true, description: 'Which items are wanted: all where nothing is given.' };
}

/** `class` is a word of Java. */
function nameOf(name: string): string {
  return name === 'class' ? 'messageClass' : toCamelCase(name);
}

function toJavadoc(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '&#64;')
    .replaceAll('*/', '*&#47;')
    .replaceAll(/`([^`{}]*)`/g, '{@code $1}');
}

function wrap(text: string, indent: string): string[] {
  const lines: string[] = [''];
  for (const word of text.split(/\s+/)) {
    const last = lines[lines.length - 1] ?? '';
    if (last !== '' && indent.length + last.length + 1 + word.length > LINE_WIDTH) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

function formatDoc(text: string, indent: string, parameters: readonly string[] = []): string {
  const lines = wrap(toJavadoc(text), `${indent} * `);
  if (lines.length === 1 && parameters.length === 0) return `${indent}/** ${lines[0]} */\n`;
  const more = parameters.flatMap((one) =>
    wrap(one, `${indent} *     `).map((line, at) => (at === 0 ? line : `    ${line}`)),
  );
  const all = more.length === 0 ? lines : [...lines, '', ...more];
  return `${indent}/**\n${all.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`;
}

function toConstant(word: string): string {
  return word.toUpperCase().replaceAll(/\W/g, '_');
}

function formatEnum({ name, words }: Enum): string {
  const constants = [...new Set(words)].map(
    (word) =>
      `    /** The word {@code ${word}}. */\n    public static final ${name} ${toConstant(word)} = new ${name}("${word}");\n`,
  );
  const text = `One of the words of ${name}; a later service may know more.`;
  return `${formatDoc(text, '', ['@param word as it travels'])}public record ${name}(String word) implements Word {
${constants.join('\n')}
    @Override
    public String toString() {
        return word;
    }
}
`;
}

/** `isBoxed` where null may stand for it, and within lists and maps. */
function formatType(type: FieldType, isBoxed = true): string {
  switch (type.kind) {
    case 'text':
      return 'String';
    case 'integer':
      return isBoxed ? 'Long' : 'long';
    case 'boolean':
      return isBoxed ? 'Boolean' : 'boolean';
    case 'decimal':
      return 'BigDecimal';
    case 'time':
      return 'Instant';
    case 'list':
      return `List<${formatType(type.of)}>`;
    case 'map':
      return `Map<${type.keys ?? 'String'}, ${formatType(type.of)}>`;
    case 'enum':
    case 'record':
      return type.name;
    default:
      return 'Object';
  }
}

function mayBeNull({ isNullable, isRequired }: Field): boolean {
  return isNullable || !isRequired;
}

function formatAnswer({ name, description, fields }: Model): string {
  const parameters = fields.flatMap((one) => {
    const said = one.description === undefined ? [] : [toJavadoc(one.description)];
    const all = [...said, ...(mayBeNull(one) ? ['May be null.'] : [])];
    return all.length === 0 ? [] : [`@param ${nameOf(one.name)} ${all.join(' ')}`];
  });
  const components = fields.map((one) => `        ${formatType(one.type, mayBeNull(one))} ${nameOf(one.name)}`);
  const doc = formatDoc(description ?? `What the service answers as ${name}.`, '', parameters);
  return `${doc}public record ${name}(\n${components.join(',\n')}) {${formatToString(name, fields)}}\n`;
}

/** Only where there is a secret; else the text is that of any record. */
function formatToString(name: string, fields: readonly Field[]): string {
  if (!fields.some((one) => SECRETS.has(one.name))) return '';
  const parts = fields.map(
    (one, at) =>
      `${at === 0 ? '' : ', '}${nameOf(one.name)}=${SECRETS.has(one.name) ? '***' : `" + ${nameOf(one.name)} + "`}`,
  );
  const text = `"${name}[${parts.join('')}]"`
    .replaceAll(' + "" + ', ' + ')
    .replaceAll(/ \+ "(?=[^"]*")/g, '\n                + "');
  return `
    /** Without what is secret. */
    @Override
    public String toString() {
        return ${text};
    }
`;
}

function formatGiven({ name, description, fields }: Model): string {
  const required = fields.filter((one) => one.isRequired).map((one) => `, "${one.name}"`);
  const setters = fields.flatMap(formatSetters);
  return `${formatDoc(description ?? `What a caller gives as ${name}.`, '')}public final class ${name} extends Given {
    private ${name}(Builder builder) {
        super(builder${required.join('')});
    }

    /** Begins one. */
    public static Builder builder() {
        return new Builder();
    }
${formatShortcut(name, fields)}
    /** This one, to be changed. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.putAll(this);
        return builder;
    }

    /** What is given. */
    public static final class Builder extends Given.Builder {
        private Builder() {}

${setters.join('\n')}
        /** Makes it; an IllegalArgumentException says what is missing. */
        public ${name} build() {
            return new ${name}(this);
        }
    }
}
`;
}

/** What is little more than its one field that must be given. */
function formatShortcut(name: string, fields: readonly Field[]): string {
  const [field, ...others] = fields.filter((one) => one.isRequired);
  if (field === undefined || others.length > 0 || fields.length > 2) return '';
  const argument = nameOf(field.name);
  return `
    /** With this alone. */
    public static ${name} of(${formatType(field.type)} ${argument}) {
        return builder().${argument}(${argument}).build();
    }
`;
}

function formatSetters(field: Field): string[] {
  const { name, type, description, isNullable } = field;
  const put = isNullable ? 'putNullable' : 'put';
  const argument = nameOf(name);
  const more = isNullable ? ' Null is a value of it.' : '';
  const doc = formatDoc(
    `${description ?? `The field {@code ${name}}.`}${more}`.replaceAll(/[{]@code (\w+)[}]/g, '`$1`'),
    '        ',
  );
  const format = (parameter: string, value: string) =>
    `${doc}        public Builder ${argument}(${parameter} ${argument}) {\n            ${put}("${name}", ${value});\n            return this;\n        }\n`;
  if (type.kind === 'either') return ['Map<String, ?>', 'List<?>'].map((one) => format(one, argument));
  const setter = format(formatType(type), argument);
  if (type.kind !== 'list' || isNullable) return [setter];
  return [setter, format(`${formatType(type.of)}...`, `List.of(${argument})`)];
}

/** What makes a value of an entry of a list or a map. */
function formatItem(type: FieldType): string {
  switch (type.kind) {
    case 'text':
      return 'Fields::asText';
    case 'integer':
      return 'Fields::asInteger';
    case 'enum':
      return `one -> new ${type.name}(Fields.asText(one))`;
    case 'record':
      return `one -> ${readerOf(type.name)}(Fields.of(one))`;
    case 'any':
    case 'either':
      return 'Fields::asIs';
    default:
      throw new Error(`A list or map of ${type.kind} cannot be read yet`);
  }
}

function readerOf(name: string): string {
  return name.replace(/^./, (letter) => letter.toLowerCase());
}

function formatRead(field: Field): string {
  const { name, type } = field;
  const orNull = mayBeNull(field) ? 'OrNull' : '';
  switch (type.kind) {
    case 'text':
    case 'decimal':
    case 'time':
      return `fields.${type.kind}("${name}")`;
    case 'integer':
      return `fields.integer${orNull}("${name}")`;
    case 'boolean':
      return `fields.flag${orNull}("${name}")`;
    case 'enum':
      return `fields.word("${name}", ${type.name}::new)`;
    case 'record':
      return `fields.record("${name}", ModelReader::${readerOf(type.name)})`;
    case 'list':
      return `fields.list("${name}", ${formatItem(type.of)})`;
    case 'map':
      return `fields.map("${name}", ${type.keys === null ? 'key -> key' : `${type.keys}::new`}, ${formatItem(type.of)})`;
    default:
      return `fields.value("${name}")`;
  }
}

function placesOf(api: ApiModel): Record<string, string> {
  const names = [...api.models, ...api.bodies, ...api.filters, ...api.enums].map(({ name }) => name);
  return Object.fromEntries(names.map((name) => [name, `dev.postrider.model.${name}`]));
}

function formatReader(api: ApiModel): string {
  const readers = api.models
    .filter(({ isGiven, name }) => !isGiven && !READ_BY_CORE.has(name))
    .map(({ name, fields }) => {
      const values = fields.map((one) => `                ${formatRead(one)}`).join(',\n');
      return `    static ${name} ${readerOf(name)}(Fields fields) {\n        return new ${name}(\n${values});\n    }\n`;
    });
  const cases = api.webhookMessages.map(
    ({ type, data }) => `            case "${type}" -> ${readerOf(data)}(Fields.of(data));\n`,
  );
  const code = `/** Makes the records of what the service answers. */
final class ModelReader {
    private ModelReader() {}

    /** What the message of a webhook carries, by its type; of a type that is not known the JSON. */
    static Object webhookData(String type, Object data) {
        return switch (String.valueOf(type)) {
${cases.join('')}            default -> data;
        };
    }

${readers.join('\n')}}
`;
  return `package dev.postrider;\n\n${formatImports(code, { ...JAVA_TYPES, ...placesOf(api) })}${code}`;
}

function formatPath({ path, pathParameters }: Method): string {
  if (pathParameters.length === 0) return `"${path}"`;
  const names = pathParameters.map(({ name }) => toCamelCase(name)).join(', ');
  return `Calls.path("${path.replaceAll(/\{\w+\}/g, '{}')}", ${names})`;
}

function formatMethod(method: Method): string {
  const { name, kind, answer, body, filters } = method;
  const inPath = method.pathParameters.map(
    (one) => `${one.type === 'integer' ? 'long' : 'String'} ${toCamelCase(one.name)}`,
  );
  const names = method.pathParameters.map((one) => toCamelCase(one.name));
  const doc = formatDoc(method.description, '    ');
  const format = (type: string, parameters: readonly string[], code: string) =>
    `${doc}    public ${type} ${name}(${parameters.join(', ')}) {\n        return ${code};\n    }\n`;
  const read = `ModelReader::${readerOf(answer)}`;
  const exchange = (query: string, content: string) =>
    `exchange("${method.http}", ${formatPath(method)}, ${query}, ${content}, ${method.isRepeatable})\n                .as(${read})`;
  if (kind === 'send' && body !== null) {
    const more =
      'Without a `client_request_id` it gets one. After a lost answer it asks for the task before it sends again.';
    const text = formatDoc(`${method.description} ${more}`, '    ');
    return `${text}    public Task send(${body.name} request) {\n        return sendOnce(request).task();\n    }\n`;
  }
  const shorter = (type: string) => format(type, inPath, `${name}(${[...names, 'null'].join(', ')})`);
  if (kind === 'list') {
    const type = `${method.hasFiles ? 'FileListing' : 'Listing'}<${answer}>`;
    const code = (given: string) => `list(${formatPath(method)}, ${given}, ${read})`;
    if (filters === null) return format(type, inPath, code('null'));
    return `${format(type, [...inPath, `${filters} filters`], code('filters'))}\n${shorter(type)}`;
  }
  if (filters !== null) {
    return `${format(answer, [...inPath, `${filters} filters`], exchange('fieldsOf(filters)', 'null'))}\n${shorter(answer)}`;
  }
  if (body === null) return format(answer, inPath, exchange('Map.of()', 'null'));
  if (body.isArgument) {
    const given = body.fields.map((one) => `${formatType(one.type)} ${nameOf(one.name)}`);
    const fields = body.fields.map((one) => `"${one.name}", ${nameOf(one.name)}`).join(', ');
    return format(answer, [...inPath, ...given], exchange('Map.of()', `Map.of(${fields})`));
  }
  const whole = format(answer, [...inPath, `${body.name} request`], exchange('Map.of()', 'request'));
  return body.isOptional ? `${whole}\n${shorter(answer)}` : whole;
}

function formatCalls(api: ApiModel): string {
  const code = `/** The calls of the customer API. */
public abstract class CustomerCalls extends BaseCalls {
    CustomerCalls(Core core, Duration timeout) {
        super(core, timeout);
    }

${api.methods.map(formatMethod).join('\n')}}
`;
  const places = { ...JAVA_TYPES, Duration: 'java.time.Duration', ...placesOf(api) };
  return `package dev.postrider;\n\n${formatImports(code, places)}${code}`;
}
