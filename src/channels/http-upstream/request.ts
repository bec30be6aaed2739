// From a part to the request that carries it. Values are inserted as values: encoded in the address and in forms, as JSON
// strings in JSON, and refused in headers where they are not plain text.

import { validateHeaderValue } from 'node:http';
import { isVariableName } from '../../domain/message/template.js';
import { nationalNumber } from '../../domain/phone/phone.js';
import type { Part } from '../channel.js';
import type { HttpConfig } from './config.js';
import { parseText, renderText, secretOf, type Text, type Values } from './placeholders.js';

export interface HttpRequest {
  readonly method: HttpConfig['method'];
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for the format `query`. */
  readonly body: Buffer;
}

export type BuiltRequest = { readonly request: HttpRequest } | { readonly fault: string };

type Template =
  | Text
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  | { readonly kind: 'fields'; readonly fields: readonly (readonly [string, Template])[] }
  | { readonly kind: 'value'; readonly value: unknown };

const CONTENT_TYPES = { json: 'application/json; charset=utf-8', form: 'application/x-www-form-urlencoded' } as const;

/** A fault is a code that refuses the part: nothing of it was sent. */
class BuildFault extends Error {}

export function createRequestBuilder(config: HttpConfig): (part: Part) => BuiltRequest {
  const { method, format } = config;
  const secrets = config.secrets as Readonly<Record<string, string>>;
  const url = parseText(config.url);
  const headers = Object.entries(config.headers).map(
    ([name, value]) => [name.toLowerCase(), parseText(value)] as const,
  );
  const body = compile(config.body);

  const build = (part: Part): HttpRequest => {
    const read: Values = (name) => {
      const secret = secretOf(name);
      return secret === undefined ? readValue(part, name) : (secrets[secret] ?? '');
    };
    const target = toUrl(renderText(url, (name) => encodeURIComponent(read(name))));
    const filled = fill(body, read);
    if (format === 'query') {
      for (const [name, value] of flatten(filled)) target.searchParams.append(name, value);
    }
    const content = format === 'query' ? '' : format === 'json' ? JSON.stringify(filled) : encodeForm(filled);
    const given = headers.map(([name, value]) => [name, toHeaderValue(name, renderText(value, read))] as const);
    return {
      method,
      url: target,
      headers: {
        accept: 'application/json',
        'user-agent': 'Postrider',
        ...(format !== 'query' && { 'content-type': CONTENT_TYPES[format] }),
        ...Object.fromEntries(given),
      },
      body: Buffer.from(content, 'utf8'),
    };
  };

  return (part) => {
    try {
      return { request: build(part) };
    } catch (error) {
      if (error instanceof BuildFault) return { fault: error.message };
      throw error;
    }
  };
}

function readValue(part: Part, name: string): string {
  if (isVariableName(name)) {
    if (part.variables === undefined) throw new BuildFault('NO_VARIABLES');
    return part.variables[name] ?? '';
  }
  switch (name) {
    case 'phone':
      return `+${part.to}`;
    case 'phone_digits':
      return part.to;
    case 'phone_national':
      return nationalNumber(part.to);
    case 'text':
      return part.text;
    case 'sender':
      return part.from;
    case 'reference':
      return part.reference;
    case 'template_code':
      if (part.templateCode === undefined) throw new BuildFault('NO_TEMPLATE_CODE');
      return part.templateCode;
    default:
      throw new Error(`there is no placeholder ${name}`);
  }
}

function compile(value: unknown): Template {
  if (typeof value === 'string') return parseText(value);
  if (Array.isArray(value)) return { kind: 'list', items: value.map(compile) };
  if (typeof value !== 'object' || value === null) return { kind: 'value', value };
  return { kind: 'fields', fields: Object.entries(value).map(([name, member]) => [name, compile(member)] as const) };
}

function fill(template: Template, read: Values): unknown {
  if (!('kind' in template)) return renderText(template, read);
  switch (template.kind) {
    case 'value':
      return template.value;
    case 'list':
      return template.items.map((item) => fill(item, read));
    case 'fields':
      return Object.fromEntries(template.fields.map(([name, member]) => [name, fill(member, read)]));
  }
}

/** A list repeats its name. */
function flatten(filled: unknown): (readonly [string, string])[] {
  return Object.entries(filled as Record<string, unknown>).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each) => [name, String(each)] as const),
  );
}

function encodeForm(filled: unknown): string {
  return new URLSearchParams(flatten(filled) as [string, string][]).toString();
}

/** Encoding leaves dots as they are, and a segment of dots would lead to another path with the credentials of the channel. */
function toUrl(text: string): URL {
  const [path = ''] = text.split(/[?#]/, 1);
  if (/\/(\.|%2e){1,2}(\/|$)/i.test(path)) throw new BuildFault('INVALID_URL');
  return new URL(text);
}

function toHeaderValue(name: string, value: string): string {
  try {
    validateHeaderValue(name, value);
    return value;
  } catch {
    throw new BuildFault('INVALID_HEADER');
  }
}
