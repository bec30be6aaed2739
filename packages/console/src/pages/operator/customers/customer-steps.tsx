// What a new customer still needs, until its first message is delivered.

import type { OperatorClient } from '@postrider/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import { toMillionths } from '../../../format/money.js';
import { Checklist, type Step } from '../../../parts/layout/checklist.js';
import type { Word } from '../../../words/all-words.js';
import { useWords } from '../../../words/say.js';
import { stateOf } from './channel-choices.js';

interface Steps {
  readonly hasChannel: boolean;
  readonly hasSender: boolean;
  readonly hasTemplate: boolean;
  readonly hasFunds: boolean;
  readonly hasAccess: boolean;
}

/** Null once a message was delivered: among the newest hundred tasks, so that looking costs the same for every customer. */
export function customerStepsQuery(operator: OperatorClient, customerNo: string) {
  return queryOptions({
    queryKey: ['customer-steps', customerNo],
    queryFn: async ({ signal }): Promise<Steps | null> => {
      const first = { pageSize: 100, signal };
      const tasks = await operator.tasks({ customerNo, ...first }).page();
      if (tasks.items.some(({ counts }) => counts.delivered > 0)) return null;
      const [customer, grants, channels, accounts, templates, users, keys] = await Promise.all([
        operator.customer(customerNo, { signal }),
        operator.grants(customerNo, first).page(),
        operator.channels(first).page(),
        operator.serviceAccounts(customerNo, first).page(),
        operator.templates(customerNo, { status: 'active', ...first }).page(),
        operator.customerUsers(customerNo, first).page(),
        operator.credentials(customerNo, first).page(),
      ]);
      const up = new Set(channels.items.filter((one) => stateOf(one) === 'up').map((one) => one.channel_no));
      const credit = customer.billing_mode === 'postpaid' ? toMillionths(customer.credit_limit) : 0n;
      return {
        hasChannel: grants.items.some((grant) => up.has(grant.channel_no)),
        hasSender: accounts.items.some(({ status }) => status === 'active'),
        hasTemplate: templates.items.length > 0,
        hasFunds: toMillionths(customer.account.available) + credit > 0n,
        hasAccess: users.total > 0 || keys.items.some(({ status }) => status === 'active'),
      };
    },
  });
}

const REFRESH_MS = 5_000;

/** With the page around it, so that it does not move what is there when it comes. */
export function useCustomerSteps(customerNo: string) {
  return useQuery({
    ...customerStepsQuery(useOperator(), customerNo),
    // A message that was delivered stays delivered.
    refetchInterval: ({ state }) => (state.data === null ? false : REFRESH_MS),
  });
}

export function CustomerSteps({ customerNo }: { readonly customerNo: string }): ReactElement | null {
  const say = useWords();
  const { data: steps } = useCustomerSteps(customerNo);
  if (steps === undefined || steps === null) return null;
  const step = (key: Word, isDone: boolean, tab: string): Step => ({
    key,
    isDone,
    link: (
      <Link to="/operator/customers/$customerNo" params={{ customerNo }} search={{ tab }}>
        {say(key)}
      </Link>
    ),
  });
  return (
    <Checklist
      title={say('customerSteps.title')}
      steps={[
        step('customerSteps.channel', steps.hasChannel, 'sending'),
        step('customerSteps.sender', steps.hasSender, 'sending'),
        step('customerSteps.template', steps.hasTemplate, 'sending'),
        step('customerSteps.funds', steps.hasFunds, 'money'),
        step('customerSteps.access', steps.hasAccess, 'users'),
        step('customerSteps.delivered', false, 'tasks'),
      ]}
    />
  );
}
