// The sending rules of a customer: how often a number may be sent to, at which hours, and which numbers no cap applies to.

import { type Cap, type Customer, MESSAGE_CLASSES, type SendWindow } from '@postrider/client';
import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import type { Field } from '../../../parts/forms/entity-form.js';
import { type Say, useWords } from '../../../words/say.js';
import { CapExemptions } from './cap-exemptions.js';
import { RuleList } from './rule-list.js';

const DAYS = [1, 2, 3, 4, 5, 6, 7] as const;

interface CustomerProps {
  readonly customer: Customer;
}

export function CustomerRules({ customer }: CustomerProps): ReactElement {
  return (
    <>
      <Caps customer={customer} />
      <SendWindows customer={customer} />
      <CapExemptions customerNo={customer.customer_no} />
    </>
  );
}

function Caps({ customer }: CustomerProps): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const fields: readonly Field[] = [
    {
      name: 'class',
      label: say('class.title'),
      kind: 'choice',
      choices: [{ value: '', label: say('prices.everyClass') }, ...classChoices(say)],
      emptyIs: null,
    },
    {
      name: 'scope',
      label: say('rules.scope'),
      kind: 'choice',
      isRequired: true,
      choices: (['customer', 'template'] as const).map((value) => ({ value, label: say(`rules.scope.${value}`) })),
    },
    { name: 'count', label: say('rules.count'), kind: 'number', isRequired: true },
    { name: 'per', label: say('rules.per'), hint: say('rules.perHint'), kind: 'text', isRequired: true },
  ];
  const describe = (cap: Cap) => say('rules.capName', { count: cap.count, per: cap.per });
  return (
    <RuleList<Cap>
      name="caps"
      title={say('rules.caps')}
      none={say('rules.noCaps')}
      add={say('rules.addCap')}
      entries={customer.caps}
      initial={{ scope: 'customer' }}
      fields={fields}
      nameOf={describe}
      rowOf={(cap) => ({
        [say('class.title')]: cap.class === null ? say('prices.everyClass') : say(`class.${cap.class}`),
        [say('rules.scope')]: say(`rules.scope.${cap.scope}`),
        [say('rules.count')]: cap.count,
        [say('rules.per')]: cap.per,
      })}
      read={(values) => values}
      store={(caps) => operator.updateCustomer(customer.customer_no, { caps: caps as Cap[] })}
    />
  );
}

function SendWindows({ customer }: CustomerProps): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const fields: readonly Field[] = [
    { name: 'class', label: say('class.title'), kind: 'choice', isRequired: true, choices: classChoices(say) },
    { name: 'from', label: say('rules.from'), hint: say('rules.fromHint'), kind: 'text', isRequired: true },
    { name: 'to', label: say('rules.to'), hint: say('rules.toHint'), kind: 'text', isRequired: true },
    {
      name: 'time_zone',
      label: say('rules.timeZone'),
      hint: say('rules.timeZoneHint'),
      kind: 'text',
      isRequired: true,
    },
    {
      name: 'days',
      label: say('rules.days'),
      kind: 'choices',
      isRequired: true,
      choices: DAYS.map((day) => ({ value: String(day), label: say(`rules.day.${day}`) })),
    },
    {
      name: 'outside',
      label: say('rules.outside'),
      kind: 'choice',
      isRequired: true,
      choices: (['hold', 'reject'] as const).map((value) => ({ value, label: say(`rules.outside.${value}`) })),
    },
  ];
  return (
    <RuleList<SendWindow>
      name="send_windows"
      title={say('rules.windows')}
      none={say('rules.noWindows')}
      add={say('rules.addWindow')}
      entries={customer.send_windows}
      initial={{ class: 'promotion', time_zone: customer.billing_time_zone, days: DAYS, outside: 'hold' }}
      fields={fields}
      nameOf={({ from, to }) => `${from}–${to}`}
      rowOf={(window) => ({
        [say('class.title')]: say(`class.${window.class}`),
        [say('rules.from')]: window.from,
        [say('rules.to')]: window.to,
        [say('rules.timeZone')]: window.time_zone,
        [say('rules.days')]: showDays(say, window.days),
        [say('rules.outside')]: say(`rules.outside.${window.outside}`),
      })}
      read={(values) => ({ ...values, days: (values.days as string[]).map(Number) })}
      store={(windows) => operator.updateCustomer(customer.customer_no, { send_windows: windows as SendWindow[] })}
    />
  );
}

function classChoices(say: Say) {
  return MESSAGE_CLASSES.map((value) => ({ value, label: say(`class.${value}`) }));
}

function showDays(say: Say, days: readonly number[]): string {
  if (days.length === DAYS.length) return say('rules.everyDay');
  return DAYS.filter((day) => days.includes(day))
    .map((day) => say(`rules.day.${day}`))
    .join(', ');
}
