// One customer: terms, keys, grants, money, tasks, webhooks and opt-outs.

import { Tabs } from '@mantine/core';
import type { Customer } from '@postrider/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { showCount } from '../../../format/count.js';
import { Button } from '../../../parts/controls/button.js';
import { ConfirmButton } from '../../../parts/forms/confirm-button.js';
import { useFilters } from '../../../parts/forms/filters.js';
import { FormDialog } from '../../../parts/forms/form-dialog.js';
import { BackLink } from '../../../parts/layout/back-link.js';
import { Card, CardGrid, Facts, Page } from '../../../parts/layout/page.js';
import { FailureState, LoadingState, ProblemText } from '../../../parts/layout/states.js';
import { TabNames } from '../../../parts/layout/tab-names.js';
import { Tiles } from '../../../parts/layout/tiles.js';
import { Amount } from '../../../parts/values/amount.js';
import { Copyable } from '../../../parts/values/copyable.js';
import { StatusLabel } from '../../../parts/values/status-label.js';
import { useWords } from '../../../words/say.js';
import { RoleNeeded } from '../role-needed.js';
import { OperatorTasks } from '../tasks/operator-tasks.js';
import { useView, ViewLink } from '../view.js';
import { ViewButton } from '../view-button.js';
import { CustomerCredentials } from './customer-credentials.js';
import { customerFields, writeTerms } from './customer-fields.js';
import { CustomerMoney } from './customer-money.js';
import { CustomerOptOuts } from './customer-opt-outs.js';
import { CustomerRules } from './customer-rules.js';
import { CustomerSending } from './customer-sending.js';
import { CustomerSteps, useCustomerSteps } from './customer-steps.js';
import { CustomerUsers } from './customer-users.js';
import { CustomerWebhooks } from './customer-webhooks.js';

const TABS = ['terms', 'sending', 'rules', 'credentials', 'users', 'money', 'tasks', 'webhooks', 'optOuts'] as const;

