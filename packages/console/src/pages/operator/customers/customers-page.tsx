import type { Customer } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo } from 'react';
import { useOperator } from '../../../api/clients.js';
import type { FilterValues } from '../../../api/filter-values.js';
import { useMay } from '../../../api/identity.js';
import { customersByNameQuery, customersQuery } from '../../../api/operator-lists.js';
import { toMillionths } from '../../../format/money.js';
import { ButtonLink } from '../../../parts/controls/button.js';
import { ChoiceFilter, FilterBar, NothingFound, TextFilter, useFilters } from '../../../parts/forms/filters.js';
import { Card, Page } from '../../../parts/layout/page.js';
import { State } from '../../../parts/layout/states.js';
import { ListTools, useShownColumns } from '../../../parts/tables/list-tools.js';
import { RowLink } from '../../../parts/tables/row-link.js';
import { BELOW_FILTERS, type Column, RowsTable } from '../../../parts/tables/rows-table.js';
import { Amount } from '../../../parts/values/amount.js';
import { Moment } from '../../../parts/values/moment.js';
import { StatusLabel } from '../../../parts/values/status-label.js';
import { type Say, useWords } from '../../../words/say.js';
import { RoleNeeded } from '../role-needed.js';

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
      title: say('money.reserved'),
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
    {
      id: 'number',
      title: say('customers.number'),
      width: '9rem',
      isWideOnly: true,
      isOptional: true,
      render: ({ customer_no: customerNo }) => <code>{customerNo}</code>,
    },
    {
      id: 'credit',
      title: say('customers.creditLimit'),
      width: 'minmax(8rem, 1fr)',
      isEnd: true,
      isWideOnly: true,
      isOptional: true,
      render: ({ credit_limit: limit }) => <Amount value={limit} />,
    },
  ];
}

const LIST = 'customers';

const CUSTOMER_FILTERS = ['q', 'status', 'billing', 'sort'] as const;

const ORDERS: Readonly<Partial<Record<string, (one: Customer, other: Customer) => number>>> = {
  name: (one, other) => one.name.localeCompare(other.name),
  lowest: (one, other) => compareAvailable(one, other),
  highest: (one, other) => compareAvailable(other, one),
};

function compareAvailable({ account: one }: Customer, { account: other }: Customer): number {
  const difference = toMillionths(one.available) - toMillionths(other.available);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function chooseCustomers(
  customers: readonly Customer[],
  { q = '', status, billing, sort }: FilterValues<(typeof CUSTOMER_FILTERS)[number]>,
): readonly Customer[] {
  const text = q.toLowerCase();
  const found = customers.filter(
    (customer) =>
      (customer.name.toLowerCase().includes(text) || customer.customer_no.toLowerCase() === text) &&
      (status === undefined || customer.status === status) &&
      (billing === undefined || customer.billing_mode === billing),
  );
  const order = ORDERS[sort ?? ''];
  return order === undefined ? found : found.toSorted(order);
}

/** Those of the second list that the first lacks go behind it. */
function mergeCustomers(first: readonly Customer[], second: readonly Customer[]): readonly Customer[] {
  const known = new Set(first.map(({ customer_no }) => customer_no));
  return [...first, ...second.filter(({ customer_no }) => !known.has(customer_no))];
}

export function CustomersPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const mayConfigure = useMay('configure');
  const all = useMemo(() => columnsOf(say), [say]);
  const columns = useShownColumns(LIST, all);
  const filters = useFilters(CUSTOMER_FILTERS);
  const query = useQuery({ ...customersQuery(operator), refetchInterval: 10_000 });
  const wanted = filters.values.q ?? '';
  const isPartial = query.data?.isPartial === true;
  const { data: byName } = useQuery({ ...customersByNameQuery(operator, wanted), enabled: isPartial && wanted !== '' });
  const shown = useMemo(
    () => chooseCustomers(mergeCustomers(query.data?.customers ?? [], byName ?? []), filters.values),
    [query.data, byName, filters.values],
  );
  return (
    <Page
      title={say('nav.customers')}
      lead={say('customers.lead')}
      actions={
        mayConfigure ? (
          <ButtonLink to="/operator/customers/new">{say('customers.new')}</ButtonLink>
        ) : (
          <RoleNeeded actions={[[say('customers.new'), 'configure']]} />
        )
      }
    >
      <FilterBar filters={filters} tools={<ListTools list={LIST} columns={all} filters={filters} />}>
        <TextFilter filters={filters} name="q" label={say('customers.search')} />
        <ChoiceFilter
          filters={filters}
          name="status"
          label={say('record.status')}
          any={say('record.any')}
          choices={(['active', 'suspended'] as const).map((value) => ({ value, label: say(`status.${value}`) }))}
        />
        <ChoiceFilter
          filters={filters}
          name="billing"
          label={say('ledgerPage.terms')}
          any={say('record.any')}
          choices={(['prepaid', 'postpaid'] as const).map((value) => ({ value, label: say(`billing.${value}`) }))}
        />
        <ChoiceFilter
          filters={filters}
          name="sort"
          label={say('customers.sort')}
          any={say('customers.sort.newest')}
          choices={(['name', 'lowest', 'highest'] as const).map((value) => ({
            value,
            label: say(`customers.sort.${value}`),
          }))}
        />
      </FilterBar>
      {isPartial && <p className="soft">{say('customers.partial', { count: query.data?.customers.length ?? 0 })}</p>}
      <Card isFlush>
        <RowsTable
          label={say('nav.customers')}
          leastTop={BELOW_FILTERS}
          columns={columns}
          source={{
            rows: shown,
            total: query.data && shown.length,
            isTotalExact: true,
            error: query.data === undefined ? query.error : null,
            isLoading: query.isPending,
            isChanging: false,
            hasMore: false,
            loadMore: () => undefined,
          }}
          keyOf={(customer) => customer.customer_no}
          empty={
            <NothingFound filters={filters}>
              <State icon="customers" title={say('customers.empty')} />
            </NothingFound>
          }
        />
      </Card>
    </Page>
  );
}
