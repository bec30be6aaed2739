// The fields of a change as the forms call them; those that no form has by words of the audit log.

import { isWord, type Word } from '../../../words/all-words.js';
import type { Say } from '../../../words/say.js';

const FIELD_WORDS: Readonly<Record<string, Word>> = {
  address: 'security.address',
  amount: 'record.amount',
  api_key: 'session.apiKey',
  available_after: 'record.availableAfter',
  billing_mode: 'ledgerPage.terms',
  billing_time_zone: 'customers.timeZone',
  body: 'task.text',
  caps: 'rules.caps',
  channel_no: 'field.channel_no',
  charge_on: 'customers.chargeOn',
  class: 'class.title',
  code: 'field.code',
  count: 'rules.count',
  credit_limit: 'customers.creditLimit',
  currency: 'customers.currency',
  customer_no: 'app.customer',
  daily_limit: 'customers.dailyLimit',
  days: 'rules.days',
  description: 'record.description',
  email: 'session.email',
  event: 'webhooks.event',
  events: 'webhooks.events',
  expires_at: 'credentials.expires',
  failover_codes: 'channels.failover',
  firm: 'record.firm',
  firms: 'nav.firms',
  from: 'rules.from',
  ip_allow: 'credentials.ipAllow',
  kind: 'channels.kind',
  low_balance: 'customers.lowBalance',
  masked: 'webhooks.masked',
  name: 'customers.name',
  outside: 'rules.outside',
  parts_per_second: 'channels.rate',
  per: 'rules.per',
  phone: 'record.phone',
  'policy.freeze': 'customers.policy.freeze',
  'policy.prepare': 'customers.policy.prepare',
  'policy.submit': 'customers.policy.submit',
  prefix: 'prices.prefix',
  prefixes: 'firms.prefixes',
  reference: 'credits.reference',
  refund_on_failure: 'customers.refund',
  remark: 'record.remark',
  requests_per_second: 'customers.requests',
  requires_filing: 'channels.requiresFiling',
  role: 'operators.role',
  scope: 'rules.scope',
  scopes: 'credentials.scopes',
  send_windows: 'rules.windows',
  sender: 'sending.sender',
  service_account_no: 'task.serviceAccount',
  signature: 'sending.signature',
  signature_position: 'sending.signaturePosition',
  status: 'record.status',
  template_no: 'task.template',
  text: 'channels.testText',
  time_zone: 'rules.timeZone',
  to: 'rules.to',
  unit_price: 'customers.unitPrice',
  url: 'webhooks.url',
  valid_from: 'prices.validFrom',
  words: 'blockedWords.words',
};

/** Undefined for one without a name. Settings of channels go by their names in forms, too. */
export function nameField(say: Say, name: string): string | undefined {
  if (name.startsWith('config.')) return name.slice('config.'.length);
  const word = FIELD_WORDS[name] ?? `auditField.${name}`;
  if (isWord(word)) return say(word);
  // A field of an object, such as the code of a template at one channel.
  const [, whole, part] = /^(\w+)\.(.+)$/.exec(name) ?? [];
  const named = whole === undefined ? undefined : nameField(say, whole);
  return named === undefined ? undefined : `${named} ${part}`;
}
