// Every movement of money with the balance after it: the sum of the entries is the balance, always.

import type { Account, LedgerType } from '@postrider/client';
import { type ReactElement, useMemo } from 'react';
import { useAccount } from '../../api/account.js';
import { useCustomer } from '../../api/clients.js';
import { buildTarget } from '../../api/download.js';
import { LEDGER_FILTERS, ledgerOf } from '../../api/lists.js';
import { useRows } from '../../api/rows.js';
import { ButtonLink } from '../../parts/controls/button.js';
import { DownloadButton } from '../../parts/forms/download-button.js';
import {
  ChoiceFilter,
  FilterBar,
  MomentFilter,
  NothingFound,
  TextFilter,
  useFilters,
} from '../../parts/forms/filters.js';
import { Card, Page } from '../../parts/layout/page.js';
import { LoadingState, State } from '../../parts/layout/states.js';
import { Tiles } from '../../parts/layout/tiles.js';
import { ledgerColumns } from '../../parts/tables/record-columns.js';
import { RowsTable } from '../../parts/tables/rows-table.js';
import { Amount } from '../../parts/values/amount.js';
import { useWords } from '../../words/say.js';

const LEDGER_TYPES: readonly LedgerType[] = ['freeze', 'charge', 'release', 'refund', 'topup', 'adjustment'];

/** Balances and filters stand above the entries, on every screen. In pixels. */
const BELOW_BALANCES = 380;

export function LedgerPage(): ReactElement {
  const say = useWords();
  const columns = useMemo(() => ledgerColumns(say, true), [say]);
  const client = useCustomer();
  const filters = useFilters(LEDGER_FILTERS);
  // The table waits for the balances above it: they may take more lines than they seemed to.
  const account = useAccount();
  const source = useRows(ledgerOf(client, filters.values));
  const target = buildTarget('/openapi/v1/finance/ledgers/', filters.values);
  const month = new Date().toISOString().slice(0, 7);
  return (
    <Page
      title={say('nav.ledger')}
      lead={say('ledgerPage.lead')}
      actions={
        <>
          <ButtonLink to={`/statements/${month}`} look="bordered">
            {say('nav.statements')}
          </ButtonLink>
          <DownloadButton target={target} fileName="ledger.csv" />
        </>
      }
    >
      {account.isPending ? (
        <LoadingState lines={8} />
      ) : (
        <>
          <AccountTiles account={account.data} />
          <FilterBar filters={filters}>
            <ChoiceFilter
              filters={filters}
              name="type"
              label={say('record.type')}
              any={say('record.any')}
              choices={LEDGER_TYPES.map((value) => ({ value, label: say(`ledger.${value}`) }))}
            />
            <TextFilter filters={filters} name="task_no" label={say('record.task')} />
            <TextFilter filters={filters} name="batch_id" label={say('tasks.filter.batch')} />
            <MomentFilter filters={filters} name="start_at" label={say('tasks.filter.from')} />
            <MomentFilter filters={filters} name="end_at" label={say('tasks.filter.until')} />
          </FilterBar>
          <Card isFlush>
            <RowsTable
              label={say('nav.ledger')}
              leastTop={BELOW_BALANCES}
              columns={columns}
              source={source}
              keyOf={(entry) => entry.ledger_no}
              empty={
                <NothingFound filters={filters}>
                  <State icon="ledger" title={say('state.empty')} />
                </NothingFound>
              }
            />
          </Card>
        </>
      )}
    </Page>
  );
}

function AccountTiles({ account }: { readonly account: Account | undefined }): ReactElement {
  const say = useWords();
  const show = (value: string | undefined) =>
    value === undefined ? '–' : <Amount value={value} currency={account?.currency ?? ''} />;
  return (
    <Tiles
      tiles={[
        { name: say('money.available'), value: show(account?.available) },
        { name: say('money.reserved'), value: show(account?.frozen), note: say('ledgerPage.frozenNote') },
        {
          name: say('ledgerPage.terms'),
          value: account === undefined ? '–' : say(`billing.${account.billing_mode}`),
          note: account && say(`chargeOn.${account.charge_on}`),
        },
      ]}
    />
  );
}
