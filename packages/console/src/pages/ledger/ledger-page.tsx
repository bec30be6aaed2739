// Every movement of money with the balance after it: the sum of the entries is the balance, always.

import type { Account, LedgerEntry, LedgerType } from '@postrider/client';
import { type ReactElement, useMemo, useState } from 'react';
import { useAccount } from '../../api/account.js';
import { useCustomer } from '../../api/clients.js';
import { buildTarget } from '../../api/download.js';
import { LEDGER_FILTERS, ledgerOf } from '../../api/lists.js';
import { type Rows, useRows } from '../../api/rows.js';
import { ButtonLink } from '../../parts/controls/button.js';
import { Segments } from '../../parts/controls/segments.js';
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
import { groupByTask, keyOfLine, type LedgerLine, ledgerColumns } from '../../parts/tables/ledger-columns.js';
import { ListTools, useShownColumns } from '../../parts/tables/list-tools.js';
import { RowsTable } from '../../parts/tables/rows-table.js';
import { Amount } from '../../parts/values/amount.js';
import { useWords } from '../../words/say.js';

const LEDGER_TYPES: readonly LedgerType[] = ['freeze', 'charge', 'release', 'refund', 'topup', 'adjustment'];

/** Balances and filters stand above the entries, on every screen. In pixels. */
const BELOW_BALANCES = 380;

/** Under which the choices of its columns and filters are kept. */
const LIST = 'ledger';

export function LedgerPage(): ReactElement {
  const say = useWords();
  const view = useFilters(['view'] as const);
  const client = useCustomer();
  const filters = useFilters(LEDGER_FILTERS);
  // The table waits for the balances above it: they may take more lines than they seemed to.
  const account = useAccount();
  // A filter asks for entries: those of a task that it leaves out would be missing from their group.
  const isGrouped = !filters.isFiltered && view.values.view !== 'entries';
  const { source, toggle } = useLedgerLines(useRows(ledgerOf(client, filters.values)), isGrouped);
  const all = useMemo(() => ledgerColumns(say, { hasTask: true, onToggle: toggle }), [say, toggle]);
  const columns = useShownColumns(LIST, all);
  const target = buildTarget('/openapi/v1/finance/ledgers/', filters.values);
  const month = new Date().toISOString().slice(0, 7);
  return (
    <Page
      title={say('nav.ledger')}
      lead={say('ledgerPage.lead')}
      actions={
        <>
          {!filters.isFiltered && (
            <Segments
              label={say('ledgerPage.view')}
              value={isGrouped ? 'tasks' : 'entries'}
              onChange={(value) => view.set('view', value === 'entries' ? value : null)}
              choices={[
                { value: 'tasks', label: say('ledgerPage.byTask') },
                { value: 'entries', label: say('ledgerPage.byEntry') },
              ]}
            />
          )}
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
          <FilterBar filters={filters} tools={<ListTools list={LIST} columns={all} filters={filters} />}>
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
              keyOf={keyOfLine}
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

/** The entries as lines, those of a task together where that is asked for. */
function useLedgerLines(entries: Rows<LedgerEntry>, isGrouped: boolean) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = useMemo(
    () => (taskNo: string) =>
      setOpen((before) => {
        const others = new Set(before);
        if (!others.delete(taskNo)) others.add(taskNo);
        return others;
      }),
    [],
  );
  const { rows, hasMore } = entries;
  const lines = useMemo(
    (): readonly LedgerLine[] =>
      isGrouped
        ? groupByTask(rows, { isOpen: (taskNo) => open.has(taskNo), hasMore })
        : rows.map((entry) => ({ entry })),
    [rows, hasMore, isGrouped, open],
  );
  const counted = isGrouped ? { total: lines.length, isTotalExact: !hasMore } : {};
  return { source: { ...entries, ...counted, rows: lines }, toggle };
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
