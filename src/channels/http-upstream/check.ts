// Rules between and inside the fields of a configuration that its schema cannot say.

import { validateHeaderName, validateHeaderValue } from 'node:http';
import { type ErrorText, errorText } from '../../domain/fault/error-text.js';
import { createFault, type Fault, type FaultCode, joinPointer } from '../../domain/fault/fault.js';
import type { HttpConfig } from './config.js';
import { isPointer } from './json.js';
import { namesIn, parseText, secretOf } from './placeholders.js';

/** The client sets these from the request itself. */
const RESERVED_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const BEFORE_PATH = /^https?:\/\/[^/?#{}@\\]+(?=[/?]|$)/i;
const MAX_HEADERS = 50;
const MAX_HEADER_LENGTH = 4000;
const MAX_BODY_LENGTH = 64 * 1024;
const MAX_SECRETS = 20;
const MAX_SECRET_LENGTH = 4000;
const SECRET_NAME = /^[A-Za-z0-9_-]{1,64}$/;

type Report = (pointer: string, code: FaultCode, text: ErrorText) => void;

export function checkHttpConfig(config: Partial<HttpConfig>): readonly Fault[] {
  const faults: Fault[] = [];
  const report: Report = (pointer, code, text) => faults.push(createFault(pointer, code, text));
  checkUrl(config, report);
  checkHeaders(config, report);
  checkSecrets(config, report);
  checkBody(config, report);
  checkPlaceholders(config, report);
  checkPointers(config, report);
  return faults;
}

function checkUrl({ url, method, format }: Partial<HttpConfig>, report: Report): void {
  if (method === 'GET' && format !== undefined && format !== 'query') {
    report('/format', 'requires', errorText('not_query_format'));
  }
  if (url === undefined) return;
  const sample = parseText(url)
    .map((piece, at) => (at % 2 === 0 ? piece : 'x'))
    .join('');
  if (!BEFORE_PATH.test(url) || !URL.canParse(sample)) {
    report('/url', 'format', errorText('not_upstream_url'));
  } else if (new URL(sample).hash !== '') report('/url', 'format', errorText('url_with_fragment'));
}

function checkHeaders({ headers }: Partial<HttpConfig>, report: Report): void {
  const entries = listStrings(headers, '/headers', report);
  if (entries.length > MAX_HEADERS)
    report('/headers', 'too_many', errorText('more_entries_than', { max: MAX_HEADERS }));
  for (const [name, value] of entries) {
    const pointer = joinPointer('/headers', name);
    if (RESERVED_HEADERS.has(name.toLowerCase())) report(pointer, 'not_allowed_together', errorText('reserved_header'));
    if (value.length > MAX_HEADER_LENGTH)
      report(pointer, 'too_long', errorText('longer_than', { max: MAX_HEADER_LENGTH }));
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      report(pointer, 'format', errorText('not_header'));
    }
  }
}

function checkSecrets({ secrets }: Partial<HttpConfig>, report: Report): void {
  const entries = listStrings(secrets, '/secrets', report);
  if (entries.length > MAX_SECRETS)
    report('/secrets', 'too_many', errorText('more_entries_than', { max: MAX_SECRETS }));
  for (const [name, value] of entries) {
    const pointer = joinPointer('/secrets', name);
    if (!SECRET_NAME.test(name)) report(pointer, 'format', errorText('not_secret_name'));
    if (value.length > MAX_SECRET_LENGTH)
      report(pointer, 'too_long', errorText('longer_than', { max: MAX_SECRET_LENGTH }));
  }
}

function checkBody({ body, format }: Partial<HttpConfig>, report: Report): void {
  if (body === undefined) return;
  if (JSON.stringify(body).length > MAX_BODY_LENGTH)
    report('/body', 'too_long', errorText('larger_than', { size: '64 KiB' }));
  if (format === undefined || format === 'json') return;
  const isScalar = (value: unknown) => typeof value !== 'object';
  const isFlat =
    typeof body === 'object' &&
    body !== null &&
    !Array.isArray(body) &&
    Object.values(body).every((value) => isScalar(value) || (Array.isArray(value) && value.every(isScalar)));
  if (!isFlat) report('/body', 'type', errorText('not_flat'));
}

/** A secret that is used must be there: its absence would be noticed with the first message only. */
function checkPlaceholders({ url, headers, body, secrets = {} }: Partial<HttpConfig>, report: Report): void {
  const known = new Set(Object.keys(secrets as object));
  const check = (text: string, pointer: string): void => {
    for (const name of namesIn(parseText(text))) {
      const secret = secretOf(name);
      if (secret !== undefined && !known.has(secret))
        report(pointer, 'requires', errorText('missing_secret', { name: secret }));
    }
  };
  const walk = (value: unknown, pointer: string): void => {
    if (typeof value === 'string') check(value, pointer);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) walk(member, joinPointer(pointer, name));
  };
  if (url !== undefined) check(url, '/url');
  walk(headers, '/headers');
  walk(body, '/body');
}

function checkPointers({ answer, reports, uplinks }: Partial<HttpConfig>, report: Report): void {
  const check = (text: string | undefined, pointer: string): void => {
    if (text !== undefined && !isPointer(text)) report(pointer, 'format', errorText('not_json_pointer'));
  };
  check(answer?.message_id, '/answer/message_id');
  check(answer?.code, '/answer/code');
  for (const [path, wanted] of Object.entries(answer?.accepted.match ?? {})) {
    const pointer = joinPointer('/answer/accepted/match', path);
    check(path, pointer);
    if (!Array.isArray(wanted) || wanted.length === 0 || wanted.some((value) => typeof value !== 'string')) {
      report(pointer, 'type', errorText('not_list_of_strings'));
    }
  }
  const groups = { reports, uplinks } as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;
  for (const [group, fields] of Object.entries(groups)) {
    for (const [name, value] of Object.entries(fields ?? {})) {
      if (name !== 'format' && typeof value === 'string') check(value, `/${group}/${name}`);
    }
  }
}

function listStrings(value: unknown, pointer: string, report: Report): [string, string][] {
  return Object.entries((value ?? {}) as Record<string, unknown>).flatMap(([name, member]): [string, string][] => {
    if (typeof member === 'string') return [[name, member]];
    report(joinPointer(pointer, name), 'type', errorText('not_string'));
    return [];
  });
}
