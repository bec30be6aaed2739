import type { Customer, CustomerRequest } from '@postrider/client';
import { type ReactElement, useMemo } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { customersOf } from '../../../api/operator-lists.js';
import { useRows } from '../../../api/rows.js';
import { FormDialog } from '../../../parts/forms/form-dialog.js';
import { Card, Page } from '../../../parts/layout/page.js';
import { State } from '../../../parts/layout/states.js';
import { RowLink } from '../../../parts/tables/row-link.js';
import { type Column, RowsTable } from '../../../parts/tables/rows-table.js';
import { Amount } from '../../../parts/values/amount.js';
import { Moment } from '../../../parts/values/moment.js';
import { StatusLabel } from '../../../parts/values/status-label.js';
import { type Say, useWords } from '../../../words/say.js';
import { RoleNeeded } from '../role-needed.js';
import { customerFields, readTerms } from './customer-fields.js';

function columnsOf(say: Say): readonly Column<Customer>[] {
  return [
    {
      id: 'name',
      title: say('customers.name'),
      width: 'minmax(7rem, 1.2fr)',
      narrowWidth: 'minmax(0, 1fr)',
      render: (customer) => (
        <RowLink to="/operator/customers" name={customer.customer_no} title={customer.name}>
          {customer.name}
        </RowLink>
      ),
      renderNote: ({ status }) => <StatusLabel status={status} />,
    },
    {
      id: 'status',
      title: say('record.status'),
      width: '6.5rem',
      isWideOnly: true,
      render: ({ status }) => <StatusLabel status={status} />,
    },
    {
      id: 'billing',
      title: say('ledgerPage.terms'),
      width: '5.5rem',
      isWideOnly: true,
      render: (customer) => say(`billing.${customer.billing_mode}`),
    },
    {
      id: 'available',
      title: say('money.available'),
      width: 'minmax(10.5rem, 1.3fr)',
      narrowWidth: '10rem',
      isEnd: true,
      render: ({ account }) => <Amount value={account.available} />,
      renderNote: ({ currency }) => currency,
    },
    {
      id: 'currency',
      title: say('customers.currency'),
      width: '4.25rem',
      isWideOnly: true,
      render: ({ currency }) => <span className="soft">{currency}</span>,
    },
    {
      id: 'frozen',
      title: say('money.frozen'),
      width: 'minmax(8rem, 1fr)',
      isEnd: true,
      isWideOnly: true,
      render: ({ account }) => <Amount value={account.frozen} />,
    },
    {
      id: 'created',
      title: say('tasks.column.created'),
      width: '10.5rem',
      isEnd: true,
      isWideOnly: true,
      render: (customer) => <Moment at={customer.created_at} />,
    },
  ];
}

/** As the service has them, so that the form shows what a customer gets. */
const DEFAULTS = {
  currency: 'CNY',
  billing_mode: 'prepaid',
  credit_limit: '0',
  charge_on: 'submit',
  policy: { prepare: 'by_request', freeze: 'by_request', submit: 'by_request' },
  billing_time_zone: 'UTC',
  requests_per_second: 1000,
};

export function CustomersPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const mayConfigure = useMay('configure');
  const columns = useMemo(() => columnsOf(say), [say]);
  const source = useRows(customersOf(operator));
  return (
    <Page
      title={say('nav.customers')}
      lead={say('customers.lead')}
      actions={
        mayConfigure ? (
          <FormDialog
            label={say('customers.add')}
            isPrimary
            fields={customerFields(say, true)}
            initial={DEFAULTS}
            onSubmit={(body) => operator.createCustomer(readTerms(body) as unknown as CustomerRequest)}
          />
        ) : (
          <RoleNeeded actions={[[say('customers.add'), 'configure']]} />
        )
      }
    >
      <Card isFlush>
        <RowsTable
          label={say('nav.customers')}
          columns={columns}
          source={source}
          keyOf={(customer) => customer.customer_no}
          empty={<State icon="customers" title={say('customers.empty')} />}
        />
      </Card>
    </Page>
  );
}
