import type { Customer } from '@postrider/client';
import { trimAmount } from '../../../format/money.js';
import type { Field, FieldValues } from '../../../parts/forms/entity-form.js';
import type { Say } from '../../../words/say.js';

/** The terms of a customer. For a new one, what most leave at its default is folded. */
export function customerFields(say: Say, isNew: boolean): readonly Field[] {
  const choicesOf = (prefix: 'billing' | 'chargeOn' | 'policy', values: readonly string[]) =>
    values.map((value) => ({ value, label: say(`${prefix}.${value}` as 'billing.prepaid') }));
  const policy = ['by_request', 'always', 'manual'];
  const currency: Field = { name: 'currency', label: say('customers.currency'), kind: 'text', isRequired: true };
  const policyOf = (step: 'prepare' | 'freeze' | 'submit'): Field => ({
    name: `policy.${step}`,
    label: say(`customers.policy.${step}`),
    hint: say('customers.policyHint'),
    kind: 'choice',
    isRequired: true,
    isFolded: isNew,
    choices: choicesOf('policy', policy),
  });
  return [
    { name: 'name', label: say('customers.name'), kind: 'text', isRequired: true },
    ...(isNew ? [currency] : []),
    {
      name: 'unit_price',
      label: say('customers.unitPrice'),
      hint: say('customers.unitPriceHint'),
      kind: 'text',
      isRequired: true,
    },
    {
      name: 'billing_mode',
      label: say('ledgerPage.terms'),
      kind: 'choice',
      isRequired: true,
      choices: choicesOf('billing', ['prepaid', 'postpaid']),
    },
    { name: 'credit_limit', label: say('customers.creditLimit'), kind: 'text' },
    {
      name: 'charge_on',
      isFolded: isNew,
      label: say('customers.chargeOn'),
      kind: 'choice',
      isRequired: true,
      choices: choicesOf('chargeOn', ['submit', 'delivery']),
    },
    { name: 'refund_on_failure', label: say('customers.refund'), kind: 'switch', isFolded: isNew },
    policyOf('prepare'),
    policyOf('freeze'),
    policyOf('submit'),
    {
      name: 'daily_limit',
      isFolded: isNew,
      label: say('customers.dailyLimit'),
      hint: say('customers.noneHint'),
      kind: 'text',
      emptyIs: null,
    },
    {
      name: 'low_balance',
      isFolded: isNew,
      label: say('customers.lowBalance'),
      hint: say('customers.noAlertHint'),
      kind: 'text',
      emptyIs: null,
    },
    {
      name: 'billing_time_zone',
      isFolded: isNew,
      label: say('customers.timeZone'),
      hint: say('customers.timeZoneHint'),
      kind: 'text',
      isRequired: true,
    },
    { name: 'requests_per_second', label: say('customers.requests'), kind: 'number', isFolded: isNew },
  ];
}

/** What messages come from. */
export function accountFields(say: Say): readonly Field[] {
  return [
    { name: 'name', label: say('customers.name'), kind: 'text', isRequired: true },
    { name: 'sender', label: say('sending.sender'), hint: say('sending.senderHint'), kind: 'text', isRequired: true },
    {
      name: 'signature',
      label: say('sending.signature'),
      hint: say('sending.signatureHint'),
      kind: 'text',
      emptyIs: null,
    },
    {
      name: 'signature_position',
      label: say('sending.signaturePosition'),
      kind: 'choice',
      choices: (['head', 'tail'] as const).map((value) => ({ value, label: say(`sending.signature.${value}`) })),
    },
  ];
}

/** Amounts as people write them: the zeros that align them in a table are none of a form's business. */
export function writeTerms(customer: Customer): FieldValues {
  const write = (amount: string | null) => amount && trimAmount(amount);
  return {
    ...customer,
    unit_price: write(customer.unit_price),
    credit_limit: write(customer.credit_limit),
    daily_limit: write(customer.daily_limit),
    low_balance: write(customer.low_balance),
  };
}
