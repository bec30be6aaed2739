// Lists that are only looked at: unclaimed replies, unmatched reports.

import { Modal, UnstyledButton } from '@mantine/core';
import type { OperatorClient } from '@postrider/client';
import { type ReactElement, useState } from 'react';
import { useOperator } from '../../../api/clients.js';
import type { FilterValues } from '../../../api/filter-values.js';
import { REPORT_FILTERS, reportsOf, unclaimedOf } from '../../../api/operator-lists.js';
import { type RowsQuery, useRows } from '../../../api/rows.js';
import { FilterBar, NothingFound, useFilters } from '../../../parts/forms/filters.js';
import { Card, Facts, Page } from '../../../parts/layout/page.js';
import { State } from '../../../parts/layout/states.js';
import type { PlainRow } from '../../../parts/tables/plain-table.js';
import { type Column, RowsTable } from '../../../parts/tables/rows-table.js';
import { Moment } from '../../../parts/values/moment.js';
import { OutcomeLabel, type ShownOutcome } from '../../../parts/values/outcome-label.js';
import type { Word } from '../../../words/all-words.js';
import { sayValue, useWords } from '../../../words/say.js';
import styles from '../operator.module.css';
import { ChannelFilter } from '../operator-filters.js';
import { ChannelLink } from '../operator-links.js';

const WIDTHS: Readonly<Record<string, string>> = {
  received_at: '10.5rem',
  content: 'minmax(0, 3fr)',
  channel_no: 'minmax(8rem, 0.8fr)',
  incomplete: '6rem',
  message_id: 'minmax(10rem, 1.2fr)',
};

interface RecordListPageProps {
  readonly title: Word;
  readonly lead: Word;
  /** What one of them is called. */
  readonly one: Word;
  readonly empty: Word;
  readonly listOf: (operator: OperatorClient, filters: FilterValues<'channel_no'>) => RowsQuery<object>;
  readonly filterNames: readonly 'channel_no'[];
  /** The fields in the order in which they matter; the last is a time. */
  readonly fields: readonly string[];
}

function RecordListPage({ title, lead, one, empty, listOf, filterNames, fields }: RecordListPageProps): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const filters = useFilters(filterNames);
  const [chosen, setChosen] = useState<PlainRow>();
  const source = useRows(listOf(operator, filters.values));
  const columns = fields.map(
    (name, index): Column<object> => ({
      id: name,
      title: sayValue(say, 'field', name),
      width: WIDTHS[name] ?? 'minmax(0, 1fr)',
      narrowWidth: index === 0 ? 'minmax(0, 0.9fr)' : 'minmax(0, 1.1fr)',
      isEnd: name.endsWith('_at'),
      isWideOnly: index > 1,
      // When it came below what it is, and what comes next below the second.
      ...(index === 0 && { renderNote: (row) => showField('received_at', (row as PlainRow).received_at, 'minute') }),
      ...(index === 1 && { renderNote: (row) => showField(fields[2] ?? '', (row as PlainRow)[fields[2] ?? '']) }),
      render: (row) => {
        const shown = showField(name, (row as PlainRow)[name]);
        if (index > 0) return shown;
        return (
          <UnstyledButton className={styles.opener} onClick={() => setChosen(row as PlainRow)}>
            {shown}
          </UnstyledButton>
        );
      },
    }),
  );
  return (
    <Page title={say(title)} lead={say(lead)}>
      {filterNames.length > 0 && (
        <FilterBar filters={filters}>
          <ChannelFilter filters={filters} />
        </FilterBar>
      )}
      <Card isFlush>
        <RowsTable
          label={say(title)}
          columns={columns}
          source={source}
          keyOf={(row) => JSON.stringify(row)}
          mayBeMissing
          empty={
            <NothingFound filters={filters}>
              <State icon="check" title={say(empty)} />
            </NothingFound>
          }
        />
      </Card>
      <Modal
        opened={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        title={say(one)}
        closeButtonProps={{ 'aria-label': say('action.close') }}
      >
        {chosen !== undefined && (
          <Facts facts={fields.map((name) => [sayValue(say, 'field', name), showField(name, chosen[name])])} />
        )}
      </Modal>
    </Page>
  );
}

function showField(name: string, value: unknown, style: 'second' | 'minute' = 'second'): ReactElement {
  if (value === null || value === undefined || value === false) return <span className="soft">–</span>;
  if (name.endsWith('_at')) return <Moment at={String(value)} style={style} />;
  if (name === 'status') return <OutcomeLabel outcome={String(value) as ShownOutcome} />;
  if (name === 'channel_no') return <ChannelLink channelNo={String(value)} />;
  const text = typeof value === 'string' ? value : value === true ? '✓' : JSON.stringify(value);
  return (
    <span title={text} className={name === 'content' ? '' : 'mono'}>
      {text}
    </span>
  );
}

export function UnclaimedPage(): ReactElement {
  return (
    <RecordListPage
      title="nav.unclaimed"
      lead="unclaimed.lead"
      one="unclaimed.one"
      empty="unclaimed.empty"
      listOf={unclaimedOf}
      filterNames={[]}
      fields={['sender', 'content', 'recipient', 'channel_no', 'incomplete', 'received_at']}
    />
  );
}

export function ReportsPage(): ReactElement {
  return (
    <RecordListPage
      title="nav.reports"
      lead="keptReports.lead"
      one="keptReports.one"
      empty="keptReports.empty"
      listOf={reportsOf}
      filterNames={REPORT_FILTERS}
      fields={['message_id', 'status', 'code', 'phone', 'channel_no', 'received_at']}
    />
  );
}
