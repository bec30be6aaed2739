// Lists that are only looked at: unclaimed replies, kept reports.

import type { ReactElement } from 'react';
import { useOperator } from '../../api/clients.js';
import { listOperatorRows } from '../../api/operator-lists.js';
import { PAGE_SIZE, useRows } from '../../api/rows.js';
import { FilterBar, TextFilter, useFilters } from '../../parts/filters.js';
import { Moment } from '../../parts/moment.js';
import { Card, Page } from '../../parts/page.js';
import type { PlainRow } from '../../parts/plain-table.js';
import { type Column, RowsTable } from '../../parts/rows-table.js';
import { State } from '../../parts/states.js';
import type { Word } from '../../words/all-words.js';
import { sayValue, useWords } from '../../words/say.js';

interface RecordListPageProps {
  readonly title: Word;
  readonly lead: Word;
  readonly empty: Word;
  readonly path: string;
  readonly filterNames: readonly 'channel_no'[];
  /** The fields in the order in which they matter; the last is a time. */
  readonly fields: readonly string[];
}

export function RecordListPage({ title, lead, empty, path, filterNames, fields }: RecordListPageProps): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const filters = useFilters(filterNames);
  const source = useRows<PlainRow>({
    key: [path, filters.values],
    list: (signal) => listOperatorRows(operator, path, { page_size: PAGE_SIZE, ...filters.values }, signal),
  });
  const columns = fields.map(
    (name, index): Column<PlainRow> => ({
      id: name,
      title: sayValue(say, 'field', name),
      width: name.endsWith('_at') ? '10.5rem' : 'minmax(0, 1fr)',
      isEnd: name.endsWith('_at'),
      isWideOnly: index > 1 && index < fields.length - 1,
      render: (row) => showField(name, row[name]),
    }),
  );
  return (
    <Page title={say(title)} lead={say(lead)}>
      {filterNames.length > 0 && (
        <FilterBar filters={filters}>
          {filterNames.map((name) => (
            <TextFilter key={name} filters={filters} name={name} label={say('channels.number')} />
          ))}
        </FilterBar>
      )}
      <Card isFlush>
        <RowsTable
          label={say(title)}
          columns={columns}
          source={source}
          keyOf={(row) => JSON.stringify(row)}
          mayBeMissing
          empty={<State icon="check" title={say(empty)} />}
        />
      </Card>
    </Page>
  );
}

function showField(name: string, value: unknown): ReactElement {
  if (value === null || value === undefined) return <span className="soft">–</span>;
  if (name.endsWith('_at')) return <Moment at={String(value)} />;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (
    <span title={text} className={name.endsWith('_no') || name.endsWith('_id') ? 'mono' : ''}>
      {text}
    </span>
  );
}

export function UnclaimedPage(): ReactElement {
  return (
    <RecordListPage
      title="nav.unclaimed"
      lead="unclaimed.lead"
      empty="unclaimed.empty"
      path="unclaimed-uplinks"
      filterNames={[]}
      fields={['sender', 'content', 'recipient', 'channel_no', 'received_at']}
    />
  );
}

export function ReportsPage(): ReactElement {
  return (
    <RecordListPage
      title="nav.reports"
      lead="keptReports.lead"
      empty="keptReports.empty"
      path="kept-reports"
      filterNames={['channel_no']}
      fields={['message_id', 'status', 'code', 'phone', 'channel_no', 'received_at']}
    />
  );
}
