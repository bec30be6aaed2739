import type { OperatorClient, Stage } from '@postrider/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import { showCount } from '../../../format/count.js';
import { StageCounts } from '../../../parts/charts/stage-counts.js';
import { FailureState, LoadingState } from '../../../parts/layout/states.js';

const OPEN_STAGES: readonly Stage[] = ['queued', 'prepared', 'submitting', 'waiting_receipt', 'submit_unknown'];

export function openTasksQuery(operator: OperatorClient) {
  return queryOptions({
    queryKey: ['open-tasks'],
    queryFn: ({ signal }) =>
      Promise.all(OPEN_STAGES.map((stage) => operator.tasks({ stage, pageSize: 1, signal }).page())),
  });
}

/** How many tasks stand at each stage that is not the last. */
export function OpenTasks(): ReactElement {
  const { data, error } = useQuery({ ...openTasksQuery(useOperator()), refetchInterval: 4_000 });
  if (data === undefined) return error === null ? <LoadingState lines={5} /> : <FailureState error={error} />;
  const counts = OPEN_STAGES.map((stage, index) => {
    const page = data[index];
    return {
      stage,
      count: (
        <Link to="/operator/tasks" search={{ stage }}>
          {page?.total_is_exact === false && '> '}
          {page && showCount(page.total)}
        </Link>
      ),
    };
  });
  return <StageCounts counts={counts} />;
}
