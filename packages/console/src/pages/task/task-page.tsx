// One task: its stage, the outcomes of its numbers, its money, and the records behind every figure.

import { isFinished } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { useCustomer } from '../../api/clients.js';
import { pollTask } from '../../api/poll-task.js';
import { taskQuery } from '../../api/task-queries.js';
import { useSenderNames, useTemplateNames } from '../../api/templates.js';
import type { CountedOutcome } from '../../design/outcomes.js';
import { BackLink } from '../../parts/layout/back-link.js';
import { Card, Page } from '../../parts/layout/page.js';
import { FailureState, LoadingState } from '../../parts/layout/states.js';
import { MissingMoney } from '../../parts/values/missing-money.js';
import { hasSentNothing } from '../../parts/values/stage-pill.js';
import { useReadOnly } from '../../session/session.js';
import { useWords } from '../../words/say.js';
import { sayReason } from '../../words/say-reason.js';
import { RescheduleTask } from './reschedule-task.js';
import { ROWS_BEHIND } from './rows-behind.js';
import { TaskActions } from './task-actions.js';
import { sayStage, TaskCards, TaskHeading } from './task-cards.js';
import { TaskRecords } from './task-records.js';

export function TaskPage(): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const isReadOnly = useReadOnly();
  const nameTemplate = useTemplateNames();
  const nameSender = useSenderNames();
  const { taskNo = '' } = useParams({ strict: false });
  const query = useQuery({
    ...taskQuery(client, taskNo),
    refetchInterval: ({ state }) => pollTask(state.data),
  });
  const task = query.data;
  const above = <BackLink to="/tasks">{say('task.back')}</BackLink>;
  if (task === undefined) {
    return (
      <Page title={taskNo} above={above}>
        <Card>{query.error === null ? <LoadingState lines={6} /> : <FailureState error={query.error} />}</Card>
      </Page>
    );
  }
  const path = `/openapi/v1/messages/tasks/${encodeURIComponent(task.task_no)}`;
  return (
    <Page
      title={task.title ?? task.client_request_id ?? task.task_no}
      heading={<TaskHeading task={task} />}
      lead={sayStage(say, task)}
      above={above}
      actions={
        isReadOnly ? undefined : (
          <>
            <RescheduleTask task={task} />
            <TaskActions task={task} onMove={(name) => client.request({ method: 'POST', path: `${path}/${name}/` })} />
          </>
        )
      }
    >
      <TaskCards
        task={task}
        linkCount={linkCount}
        linkAmount={(search, shown) => (
          <Link to="/ledger" search={{ task_no: task.task_no, ...search }}>
            {shown}
          </Link>
        )}
        nameTemplate={nameTemplate}
        nameSender={nameSender}
        linkTemplate={(template, shown) => (
          <Link to="/templates" search={{ template }}>
            {shown}
          </Link>
        )}
        whyRejected={hasSentNothing(task) && <FirstReason taskNo={task.task_no} />}
        missing={(waitsFor) => task.amounts.price && <MissingMoney price={task.amounts.price} waitsFor={waitsFor} />}
        linkBatch={(batchId) => (
          <Link to="/batches/$batchId" params={{ batchId }}>
            {batchId}
          </Link>
        )}
      />
      <TaskRecords
        taskNo={task.task_no}
        isLive={!isFinished(task)}
        hasUnsent={task.counts.unsent > 0}
        hasTexts={task.template_body !== null && task.variable_values === null}
      />
    </Page>
  );
}

function FirstReason({ taskNo }: { readonly taskNo: string }): ReactElement | null {
  const say = useWords();
  const client = useCustomer();
  const { data } = useQuery({
    queryKey: ['receipts', taskNo, 'first'],
    queryFn: ({ signal }) => client.receipts({ taskNo, pageSize: 1, signal }).page(),
  });
  const [first] = data?.items ?? [];
  return first === undefined ? null : <>{say('task.rejectedFor', { reason: sayReason(say, first) })}</>;
}

function linkCount(outcome: CountedOutcome, shown: ReactNode): ReactNode {
  return (
    <Link to="." search={ROWS_BEHIND[outcome]} hash="records">
      {shown}
    </Link>
  );
}
