// The columns of tables. A title follows from its field, so that a field has the same title in every table.

import type { RecordShape } from './records.js';

/** What is not called by its name: see docs/reference/words.md. */
const WORDS: Readonly<Record<string, string>> = {
  accounting_state: 'accounting',
  at: 'time (UTC)',
  batch_id: 'batch',
  billing_mode: 'billing',
  client_request_id: 'request id',
  firm: 'carrier',
  firms: 'carriers',
  frozen: 'reserved',
  held: 'reserved',
  part: 'segment',
  parts: 'segments',
  parts_per_second: 'segments per second',
  service_account: 'sender',
  total: 'numbers',
  upstream_message_id: 'upstream id',
};

function formatTitle(field: string): string {
  const name = field.replace(/^.*\./, '').replace(/_(no|after)$/, '');
  return (WORDS[name] ?? name.replace(/_at$/, ' (UTC)')).replaceAll('_', ' ').toUpperCase();
}

/** Fields with a blank between them. A narrow terminal does without those with a number behind a colon, `1` first. */
export function showColumns(columns: string, titles: Readonly<Record<string, string>> = {}): RecordShape['columns'] {
  return columns.split(' ').map((column) => {
    const [field = '', dispensable] = column.split(':');
    return {
      title: titles[field] ?? formatTitle(field),
      field,
      ...(dispensable === undefined ? {} : { dispensable: Number(dispensable) }),
      ...(['result', 'status'].includes(field) ? { hasOutcomes: true as const } : {}),
    };
  });
}

/** `fields` are those of the answer; `columns` are the glance. */
export function showSome(fields: readonly string[], ...columns: Parameters<typeof showColumns>): RecordShape {
  return { fields, columns: showColumns(...columns) };
}

/** Records that are small enough to be shown whole. */
export function showAll(fields: string): RecordShape {
  return showSome(fields.split(' '), fields);
}
