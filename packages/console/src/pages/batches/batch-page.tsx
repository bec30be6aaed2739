// One batch: the sums over its tasks, live, and what can be done with all of them at once.

import { Group, Modal, Stack } from '@mantine/core';
import type { Batch, Stage, TaskMove } from '@postrider/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactElement, type ReactNode, useMemo, useState } from 'react';
import { useCustomer } from '../../api/clients.js';
import { tasksOf } from '../../api/lists.js';
import { SHOWN_RESULTS } from '../../api/receipt-outcome.js';
import { useRows } from '../../api/rows.js';
import { useSenderNames, useTemplateTexts } from '../../api/templates.js';
import type { CountedOutcome } from '../../design/outcomes.js';
import { showCount } from '../../format/count.js';
import { type StageCount, StageCounts } from '../../parts/charts/stage-counts.js';
import { Button } from '../../parts/controls/button.js';
import { BackLink } from '../../parts/layout/back-link.js';
import { Card, CardGrid, Facts, Page } from '../../parts/layout/page.js';
import { FailureState, LoadingState, ProblemText, State } from '../../parts/layout/states.js';
import { useShownColumns } from '../../parts/tables/list-tools.js';
import { RowsTable } from '../../parts/tables/rows-table.js';
import { TASK_LIST, taskColumns } from '../../parts/tables/task-columns.js';
import { CountsBar, CountsLegend } from '../../parts/values/counts-bar.js';
import { Moment } from '../../parts/values/moment.js';
import { MoneySum } from '../../parts/values/money-sum.js';
import { usePreferences } from '../../preferences.js';
import { useReadOnly } from '../../session/session.js';
import { useWords } from '../../words/say.js';

const MOVES: readonly TaskMove[] = ['prepare', 'freeze', 'submit', 'pause', 'resume', 'cancel'];

/** Those that would change a task. */
function listMoves({ moves, completed_at: completedAt }: Batch): readonly TaskMove[] {
  if (completedAt !== null) return [];
  return MOVES.filter((move) => (moves[move] ?? 0) > 0);
}

export function BatchPage(): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const { batchId = '' } = useParams({ strict: false });
  const { data: batch, error } = useQuery({
    queryKey: ['batch', batchId],
    queryFn: ({ signal }) => client.batch(batchId, { signal }),
    refetchInterval: ({ state }) => (state.data?.completed_at ? 10_000 : 1_000),
  });
  const above = <BackLink to="/batches">{say('nav.batches')}</BackLink>;
  if (batch === undefined) {
    return (
      <Page title={batchId} above={above}>
        <Card>{error === null ? <LoadingState /> : <FailureState error={error} />}</Card>
      </Page>
    );
  }
  return (
    <Page title={batch.title ?? batchId} above={above} actions={<BatchMoves batch={batch} />}>
      <CardGrid columns={1}>
        <Card
          title={say('task.outcomes')}
          side={<span className="soft">{say('state.numbers', { count: batch.counts.total })}</span>}
        >
          <CountsBar of={batch} height="0.875rem" />
          <CountsLegend of={batch} linkCount={(outcome, shown) => linkCount(batchId, outcome, shown)} />
        </Card>
      </CardGrid>
      <CardGrid columns={2}>
        <Card title={say('task.money')}>
          <MoneySum
            amounts={batch.amounts}
            linkAmount={(entries, shown) => (
              <Link to="/ledger" search={{ batch_id: batchId, ...entries }}>
                {shown}
              </Link>
            )}
          />
        </Card>
        <Card title={say('nav.tasks')} side={<TasksLink batchId={batchId} />}>
          <Stack>
            <StageCounts counts={listStages(batch)} />
            {batch.deleted_tasks > 0 && (
              <span className="soft">{say('batches.deleted', { count: batch.deleted_tasks })}</span>
            )}
            <Facts
              facts={[
                [say('tasks.filter.batch'), <code key="batch">{batchId}</code>],
                [say('task.created'), <Moment key="created" at={batch.created_at} />],
                [say('batches.ended'), <Moment key="completed" at={batch.completed_at} />],
              ]}
            />
          </Stack>
        </Card>
      </CardGrid>
      <BatchTasks batchId={batchId} isLive={batch.completed_at === null} />
    </Page>
  );
}

