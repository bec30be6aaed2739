// Tasks that are paused, resumed or cancelled together.

import { Group, Modal, Stack } from '@mantine/core';
import type { Task } from '@postrider/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { type Rows, type RowsQuery, readAllRows } from '../../api/rows.js';
import { Button } from '../../parts/controls/button.js';
import { type Selection, SelectionBar } from '../../parts/tables/selection.js';
import { useWords } from '../../words/say.js';
import { FailedTasks, type LinkTask } from './failed-tasks.js';
import { runEach } from './run-each.js';

const MOVES = ['pause', 'resume', 'cancel'] as const;
type BulkMove = (typeof MOVES)[number];

/** One call for each: more take minutes. */
const MOST = 500;

/** What a task has of what both sides see of it. */
type Movable = Pick<Task, 'task_no' | 'counts'>;

interface Moving {
  readonly onMove: (taskNo: string, move: BulkMove) => Promise<unknown>;
  readonly linkTask: LinkTask;
}

interface BulkMovesProps<Row extends Movable> extends Moving {
  readonly query: RowsQuery<Row>;
  readonly source: Rows<Row>;
  readonly selection: Selection<Row>;
}

function countUnsent(tasks: readonly Movable[]): number {
  return tasks.reduce((sum, { counts }) => sum + counts.unsent, 0);
}

export function BulkMoves<Row extends Movable>(props: BulkMovesProps<Row>): ReactElement {
  const { query, source, selection, onMove, linkTask } = props;
  const say = useWords();
  const [move, setMove] = useState<BulkMove>();
  const readAll = useMutation({
    mutationFn: () => readAllRows(query, MOST, new AbortController().signal),
    onSuccess: selection.replace,
  });
  const { total, isTotalExact } = source;
  const isAll = isTotalExact && total !== undefined && total <= MOST;
  const tasks = selection.rows;
  return (
    <>
      <SelectionBar
        selection={selection}
        marked={say('bulk.tasks', { count: tasks.length, unsent: countUnsent(tasks) })}
        total={isAll ? say('bulk.all', { count: total }) : say('bulk.allAtMost', { count: MOST })}
        isReading={readAll.isPending}
        onSelectAll={() => readAll.mutate()}
      >
        {tasks.length > 0 &&
          MOVES.map((name) => (
            <Button key={name} size="small" look="bordered" onClick={() => setMove(name)}>
              {say(`bulk.${name}`)}
            </Button>
          ))}
      </SelectionBar>
      <Modal
        opened={move !== undefined}
        onClose={() => setMove(undefined)}
        title={move !== undefined && say(`bulk.${move}`)}
        closeButtonProps={{ 'aria-label': say('action.close') }}
      >
        {move !== undefined && (
          <MoveForm
            move={move}
            tasks={tasks}
            onMove={onMove}
            linkTask={linkTask}
            onDone={(failed) => {
              selection.replace(tasks.filter(({ task_no: no }) => failed.has(no)));
              if (failed.size === 0) setMove(undefined);
            }}
          />
        )}
      </Modal>
    </>
  );
}

interface MoveFormProps extends Moving {
  readonly move: BulkMove;
  readonly tasks: readonly Movable[];
  readonly onDone: (failed: ReadonlySet<string>) => void;
}

function MoveForm({ move, tasks, onMove, linkTask, onDone }: MoveFormProps): ReactElement {
  const say = useWords();
  const queryClient = useQueryClient();
  const [done, setDone] = useState(0);
  const run = useMutation({
    mutationFn: () =>
      runEach(
        tasks.map(({ task_no: no }) => no),
        (no) => onMove(no, move),
        setDone,
      ),
    onSuccess: (failed) => onDone(new Set(failed.map(({ item }) => item))),
    onSettled: () => queryClient.invalidateQueries(),
  });
  const failed = run.data ?? [];
  return (
    <Stack>
      <span>{say(`bulk.${move}Hint`, { count: tasks.length, unsent: countUnsent(tasks) })}</span>
      {failed.length > 0 && (
        <FailedTasks title={say('bulk.failed', { count: failed.length })} failed={failed} linkTask={linkTask} />
      )}
      <Group justify="flex-end">
        {run.isPending && <span role="status">{say('bulk.progress', { done, count: tasks.length })}</span>}
        <Button isDangerous={move === 'cancel'} isBusy={run.isPending} onClick={() => run.mutate()}>
          {say(`bulk.${move}`)}
        </Button>
      </Group>
    </Stack>
  );
}
