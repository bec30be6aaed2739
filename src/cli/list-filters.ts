// Options by which lists are narrowed down, and what they say to the client.

import type { OwnListOptions } from '@postrider/client';
import { TEMPLATE_STATUSES } from '../domain/entities/template.js';
import { MESSAGE_CLASSES } from '../domain/rules/message-class.js';
import type { Invocation, OptionSpec } from './command.js';
import { parseMoment } from './duration.js';

/** An option of a list, and the name that the client has for the filter. */
interface Filter extends OptionSpec {
  readonly filter: string;
}
export type ListFilters = Readonly<Record<string, Filter>>;

/** For lists that can be narrowed by time. */
export const timeFilters: ListFilters = {
  start: {
    type: 'string',
    value: 'TIME',
    filter: 'startAt',
    summary:
      'from this moment on: 2026-11-14T08:00:00Z, 2026-11-14T08:00 (local time), 2026-11-14 (UTC), or 2h ago as 2h',
  },
  end: { type: 'string', value: 'TIME', filter: 'endAt', summary: 'before this moment' },
};

/** A filter that takes a word, shown as `value` in the help. */
function takes(value: string, filter: string, summary: string): Filter {
  return { type: 'string', value, filter, summary };
}

export const phoneFilter = takes('PHONE', 'phone', 'of this number, in any spelling');
export const taskFilter = takes('TASK', 'taskNo', 'of this task');
export const batchFilter = takes('ID', 'batchId', 'of the tasks of this batch');
export const requestIdFilter = takes('ID', 'clientRequestId', 'of this client_request_id');
export const titleFilter = takes('TITLE', 'title', 'with a title that begins so');
export const customerFilter = takes('CUSTOMER', 'customerNo', 'of this customer');

export const classFilter: Filter = {
  type: 'string',
  choices: MESSAGE_CLASSES,
  filter: 'class',
  summary: 'of templates of this class',
};

export const templateFilters: ListFilters = {
  class: { ...classFilter, summary: 'of this class' },
  status: { type: 'string', choices: TEMPLATE_STATUSES, filter: 'status', summary: 'with this status' },
};

/** The filters that were given, and no more than will be shown. The service checks them; the table has checked the choices. */
export function readListOptions(invocation: Invocation, filters: ListFilters): OwnListOptions {
  const isAll = invocation.flag('all') || invocation.text('output') !== undefined;
  const limit = isAll ? 100 : (invocation.wholeNumber('limit') ?? 20);
  return { pageSize: Math.max(1, Math.min(100, limit)), ...readFilters(invocation, filters) };
}

/** The same for sums, which have no pages. */
export function readFilters(invocation: Invocation, filters: ListFilters): Omit<OwnListOptions, 'pageSize'> {
  const given = Object.entries(filters).flatMap(([option, { filter }]): [string, string | Date][] => {
    const text = invocation.text(option);
    if (text === undefined) return [];
    return [[filter, Object.hasOwn(timeFilters, option) ? parseMoment(text, option, Date.now()) : text]];
  });
  return { signal: invocation.terminal.signal, ...Object.fromEntries(given) };
}
