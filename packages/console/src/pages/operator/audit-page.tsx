import type { AuditEntry } from '@postrider/client';
import type { ReactElement } from 'react';
import { useOperator } from '../../api/clients.js';
import { PAGE_SIZE, useRows } from '../../api/rows.js';
import { DayFilter, FilterBar, startOfDay, TextFilter, useFilters } from '../../parts/filters.js';
import { Moment } from '../../parts/moment.js';
import { Card, Page } from '../../parts/page.js';
import { RowsTable } from '../../parts/rows-table.js';
import { State } from '../../parts/states.js';
import { useWords } from '../../words/say.js';

/** Who did what, when, and what changed by it. */
export function AuditPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const filters = useFilters(['actor', 'action', 'subject', 'from', 'until'] as const);
  const { from, until, ...named } = filters.values;
  const source = useRows<AuditEntry>({
    key: ['audit', filters.values],
    list: (signal) => {
      const startAt = startOfDay(from);
      const endAt = startOfDay(until, 1);
      const times = { ...(startAt !== undefined && { startAt }), ...(endAt !== undefined && { endAt }) };
      return operator.auditLog({ ...named, ...times, pageSize: PAGE_SIZE, signal });
    },
  });
  return (
    <Page title={say('nav.audit')} lead={say('audit.lead')}>
      <FilterBar filters={filters}>
        <TextFilter filters={filters} name="actor" label={say('audit.who')} />
        <TextFilter filters={filters} name="action" label={say('audit.what')} />
        <TextFilter filters={filters} name="subject" label={say('audit.about')} />
        <DayFilter filters={filters} name="from" label={say('tasks.filter.from')} />
        <DayFilter filters={filters} name="until" label={say('tasks.filter.until')} />
      </FilterBar>
      <Card isFlush>
        <RowsTable
          label={say('nav.audit')}
          source={source}
          keyOf={(entry) => JSON.stringify(entry)}
          empty={<State icon="audit" title={say(filters.isFiltered ? 'state.emptyFiltered' : 'state.empty')} />}
          columns={[
            { id: 'actor', title: say('audit.who'), width: 'minmax(5rem, 0.7fr)', render: ({ actor }) => actor },
            {
              id: 'action',
              title: say('audit.what'),
              width: 'minmax(8rem, 1fr)',
              render: ({ action }) => <code>{action}</code>,
            },
            {
              id: 'subject',
              title: say('audit.about'),
              width: 'minmax(8rem, 1fr)',
              render: ({ subject }) => <code>{subject}</code>,
            },
            {
              id: 'change',
              title: say('audit.change'),
              width: 'minmax(0, 2fr)',
              isWideOnly: true,
              render: ({ change }) => <code title={JSON.stringify(change, null, 2)}>{JSON.stringify(change)}</code>,
            },
            {
              id: 'at',
              title: say('record.time'),
              width: '10.5rem',
              isEnd: true,
              isWideOnly: true,
              render: ({ at }) => <Moment at={at} />,
            },
          ]}
        />
      </Card>
    </Page>
  );
}
