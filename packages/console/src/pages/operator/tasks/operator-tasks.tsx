import type { OperatorTask } from '@postrider/client';
import { type ReactElement, useMemo } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { operatorTasksOf, type TaskChoice } from '../../../api/operator-lists.js';
import { useRows } from '../../../api/rows.js';
import { Card } from '../../../parts/layout/page.js';
import { State } from '../../../parts/layout/states.js';
import { ListTools, useShownColumns } from '../../../parts/tables/list-tools.js';
import { optionalColumn } from '../../../parts/tables/optional-column.js';
import { BELOW_FILTERS, type Column, RowsTable } from '../../../parts/tables/rows-table.js';
import { selectionColumn, useSelection } from '../../../parts/tables/selection.js';
import { sentColumns } from '../../../parts/tables/sent-columns.js';
import { CountsBar } from '../../../parts/values/counts-bar.js';
import { Moment } from '../../../parts/values/moment.js';
import { TaskStage } from '../../../parts/values/stage-pill.js';
import { TitleOrName } from '../../../parts/values/title-or-name.js';
import { type Say, useWords } from '../../../words/say.js';
import { BulkMoves } from '../../task/bulk-moves.js';
import { CustomerLink, linkOperatorTask, OperatorTaskLink } from '../operator-links.js';

/** Under which the choices of its columns and filters are kept. */
export const OPERATOR_TASK_LIST = 'operator-tasks';

interface OperatorTasksProps {
  readonly filters: TaskChoice;
  /** Whose they are, where that is not said around them. */
  readonly hasCustomers?: boolean;
  /** Where nothing is found, other than that there are none yet. */
  readonly empty?: ReactElement;
}

export function operatorTaskColumns(say: Say, hasCustomers: boolean): readonly Column<OperatorTask>[] {
  const customer: Column<OperatorTask> = {
    id: 'customer',
    title: say('app.customer'),
    width: 'minmax(5rem, 0.5fr)',
    isWideOnly: true,
    render: ({ customer_no: customerNo }) => <CustomerLink customerNo={customerNo} />,
  };
  return [
    {
      id: 'task',
      title: say('tasks.column.task'),
      width: 'minmax(9rem, 1.2fr)',
      render: (task) => (
        <OperatorTaskLink taskNo={task.task_no}>
          <TitleOrName title={task.title} name={task.client_request_id ?? task.task_no} />
        </OperatorTaskLink>
      ),
      renderNote: (task) =>
        hasCustomers ? <CustomerLink customerNo={task.customer_no} /> : <Moment at={task.created_at} style="short" />,
    },
    ...(hasCustomers ? [customer] : []),
    {
      id: 'stage',
      title: say('tasks.column.stage'),
      // With what it waits for beside it, where the page has room for that.
      width: 'minmax(clamp(6.5rem, max(13.5vw, 25vw - 9rem), 13.5rem), 1.2fr)',
      narrowWidth: '9.5rem',
      render: (task) => <TaskStage task={task} />,
      renderNote: (task) => <CountsBar of={task} height="0.375rem" />,
    },
    {
      id: 'outcomes',
      title: say('tasks.column.outcomes'),
      width: 'minmax(4rem, 0.6fr)',
      isWideOnly: true,
      render: (task) => <CountsBar of={task} />,
    },
    ...sentColumns<OperatorTask>(say, { numbers: '5rem', narrowNumbers: '4.25rem', charged: '9rem' }),
    optionalColumn('class', say('class.title'), '6rem', (task) => say(`class.${task.class}`)),
    optionalColumn('template', say('tasks.filter.template'), '9rem', ({ template_no: no }) => <code>{no}</code>),
    optionalColumn('batch', say('tasks.filter.batch'), 'minmax(5rem, 0.5fr)', ({ batch_id: id }) => id),
  ];
}

function keyOf({ task_no: taskNo }: OperatorTask): string {
  return taskNo;
}

/** Tasks as the operator sees them. */
export function OperatorTasks({ filters, hasCustomers = false, empty }: OperatorTasksProps): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const mayMove = useMay('move');
  const query = operatorTasksOf(operator, filters);
  const source = useRows(query);
  const all = useMemo(() => operatorTaskColumns(say, hasCustomers), [say, hasCustomers]);
  const shown = useShownColumns(OPERATOR_TASK_LIST, all);
  const selection = useSelection(keyOf, filters);
  const columns = useMemo(
    () => (mayMove ? [selectionColumn(say, selection, { nameOf: keyOf, isWideOnly: true }), ...shown] : shown),
    [mayMove, say, selection, shown],
  );
  // With filters around it, the list has its tools beside them.
  const head = { title: say('nav.tasks'), side: <ListTools list={OPERATOR_TASK_LIST} columns={all} isCompact /> };
  return (
    <Card isFlush {...(hasCustomers ? {} : head)}>
      {mayMove && source.rows.length > 0 && (
        <BulkMoves
          query={query}
          source={source}
          selection={selection}
          onMove={(taskNo, move) => operator.moveTask(taskNo, move)}
          linkTask={linkOperatorTask}
        />
      )}
      <RowsTable
        label={say('nav.tasks')}
        leastTop={BELOW_FILTERS}
        source={source}
        keyOf={keyOf}
        empty={empty ?? <State icon="tasks" title={say('tasks.empty')} />}
        columns={columns}
      />
    </Card>
  );
}
