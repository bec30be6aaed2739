// The numbers that want nothing more from the customer. Only their owners and the operator change the list.

import { type ReactElement, useMemo } from 'react';
import { useCustomer } from '../api/clients.js';
import { buildTarget } from '../api/download.js';
import { OPT_OUT_FILTERS, optOutsOf } from '../api/lists.js';
import { useRows } from '../api/rows.js';
import { DownloadButton } from '../parts/forms/download-button.js';
import { FilterBar, NothingFound, TextFilter, useFilters } from '../parts/forms/filters.js';
import { Card, Page } from '../parts/layout/page.js';
import { State } from '../parts/layout/states.js';
import { optOutColumns } from '../parts/tables/opt-out-columns.js';
import { PhoneLink } from '../parts/tables/record-columns.js';
import { RowsTable } from '../parts/tables/rows-table.js';
import { useWords } from '../words/say.js';

export function OptOutsPage(): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const columns = useMemo(() => optOutColumns(say, (phone) => <PhoneLink phone={phone} />), [say]);
  const filters = useFilters(OPT_OUT_FILTERS);
  const source = useRows(optOutsOf(client, filters.values));
  return (
    <Page
      title={say('nav.optOuts')}
      lead={say('optOuts.lead')}
      actions={<DownloadButton target={buildTarget('/openapi/v1/opt-outs/', filters.values)} fileName="opt-outs.csv" />}
    >
      <FilterBar filters={filters}>
        <TextFilter filters={filters} name="phone" label={say('record.phone')} />
      </FilterBar>
      <Card isFlush>
        <RowsTable
          label={say('nav.optOuts')}
          columns={columns}
          source={source}
          keyOf={(optOut) => optOut.phone}
          mayBeMissing
          empty={
            <NothingFound filters={filters}>
              <State icon="check" title={say('customers.noOptOuts')} hint={say('customers.noOptOutsHint')} />
            </NothingFound>
          }
        />
      </Card>
    </Page>
  );
}
