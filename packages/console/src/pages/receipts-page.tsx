// Every number that came to its end: the rows behind the figures of the overview and of batches.

import { type ReactElement, useMemo } from 'react';
import { useCustomer } from '../api/clients.js';
import { useFirmNames, useFirms } from '../api/firms.js';
import { allReceiptsOf, NO_FIRM, RECEIPT_FILTERS } from '../api/lists.js';
import { filterByResult, SHOWN_RESULTS } from '../api/receipt-outcome.js';
import { useRows } from '../api/rows.js';
import {
  ChoiceFilter,
  FilterBar,
  type Filters,
  MomentFilter,
  NothingFound,
  TextFilter,
  useFilters,
} from '../parts/forms/filters.js';
import { ReceiptDownloads } from '../parts/forms/receipt-downloads.js';
import { Card, Page } from '../parts/layout/page.js';
import { State } from '../parts/layout/states.js';
import { ListTools, useShownColumns } from '../parts/tables/list-tools.js';
import { receiptColumns } from '../parts/tables/record-columns.js';
import { BELOW_FILTERS, RowsTable } from '../parts/tables/rows-table.js';
import { useWords } from '../words/say.js';

/** Under which the choices of its columns and filters are kept. */
const LIST = 'receipts';

export function ReceiptsPage(): ReactElement {
  const say = useWords();
  const nameFirm = useFirmNames();
  const all = useMemo(() => receiptColumns(say, { hasTask: true, hasText: true, nameFirm }), [say, nameFirm]);
  const columns = useShownColumns(LIST, all);
  const client = useCustomer();
  const filters = useFilters(RECEIPT_FILTERS);
  const source = useRows(allReceiptsOf(client, filters.values));
  return (
    <Page
      title={say('nav.receipts')}
      lead={say('receipts.lead')}
      actions={
        <ReceiptDownloads
          filters={{ ...filters.values, ...filterByResult(filters.values.result) }}
          fileName="receipts"
        />
      }
    >
      <FilterBar filters={filters} tools={<ListTools list={LIST} columns={all} filters={filters} />}>
        <ChoiceFilter
          filters={filters}
          name="result"
          label={say('record.result')}
          any={say('record.any')}
          choices={SHOWN_RESULTS.map((value) => ({ value, label: say(`outcome.${value}`) }))}
        />
        <FirmFilter filters={filters} />
        <TextFilter filters={filters} name="phone" label={say('record.phone')} />
        <TextFilter filters={filters} name="client_request_id" label={say('tasks.filter.requestId')} />
        <TextFilter filters={filters} name="batch_id" label={say('tasks.filter.batch')} />
        <MomentFilter filters={filters} name="start_at" label={say('tasks.filter.from')} />
        <MomentFilter filters={filters} name="end_at" label={say('tasks.filter.until')} />
      </FilterBar>
      <Card isFlush>
        <RowsTable
          label={say('nav.receipts')}
          leastTop={BELOW_FILTERS}
          columns={columns}
          source={source}
          keyOf={(receipt) => `${receipt.task_no} ${receipt.seq}`}
          empty={
            <NothingFound filters={filters}>
              <State icon="check" title={say('receipts.empty')} hint={say('receipts.emptyHint')} />
            </NothingFound>
          }
        />
      </Card>
    </Page>
  );
}

/** Those that may be used now, and the one that an older link names. */
function FirmFilter({ filters }: { readonly filters: Filters<(typeof RECEIPT_FILTERS)[number]> }): ReactElement {
  const say = useWords();
  const usable = useFirms().data?.items.map(({ firm, name }) => ({ value: firm, label: name })) ?? [];
  const choices = [...usable, { value: NO_FIRM, label: say('overview.noFirm') }];
  const given = filters.values.firm;
  if (given !== undefined && !choices.some(({ value }) => value === given))
    choices.push({ value: given, label: given });
  return (
    <ChoiceFilter filters={filters} name="firm" label={say('record.firm')} any={say('record.any')} choices={choices} />
  );
}
