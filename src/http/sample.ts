// An example for any schema: the names of fields say what a value looks like, so that every answer of the reference has one,
// also of an operation that was added today.

import type { TSchema } from '@sinclair/typebox';
import { examples } from './examples.js';

const TIME = '2026-11-14T23:57:00.000Z';

/** One story for all of them, the one of the customer's examples. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  ...examples.task,
  ...examples.account,
  customer_no: examples.account.customer_no,
  channel_no: 'H01K9XJ3Q8ZV4H',
  name: 'Main',
  api_key: 'pk_5T0D3Q8ZV4M2C7',
  api_secret: 'sk_7b1f4c9e2d8a5036f1e2d3c4b5a69788',
  ip_allow: ['203.0.113.0/24'],
  sender: '10690000',
  recipient: '10690001',
  content: 'OK',
  phone: '13800138000',
  seq: 1,
  firm: 'cmcc',
  firms: ['cmcc'],
  prefixes: ['86134', '86135'],
  body: 'Hello {p1}, your order is on its way.',
  amount: '100.000000',
  unit_price: '0.050000',
  remark: 'Invoice 2026-118',
  reference: 'invoice-2026-118',
  parts_per_second: 200,
  requests_per_second: 1000,
  waiting_tasks_limit: 500_000,
  waiting_numbers_limit: 10_000_000,
  waiting_mebibytes_limit: 1024,
  caps: [{ class: 'otp', scope: 'customer', count: 1, per: '60s' }],
  send_windows: [
    {
      class: 'promotion',
      from: '08:00',
      to: '21:00',
      time_zone: 'Asia/Shanghai',
      days: [1, 2, 3, 4, 5, 6, 7],
      outside: 'hold',
    },
  ],
  config: { answer_ms: 0, receipt_ms: 0, deliver_rate: 1 },
  health: { state: 'up', sessions: 1, detail: null, owner: 'node-1:4242:5f3a91c2', since: TIME },
  actor: 'operator',
  action: 'customer.change',
  subject: examples.account.customer_no,
  change: { unit_price: { before: '0.060000', after: '0.050000' } },
  at: TIME,
  seqs: [2, 3],
  page: 1,
  page_size: 20,
  total: 1,
  next_cursor: null,
  revoked_at: null,
};

export function sampleOf(schema: TSchema, name = ''): unknown {
  const known = BY_NAME[name];
  if (known !== undefined && fits(schema, known)) return known;
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Array.isArray(schema.anyOf)) return sampleOf(schema.anyOf[0] as TSchema, name);
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined && schema.type !== 'object') return schema.default;
  return sampleOfType(schema, name);
}

function sampleOfType(schema: TSchema, name: string): unknown {
  switch (schema.type) {
    case 'object':
      return sampleOfObject(schema);
    case 'array':
      return [sampleOf(schema.items as TSchema, name.replace(/s$/, ''))];
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return schema.format === 'date-time' ? TIME : 'text';
  }
}

/** What is required, which in an answer is everything that is always there. */
function sampleOfObject(schema: TSchema): Record<string, unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, TSchema>);
  const required = new Set((schema.required ?? []) as string[]);
  const shown = required.size === 0 ? properties.slice(0, 2) : properties.filter(([name]) => required.has(name));
  return Object.fromEntries(shown.map(([name, member]) => [name, sampleOf(member, name)]));
}

/** A name can mean different things in different places; the type tells. */
function fits(schema: TSchema, value: unknown): boolean {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.some((one) => fits(one as TSchema, value));
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  if (schema.type === 'null') return value === null;
  if (schema.type === 'array') return Array.isArray(value);
  if (schema.type === 'integer') return Number.isInteger(value);
  if (schema.type !== 'object') return typeof value === schema.type;
  return typeof value === 'object' && value !== null && !Array.isArray(value) && hasFields(schema, value);
}

function hasFields(schema: TSchema, value: object): boolean {
  return Object.keys((schema.properties ?? {}) as object).every((name) => name in value);
}
