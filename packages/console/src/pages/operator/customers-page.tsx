import type { Customer, CustomerRequest } from '@postrider/client';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useOperator } from '../../api/clients.js';
import { useMay } from '../../api/identity.js';
import { PAGE_SIZE, useRows } from '../../api/rows.js';
import { Amount } from '../../parts/amount.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { Moment } from '../../parts/moment.js';
import { Card, Page } from '../../parts/page.js';
import { type Column, RowsTable } from '../../parts/rows-table.js';
import { State } from '../../parts/states.js';
import { StatusLabel } from '../../parts/status-label.js';
import { type Say, useWords } from '../../words/say.js';
import { customerFields } from './customer-fields.js';
import styles from './operator.module.css';

function columnsOf(say: Say): readonly Column<Customer>[] {
  return [
    {
      id: 'name',
      title: say('customers.name'),
      width: 'minmax(8rem, 1.4fr)',
      render: (customer) => (
        <span className={styles.lines}>
          <Link to="/operator/customers/$customerNo" params={{ customerNo: customer.customer_no }}>
            {customer.name}
          </Link>
          <span className={styles.narrowOnly}>
            <StatusLabel status={customer.status} />
          </span>
        </span>
      ),
    },
    {
      id: 'status',
      title: say('record.status'),
      width: 'minmax(7rem, 0.7fr)',
      isWideOnly: true,
      render: ({ status }) => <StatusLabel status={status} />,
    },
    {
      id: 'billing',
      title: say('ledgerPage.terms'),
      width: '7rem',
      isWideOnly: true,
      render: (customer) => say(`billing.${customer.billing_mode}`),
    },
    {
      id: 'available',
      title: say('money.available'),
      width: '11rem',
      narrowWidth: '9.5rem',
      isEnd: true,
      render: ({ account, currency }) => <Amount value={account.available} currency={currency} />,
    },
    {
      id: 'frozen',
      title: say('money.frozen'),
      width: '9rem',
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

export function CustomersPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const mayConfigure = useMay('configure');
  const source = useRows<Customer>({
    key: ['customers'],
    list: (signal) => operator.customers({ pageSize: PAGE_SIZE, signal }),
  });
  return (
    <Page
      title={say('nav.customers')}
      lead={say('customers.lead')}
      actions={
        mayConfigure && (
          <FormDialog
            label={say('customers.add')}
            isPrimary
            fields={customerFields(say, true)}
            onSubmit={(body) => operator.createCustomer(body as unknown as CustomerRequest)}
          />
        )
      }
    >
      <Card isFlush>
        <RowsTable
          label={say('nav.customers')}
          columns={columnsOf(say)}
          source={source}
          keyOf={(customer) => customer.customer_no}
          rowHeight={52}
          empty={<State icon="customers" title={say('customers.empty')} />}
        />
      </Card>
    </Page>
  );
}
