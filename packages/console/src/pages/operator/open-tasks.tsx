import type { Stage } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useOperator } from '../../api/clients.js';
import { StagePill } from '../../parts/stage-pill.js';
import { FailureState, LoadingState } from '../../parts/states.js';
import styles from './operator.module.css';

const OPEN_STAGES: readonly Stage[] = ['queued', 'prepared', 'submitting', 'waiting_receipt', 'submit_unknown'];

/** How many tasks stand at each stage that is not the last. */
export function OpenTasks(): ReactElement {
  const operator = useOperator();
  const { data, error } = useQuery({
    queryKey: ['open-tasks'],
    refetchInterval: 4_000,
    queryFn: ({ signal }) =>
      Promise.all(OPEN_STAGES.map((stage) => operator.tasks({ stage, pageSize: 1, signal }).page())),
  });
  if (data === undefined) return error === null ? <LoadingState /> : <FailureState error={error} />;
  return (
    <ul className={styles.stages}>
      {OPEN_STAGES.map((stage, index) => {
        const page = data[index];
        return (
          <li key={stage}>
            <StagePill stage={stage} />
            <strong>
              {page?.total_is_exact === false && '> '}
              {page?.total.toLocaleString('en')}
            </strong>
          </li>
        );
      })}
    </ul>
  );
}
