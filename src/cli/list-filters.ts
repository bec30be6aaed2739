// Options by which lists are narrowed down, and what they say to the client.

import type { ListOptions, ReceiptResult } from '@postrider/client';
import { TEMPLATE_STATUSES } from '../domain/entities/template.js';
import { MESSAGE_CLASSES } from '../domain/rules/message-class.js';
import type { Invocation, OptionSpec } from './command.js';
import { parseMoment } from './duration.js';
import { readPageSize } from './page-size.js';

export const results: readonly ReceiptResult[] = ['delivered', 'undelivered', 'expired', 'rejected'];

export const timeOptions: Readonly<Record<string, OptionSpec>> = {
  start: {
    type: 'string',
    value: 'TIME',
    summary:
      'from this moment on: 2026-11-14T08:00:00Z, 2026-11-14T08:00 (local time), 2026-11-14 (UTC), or 2h ago as 2h',
  },
  end: { type: 'string', value: 'TIME', summary: 'before this moment' },
};

export const phoneOption: OptionSpec = { type: 'string', value: 'PHONE', summary: 'of this number, in any spelling' };
export const taskOption: OptionSpec = { type: 'string', value: 'TASK', summary: 'of this task' };
export const batchOption: OptionSpec = { type: 'string', value: 'ID', summary: 'of the tasks of this batch' };
export const requestIdOption: OptionSpec = { type: 'string', value: 'ID', summary: 'of this client_request_id' };

export const titleOption: OptionSpec = { type: 'string', value: 'TITLE', summary: 'with a title that begins so' };

export const classOption: OptionSpec = {
  type: 'string',
  choices: MESSAGE_CLASSES,
  summary: 'of templates of this class',
};

export const templateStatusOption: OptionSpec = {
  type: 'string',
  choices: TEMPLATE_STATUSES,
  summary: 'with this status',
};

export function readListOptions(invocation: Invocation): ListOptions {
  const start = invocation.text('start');
  const end = invocation.text('end');
  const nowMs = Date.now();
  return {
    pageSize: readPageSize(invocation),
    signal: invocation.terminal.signal,
    ...(start === undefined ? {} : { startAt: parseMoment(start, 'start', nowMs) }),
    ...(end === undefined ? {} : { endAt: parseMoment(end, 'end', nowMs) }),
  };
}

/** Filters that were given, under the names that the client uses. The table has checked the choices. */
export function readFilters(invocation: Invocation, names: Readonly<Record<string, string>>): Record<string, string> {
  const filters: Record<string, string> = {};
  for (const [option, filter] of Object.entries(names)) {
    const value = invocation.text(option);
    if (value !== undefined) filters[filter] = value;
  }
  return filters;
}
