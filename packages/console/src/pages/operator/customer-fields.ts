import type { Field } from '../../parts/entity-form.js';
import type { Say } from '../../words/say.js';

/** The terms of a customer, from their name to what they may send without asking. */
export function customerFields(say: Say, isNew: boolean): readonly Field[] {
  const choicesOf = (prefix: 'billing' | 'chargeOn' | 'policy', values: readonly string[]) =>
    values.map((value) => ({ value, label: say(`${prefix}.${value}` as 'billing.prepaid') }));
  const policy = ['by_request', 'always', 'manual'];
  const currency: Field = { name: 'currency', label: say('customers.currency'), hint: 'CNY', kind: 'text' };
  return [
    { name: 'name', label: say('customers.name'), kind: 'text', isRequired: true },
    ...(isNew ? [currency] : []),
    {
      name: 'unit_price',
      label: say('customers.unitPrice'),
      hint: say('customers.unitPriceHint'),
      kind: 'text',
    },
    {
      name: 'billing_mode',
      label: say('ledgerPage.terms'),
      kind: 'choice',
      choices: choicesOf('billing', ['prepaid', 'postpaid']),
    },
    { name: 'credit_limit', label: say('customers.creditLimit'), kind: 'text' },
    {
      name: 'charge_on',
      label: say('customers.chargeOn'),
      kind: 'choice',
      choices: choicesOf('chargeOn', ['submit', 'delivery']),
    },
    { name: 'refund_on_failure', label: say('customers.refund'), kind: 'switch' },
    { name: 'policy.prepare', label: say('action.prepare'), kind: 'choice', choices: choicesOf('policy', policy) },
    { name: 'policy.freeze', label: say('action.freeze'), kind: 'choice', choices: choicesOf('policy', policy) },
    { name: 'policy.submit', label: say('action.submit'), kind: 'choice', choices: choicesOf('policy', policy) },
    {
      name: 'daily_limit',
      label: say('customers.dailyLimit'),
      hint: say('customers.noneHint'),
      kind: 'text',
      emptyIs: null,
    },
    {
      name: 'low_balance',
      label: say('customers.lowBalance'),
      hint: say('customers.noneHint'),
      kind: 'text',
      emptyIs: null,
    },
    { name: 'requests_per_second', label: say('customers.requests'), kind: 'number' },
  ];
}