export function CustomerPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const { customerNo = '' } = useParams({ strict: false });
  const filters = useFilters(['tab'] as const);
  const tab = TABS.find((name) => name === filters.values.tab) ?? 'terms';
  const { data: customer, error } = useQuery({
    queryKey: ['customer', customerNo],
    queryFn: ({ signal }) => operator.customer(customerNo, { signal }),
    refetchInterval: 3_000,
  });
  const above = <BackLink to="/operator/customers">{say('nav.customers')}</BackLink>;
  const steps = useCustomerSteps(customerNo);
  if (customer === undefined || steps.isPending) {
    return (
      <Page title={customerNo} above={above}>
        <Card>{error === null ? <LoadingState /> : <FailureState error={error} />}</Card>
      </Page>
    );
  }
  return (
    <Page
      title={customer.name}
      above={above}
      lead={<Copyable value={customer.customer_no} name={say('customers.number')} />}
      actions={<CustomerActions customer={customer} />}
    >
      <CustomerSteps customerNo={customerNo} />
      <CustomerTiles customer={customer} />
      <Tabs value={tab} onChange={(name) => filters.replace({ tab: name ?? undefined })} keepMounted={false}>
        <TabNames tabs={TABS} chosen={tab} nameOf={(name) => say(`customers.tab.${name}`)} mb="md" />
        <Tabs.Panel value="terms">
          <Terms customer={customer} />
        </Tabs.Panel>
        <Tabs.Panel value="sending">
          <CustomerSending customer={customer} />
        </Tabs.Panel>
        <Tabs.Panel value="rules">
          <CustomerRules customer={customer} />
        </Tabs.Panel>
        <Tabs.Panel value="credentials">
          <CustomerCredentials customerNo={customerNo} />
        </Tabs.Panel>
        <Tabs.Panel value="users">
          <CustomerUsers customerNo={customerNo} />
        </Tabs.Panel>
        <Tabs.Panel value="money">
          <CustomerMoney customer={customer} />
        </Tabs.Panel>
        <Tabs.Panel value="tasks">
          <OperatorTasks filters={{ customerNo }} />
        </Tabs.Panel>
        <Tabs.Panel value="webhooks">
          <CustomerWebhooks customerNo={customerNo} />
        </Tabs.Panel>
        <Tabs.Panel value="optOuts">
          <CustomerOptOuts customerNo={customerNo} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

interface CustomerProps {
  readonly customer: Customer;
}

/** The balances lead to the ledger behind them, for who may look on as the customer. */
function CustomerTiles({ customer }: CustomerProps): ReactElement {
  const say = useWords();
  const mayView = useMay('view');
  const view = useView();
  const { account, currency } = customer;
  const linkLedger = (value: string) => {
    const shown = <Amount value={value} currency={currency} isShort />;
    return mayView ? (
      <ViewLink view={view} page={{ customerNo: customer.customer_no, to: '/ledger' }}>
        {shown}
      </ViewLink>
    ) : (
      shown
    );
  };
  return (
    <>
      {view.error !== null && <ProblemText error={view.error} />}
      <Tiles
        tiles={[
          { name: say('record.status'), value: <StatusLabel status={customer.status} /> },
          { name: say('money.available'), value: linkLedger(account.available) },
          { name: say('money.reserved'), value: linkLedger(account.frozen) },
          {
            name: say('customers.unitPrice'),
            value: <Amount value={customer.unit_price} currency={currency} isShort />,
          },
        ]}
      />
    </>
  );
}

function CustomerActions({ customer }: CustomerProps): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const queryClient = useQueryClient();
  const mayConfigure = useMay('configure');
  const maySuspend = useMay('suspend');
  const mayView = useMay('view');
  const isActive = customer.status === 'active';
  const activate = useMutation({
    mutationFn: () => operator.updateCustomer(customer.customer_no, { status: 'active' }),
    onSettled: () => queryClient.invalidateQueries(),
  });
  return (
    <>
      {activate.error !== null && <ProblemText error={activate.error} />}
      {mayView && <ViewButton customerNo={customer.customer_no} />}
      {maySuspend && isActive && (
        <ConfirmButton
          label={say('customers.suspend')}
          title={say('customers.suspendOf', { name: customer.name })}
          hint={say('customers.suspendHint')}
          onConfirm={() => operator.updateCustomer(customer.customer_no, { status: 'suspended' })}
        />
      )}
      {maySuspend && !isActive && (
        <Button look="bordered" isBusy={activate.isPending} onClick={() => activate.mutate()}>
          {say('customers.activate')}
        </Button>
      )}
      {mayConfigure && (
        <FormDialog
          label={say('form.change')}
          title={say('form.changeOf', { name: customer.name })}
          submit={say('form.save')}
          isChange
          isPrimary
          fields={customerFields(say, false)}
          initial={writeTerms(customer)}
          onSubmit={(body) => operator.updateCustomer(customer.customer_no, body)}
        />
      )}
      <RoleNeeded
        actions={[
          [say('view.start'), 'view'],
          [say(isActive ? 'customers.suspend' : 'customers.activate'), 'suspend'],
          [say('form.change'), 'configure'],
        ]}
      />
    </>
  );
}

function Terms({ customer }: CustomerProps): ReactElement {
  const say = useWords();
  const { policy, currency } = customer;
  const amountOr = (word: 'customers.none' | 'customers.noAlert', value: string | null) =>
    value === null ? say(word) : <Amount value={value} currency={currency} />;
  return (
    <CardGrid columns={2}>
      <Card title={say('ledgerPage.terms')}>
        <Facts
          facts={[
            [say('customers.mode'), say(`billing.${customer.billing_mode}`)],
            [say('customers.creditLimit'), <Amount key="limit" value={customer.credit_limit} currency={currency} />],
            [say('customers.chargeOn'), say(`chargeOn.${customer.charge_on}`)],
            [say('customers.dailyLimit'), amountOr('customers.none', customer.daily_limit)],
            [say('customers.lowBalance'), amountOr('customers.noAlert', customer.low_balance)],
            [say('customers.refund'), say(customer.refund_on_failure ? 'form.yes' : 'form.no')],
          ]}
        />
      </Card>
      <Card title={say('customers.policy')}>
        <Facts
          facts={[
            [say('action.prepare'), say(`policy.${policy.prepare}`)],
            [say('action.freeze'), say(`policy.${policy.freeze}`)],
            [say('action.submit'), say(`policy.${policy.submit}`)],
            [say('customers.requests'), showCount(customer.requests_per_second)],
          ]}
        />
      </Card>
    </CardGrid>
  );
}
