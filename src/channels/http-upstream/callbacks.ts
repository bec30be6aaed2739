// Reports and uplinks as the upstream posts them, in the form that the configuration describes.

import { hash } from 'node:crypto';
import type { CallbackFeedback, CallbackKind, CallbackRequest } from '../driver.js';
import type { HttpConfig, ReportsConfig, UplinksConfig } from './config.js';
import { parseForm, parseJson, readScalar, resolvePointer } from './json.js';

/** A longer list is refused whole: the upstream would never know which of it was taken. */
const MAX_ITEMS = 1_000;

/** Undefined when the channel takes no callbacks of this kind; a text says what is wrong with the request. */
export function readCallback(
  config: HttpConfig,
  kind: CallbackKind,
  request: CallbackRequest,
): readonly CallbackFeedback[] | string | undefined {
  const { reports, uplinks } = config;
  if (kind === 'reports') {
    return reports && readItems(reports, request, (item) => readReport(item, reports));
  }
  return uplinks && readItems(uplinks, request, (item) => readUplink(item, uplinks));
}

function readItems(
  { format, items }: ReportsConfig | UplinksConfig,
  request: CallbackRequest,
  read: (item: unknown) => CallbackFeedback | string,
): readonly CallbackFeedback[] | string {
  const body = parseBody(format, request);
  if (body === undefined) return 'the body is not JSON';
  const list = items === undefined ? [body] : resolvePointer(body, items);
  if (!Array.isArray(list)) return `there is no list at ${items}`;
  if (list.length > MAX_ITEMS) return `the list has more than ${MAX_ITEMS} entries`;
  const feedback: CallbackFeedback[] = [];
  for (const item of list) {
    const found = read(item);
    if (typeof found === 'string') return found;
    feedback.push(found);
  }
  return feedback;
}

function parseBody(format: ReportsConfig['format'], { body, query }: CallbackRequest): unknown {
  switch (format) {
    case 'json':
      return parseJson(body.toString('utf8'));
    case 'form':
      return parseForm(body.toString('utf8'));
    case 'query':
      return parseForm(query);
  }
}

function readReport(item: unknown, config: ReportsConfig): CallbackFeedback | string {
  const messageId = readScalar(item, config.message_id);
  const status = readScalar(item, config.status);
  if (messageId === undefined || messageId === '') return `there is no message id at ${config.message_id}`;
  if (status === undefined) return `there is no status at ${config.status}`;
  const phone = config.phone === undefined ? undefined : readAddress(item, config.phone);
  const code = config.code === undefined ? undefined : readScalar(item, config.code);
  return {
    kind: 'report',
    messageId,
    status: config.delivered.includes(status)
      ? 'delivered'
      : config.undelivered.includes(status)
        ? 'undelivered'
        : 'intermediate',
    code: code ?? status,
    ...(phone !== undefined && { phone }),
  };
}

function readUplink(item: unknown, config: UplinksConfig): CallbackFeedback | string {
  const from = readAddress(item, config.from);
  const text = readScalar(item, config.text);
  if (from === undefined || from === '') return `there is no sender at ${config.from}`;
  if (text === undefined) return `there is no text at ${config.text}`;
  // Upstreams number or date what they post: what comes again word for word is sent again.
  const mark = hash('sha256', JSON.stringify(item), 'base64url');
  return { kind: 'uplink', from, to: readAddress(item, config.to) ?? '', text, mark };
}

/** Digits without the plus sign or zeros of the international form; names as they are. */
function readAddress(item: unknown, pointer: string): string | undefined {
  const address = readScalar(item, pointer)?.trim();
  return address?.replace(/^(?:\+|00)(?=\d+$)/, '');
}
