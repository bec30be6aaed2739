import { Modal, UnstyledButton } from '@mantine/core';
import type { AuditEntry } from '@postrider/client';
import { type ReactElement, useState } from 'react';
import { useOperator } from '../../api/clients.js';
import { startOfDay } from '../../api/moment.js';
import { PAGE_SIZE, useRows } from '../../api/rows.js';
import { DayFilter, FilterBar, TextFilter, useFilters } from '../../parts/filters.js';
import { Moment } from '../../parts/moment.js';
import { Card, Facts, Page } from '../../parts/page.js';
import { RowsTable } from '../../parts/rows-table.js';
import { State } from '../../parts/states.js';
import { usePreferences } from '../../shell/preferences.js';
import { useWords } from '../../words/say.js';
import styles from './operator.module.css';

/** Who did what, when, and what changed by it. */
export function AuditPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const { zone } = usePreferences();
  const filters = useFilters(['actor', 'action', 'subject', 'from', 'until'] as const);
  const { from, until, ...named } = filters.values;
  const [chosen, setChosen] = useState<AuditEntry>();
  const source = useRows<AuditEntry>({
    key: ['audit', filters.values, zone],
    list: (signal) => {
      const startAt = startOfDay(from, zone);
      const endAt = startOfDay(until, zone, 1);
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
            {
              id: 'actor',
              title: say('audit.who'),
              width: '6.5rem',
              narrowWidth: '4rem',
              render: ({ actor }) => actor,
            },
            {
              id: 'action',
              title: say('audit.what'),
              width: '11.5rem',
              narrowWidth: 'minmax(0, 1fr)',
              render: (entry) => (
                <UnstyledButton className={styles.opener} onClick={() => setChosen(entry)}>
                  <code>{entry.action}</code>
                </UnstyledButton>
              ),
            },
            {
              id: 'subject',
              title: say('audit.about'),
              width: '8rem',
              narrowWidth: '7rem',
              render: ({ subject }) => <code>{subject}</code>,
            },
            {
              id: 'change',
              title: say('audit.change'),
              width: 'minmax(0, 1fr)',
              isWideOnly: true,
              render: ({ change }) => <code className="soft">{JSON.stringify(change)}</code>,
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
      <Modal
        opened={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        size="lg"
        title={chosen && <code>{chosen.action}</code>}
        closeButtonProps={{ 'aria-label': say('action.close') }}
      >
        {chosen !== undefined && (
          <Facts
            facts={[
              [say('audit.who'), chosen.actor],
              [say('record.time'), <Moment key="at" at={chosen.at} />],
              [say('audit.about'), <code key="subject">{chosen.subject}</code>],
              [
                say('audit.change'),
                <pre key="change" className={styles.change}>
                  {JSON.stringify(chosen.change, null, 2)}
                </pre>,
              ],
            ]}
          />
        )}
      </Modal>
    </Page>
  );
}
