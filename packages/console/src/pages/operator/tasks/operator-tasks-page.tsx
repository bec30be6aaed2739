// The tasks of all customers: whose it is, where it stands.

import type { ReactElement } from 'react';
import { chooseTasks, OPERATOR_TASK_FILTERS } from '../../../api/operator-lists.js';
import { FilterBar, NothingFound, TextFilter, useFilters } from '../../../parts/forms/filters.js';
import { Page } from '../../../parts/layout/page.js';
import { State } from '../../../parts/layout/states.js';
import { ListTools } from '../../../parts/tables/list-tools.js';
import { useWords } from '../../../words/say.js';
import { ClassFilter } from '../../task/class-filter.js';
import { StageFilter } from '../../task/stage-filter.js';
import { CustomerFilter } from '../operator-filters.js';
import { OPERATOR_TASK_LIST, OperatorTasks, operatorTaskColumns } from './operator-tasks.js';

export function OperatorTasksPage(): ReactElement {
  const say = useWords();
  const filters = useFilters(OPERATOR_TASK_FILTERS);
  return (
    <Page title={say('nav.tasks')} lead={say('operatorTasks.lead')}>
      <FilterBar
        filters={filters}
        tools={<ListTools list={OPERATOR_TASK_LIST} columns={operatorTaskColumns(say, true)} filters={filters} />}
      >
        <TextFilter filters={filters} name="title" label={say('task.title')} />
        <StageFilter filters={filters} />
        <CustomerFilter filters={filters} />
        <ClassFilter filters={filters} />
        <TextFilter filters={filters} name="client_request_id" label={say('tasks.filter.requestId')} />
      </FilterBar>
      <OperatorTasks
        hasCustomers
        empty={
          <NothingFound filters={filters}>
            <State icon="tasks" title={say('tasks.empty')} />
          </NothingFound>
        }
        filters={chooseTasks(filters.values)}
      />
    </Page>
  );
}
