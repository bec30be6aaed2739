// The tasks of all customers: whose it is, where it stands.

import type { Stage } from '@postrider/client';
import type { ReactElement } from 'react';
import { FilterBar, NothingFound, TextFilter, useFilters } from '../../parts/filters.js';
import { Page } from '../../parts/page.js';
import { State } from '../../parts/states.js';
import { useWords } from '../../words/say.js';
import { StageFilter } from '../task/stage-filter.js';
import { CustomerFilter } from './operator-filters.js';
import { OperatorTasks } from './operator-tasks.js';

export function OperatorTasksPage(): ReactElement {
  const say = useWords();
  const filters = useFilters(['stage', 'customer_no', 'client_request_id'] as const);
  const { stage, customer_no: customerNo, client_request_id: clientRequestId } = filters.values;
  return (
    <Page title={say('nav.tasks')} lead={say('operatorTasks.lead')}>
      <FilterBar filters={filters}>
        <StageFilter filters={filters} />
        <CustomerFilter filters={filters} />
        <TextFilter filters={filters} name="client_request_id" label={say('tasks.filter.requestId')} />
      </FilterBar>
      <OperatorTasks
        hasCustomers
        empty={
          <NothingFound filters={filters}>
            <State icon="tasks" title={say('tasks.empty')} />
          </NothingFound>
        }
        filters={{
          ...(stage !== undefined && { stage: stage as Stage }),
          ...(customerNo !== undefined && { customerNo }),
          ...(clientRequestId !== undefined && { clientRequestId }),
        }}
      />
    </Page>
  );
}
