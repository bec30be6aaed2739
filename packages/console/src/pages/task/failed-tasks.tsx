import { Alert } from '@mantine/core';
import type { ReactElement } from 'react';
import { ProblemText } from '../../parts/layout/states.js';
import type { Failed } from './run-each.js';

const SHOWN = 5;

export type LinkTask = (taskNo: string) => ReactElement;

interface FailedTasksProps {
  readonly title: string;
  /** By their numbers. */
  readonly failed: readonly Failed<string>[];
  readonly linkTask: LinkTask;
}

/** The tasks to which something could not be done, the first of them with the reason. */
export function FailedTasks({ title, failed, linkTask }: FailedTasksProps): ReactElement {
  return (
    <Alert color="red" role="alert" title={title}>
      {failed.slice(0, SHOWN).map(({ item, error }) => (
        <div key={item}>
          {linkTask(item)}: <ProblemText error={error} />
        </div>
      ))}
    </Alert>
  );
}
