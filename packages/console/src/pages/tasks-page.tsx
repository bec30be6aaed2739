import type { Task } from '@postrider/client';
import { type ReactElement, useMemo } from 'react';
import { useCustomer } from '../api/clients.js';
import { TASK_FILTERS, tasksOf } from '../api/lists.js';
import { useRows } from '../api/rows.js';
import { useTemplates } from '../api/templates.js';
import { CountsBar } from '../parts/counts-bar.js';
import { ChoiceFilter, DayFilter, FilterBar, NothingFound, TextFilter, useFilters } from '../parts/filters.js';
import { LongName } from '../parts/long-name.js';
import { Moment } from '../parts/moment.js';
import { Card, Page } from '../parts/page.js';
import { RowLink } from '../parts/row-link.js';
import { type Column, RowsTable } from '../parts/rows-table.js';
import { sentColumns } from '../parts/sent-columns.js';
import { StagePill } from '../parts/stage-pill.js';
import { State } from '../parts/states.js';
import { usePreferences } from '../shell/preferences.js';
import { type Say, sayValue, useWords } from '../words/say.js';
import { StageFilter } from './task/stage-filter.js';
import styles from './task/task.module.css';

function columnsOf(say: Say): readonly Column<Task>[] {
  return [
    {
      id: 'task',
      title: say('tasks.column.task'),
      width: 'minmax(9.5rem, 1.4fr)',
      render: (task) => (
        <RowLink to="/tasks" name={task.task_no} className="mono">
          <LongName name={task.client_request_id ?? task.task_no} />
        </RowLink>
      ),
      renderNote: (task) => <Moment at={task.created_at} style="short" />,
    },
    {
      id: 'stage',
      title: say('tasks.column.stage'),
      // With what it waits for beside it, where the page has room for that.
      width: 'minmax(clamp(6.5rem, 13vw, 10.5rem), 1fr)',
      narrowWidth: 'minmax(0, 1.2fr)',
      render: (task) => (
        <>
          <StagePill stage={task.stage} /> <WaitsFor task={task} />
        </>
      ),
      renderNote: (task) => <CountsBar counts={task.counts} height="0.375rem" />,
    },
    {
      id: 'outcomes',
      title: say('tasks.column.outcomes'),
      width: 'minmax(5rem, 1.2fr)',
      isWideOnly: true,
      render: (task) => <CountsBar counts={task.counts} />,
    },
    ...sentColumns<Task>(say, { numbers: '4.5rem', narrowNumbers: '4.25rem', charged: 'minmax(9rem, 0.8fr)' }),
  ];
}

/** What keeps a task where it is, unless that is the way of things. Beside the stage where there is room for it. */
function WaitsFor({ task }: { readonly task: Task }): ReactElement | null {
  const say = useWords();
  const { stage, waits_for: waitsFor } = task;
  if (stage !== 'prepared' || waitsFor === null) return null;
  return <span className={styles.waits}>{sayValue(say, 'waitsBriefly', waitsFor)}</span>;
}

export function TasksPage(): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const { zone } = usePreferences();
  const filters = useFilters(TASK_FILTERS);
  const columns = useMemo(() => columnsOf(say), [say]);
  const { data: templates } = useTemplates();
  const source = useRows(tasksOf(client, filters.values, zone));
  return (
    <Page title={say('tasks.title')} lead={say('tasks.lead')}>
      <FilterBar filters={filters}>
        <StageFilter filters={filters} />
        <TextFilter filters={filters} name="client_request_id" label={say('tasks.filter.requestId')} />
        <ChoiceFilter
          filters={filters}
          name="template_no"
          label={say('tasks.filter.template')}
          any={say('record.any')}
          choices={(templates?.items ?? []).map(({ template_no: value, name }) => ({ value, label: name }))}
        />
        <TextFilter filters={filters} name="batch_id" label={say('tasks.filter.batch')} />
        <DayFilter filters={filters} name="from" label={say('tasks.filter.from')} />
        <DayFilter filters={filters} name="until" label={say('tasks.filter.until')} />
      </FilterBar>
      <Card isFlush>
        <RowsTable
          label={say('tasks.title')}
          columns={columns}
          source={source}
          keyOf={(task) => task.task_no}
          empty={
            <NothingFound filters={filters}>
              <State icon="tasks" title={say('tasks.empty')} hint={say('tasks.emptyHint')} />
            </NothingFound>
          }
        />
      </Card>
    </Page>
  );
}