function BatchTasks({ batchId, isLive }: { readonly batchId: string; readonly isLive: boolean }): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const { zone } = usePreferences();
  const describeTemplate = useTemplateTexts();
  const nameSender = useSenderNames();
  const all = useMemo(() => taskColumns(say, describeTemplate, nameSender), [say, describeTemplate, nameSender]);
  const columns = useShownColumns(TASK_LIST, all);
  const source = useRows({ ...tasksOf(client, { batch_id: batchId }, zone), pollMs: isLive ? 1_500 : false });
  return (
    <Card isFlush>
      <RowsTable
        label={say('nav.tasks')}
        columns={columns}
        source={source}
        keyOf={(task) => task.task_no}
        empty={<State icon="tasks" title={say('tasks.empty')} />}
      />
    </Card>
  );
}

const RESULTS: ReadonlySet<CountedOutcome> = new Set(SHOWN_RESULTS);

/** Receipts for what is settled; for what is open, the tasks that it is in. */
function linkCount(batchId: string, outcome: CountedOutcome, shown: ReactNode): ReactNode {
  const batch = { batch_id: batchId };
  const rows = RESULTS.has(outcome)
    ? { to: '/receipts', search: { ...batch, result: outcome } }
    : { to: '/tasks', search: batch };
  return <Link {...rows}>{shown}</Link>;
}

function listStages({ batch_id: batchId, stages }: Batch): readonly StageCount[] {
  return (Object.entries(stages) as [Stage, number][]).map(([stage, count]) => ({
    stage,
    count: (
      <Link to="/tasks" search={{ batch_id: batchId, stage }}>
        {showCount(count)}
      </Link>
    ),
  }));
}

function TasksLink({ batchId }: { readonly batchId: string }): ReactElement {
  const say = useWords();
  return (
    <Link to="/tasks" search={{ batch_id: batchId }}>
      {say('batches.tasks')}
    </Link>
  );
}

function BatchMoves({ batch }: { readonly batch: Batch }): ReactElement | null {
  const say = useWords();
  const isReadOnly = useReadOnly();
  const client = useCustomer();
  const queryClient = useQueryClient();
  const [move, setMove] = useState<TaskMove>();
  const run = useMutation({
    mutationFn: (name: TaskMove) => client.moveBatch(batch.batch_id, name),
    onSuccess: () => setMove(undefined),
    onSettled: () => queryClient.invalidateQueries(),
  });
  const { total, unsent } = batch.counts;
  if (isReadOnly) return null;
  return (
    <>
      {listMoves(batch).map((name) => (
        <Button key={name} look="bordered" onClick={() => setMove(name)}>
          {say(`batchAction.${name}`)}
        </Button>
      ))}
      <Modal
        opened={move !== undefined}
        onClose={() => setMove(undefined)}
        title={move !== undefined && say(`batchAction.${move}`)}
        closeButtonProps={{ 'aria-label': say('action.close') }}
      >
        {move !== undefined && (
          <Stack>
            <span>
              {say('batches.some', { count: batch.moves[move] ?? 0, tasks: batch.tasks })}{' '}
              {say(`action.${move}Hint`, { total, unsent })}
            </span>
            {run.error !== null && <ProblemText error={run.error} />}
            <Group justify="flex-end">
              <Button look="bordered" onClick={() => setMove(undefined)}>
                {say('action.back')}
              </Button>
              <Button isDangerous={move === 'cancel'} isBusy={run.isPending} onClick={() => run.mutate(move)}>
                {say(`batchAction.${move}`)}
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </>
  );
}
