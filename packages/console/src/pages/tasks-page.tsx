import type { Task } from '@postrider/client';
import { type ReactElement, useMemo } from 'react';
import { useCustomer } from '../api/clients.js';
import { useMayCall } from '../api/customer-scopes.js';
import { TASK_FILTERS, tasksOf } from '../api/lists.js';
import { useRows } from '../api/rows.js';
import { useSenderNames, useTemplates, useTemplateTexts } from '../api/templates.js';
import { ChoiceFilter, DayFilter, FilterBar, NothingFound, TextFilter, useFilters } from '../parts/forms/filters.js';
import { Card, Page } from '../parts/layout/page.js';
import { State } from '../parts/layout/states.js';
import { ListTools, useShownColumns } from '../parts/tables/list-tools.js';
import { RowLink } from '../parts/tables/row-link.js';
import { BELOW_FILTERS, RowsTable } from '../parts/tables/rows-table.js';
import { selectionColumn, useSelection } from '../parts/tables/selection.js';
import { TASK_LIST, taskColumns } from '../parts/tables/task-columns.js';
import { usePreferences } from '../preferences.js';
import { useReadOnly } from '../session/session.js';
import { useWords } from '../words/say.js';
import { BulkMoves } from './task/bulk-moves.js';
import { ClassFilter } from './task/class-filter.js';
import { StageFilter } from './task/stage-filter.js';

function keyOf({ task_no: taskNo }: Task): string {
  return taskNo;
}

function linkTask(taskNo: string): ReactElement {
  return (
    <RowLink to="/tasks" name={taskNo} className="mono">
      {taskNo}
    </RowLink>
  );
}

export function TasksPage(): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const { zone } = usePreferences();
  const filters = useFilters(TASK_FILTERS);
  const describeTemplate = useTemplateTexts();
  const nameSender = useSenderNames();
  const all = useMemo(() => taskColumns(say, describeTemplate, nameSender), [say, describeTemplate, nameSender]);
  const shown = useShownColumns(TASK_LIST, all);
  const { data: templates } = useTemplates();
  const query = tasksOf(client, filters.values, zone);
  const source = useRows(query);
  const isReadOnly = useReadOnly();
  const mayMove = useMayCall('send') && !isReadOnly;
  const selection = useSelection(keyOf, filters.values);
  const columns = useMemo(
    () => (mayMove ? [selectionColumn(say, selection, { nameOf: keyOf, isWideOnly: true }), ...shown] : shown),
    [mayMove, say, selection, shown],
  );
  return (
    <Page title={say('tasks.title')} lead={say('tasks.lead')}>
      <FilterBar filters={filters} tools={<ListTools list={TASK_LIST} columns={all} filters={filters} />}>
        <TextFilter filters={filters} name="words" label={say('tasks.filter.words')} />
        <StageFilter filters={filters} />
        <TextFilter filters={filters} name="client_request_id" label={say('tasks.filter.requestId')} />
        <ChoiceFilter
          filters={filters}
          name="template_no"
          label={say('tasks.filter.template')}
          any={say('record.any')}
          choices={(templates?.items ?? []).map(({ template_no: value, name }) => ({ value, label: name }))}
        />
        <ClassFilter filters={filters} />
        <TextFilter filters={filters} name="batch_id" label={say('tasks.filter.batch')} />
        <DayFilter filters={filters} name="from" label={say('tasks.filter.from')} />
        <DayFilter filters={filters} name="until" label={say('tasks.filter.until')} />
      </FilterBar>
      <Card isFlush>
        {mayMove && source.rows.length > 0 && (
          <BulkMoves
            query={query}
            source={source}
            selection={selection}
            onMove={(taskNo, move) => client.moveTask(taskNo, move)}
            linkTask={linkTask}
          />
        )}
        <RowsTable
          label={say('tasks.title')}
          leastTop={BELOW_FILTERS}
          columns={columns}
          source={source}
          keyOf={keyOf}
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
