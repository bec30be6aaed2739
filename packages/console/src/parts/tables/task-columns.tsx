// The columns of a customer's tasks, wherever they are listed.

import type { Task } from '@postrider/client';
import type { ReactElement } from 'react';
import type { DescribeTemplate, NameSender } from '../../api/templates.js';
import type { Say } from '../../words/say.js';
import { CountsBar } from '../values/counts-bar.js';
import { Moment } from '../values/moment.js';
import { TaskStage } from '../values/stage-pill.js';
import { TitleOrName } from '../values/title-or-name.js';
import { optionalColumn } from './optional-column.js';
import { RowLink } from './row-link.js';
import type { Column } from './rows-table.js';
import { sentColumns } from './sent-columns.js';

/** Under which the choices of its columns and filters are kept. */
export const TASK_LIST = 'tasks';

export function taskColumns(
  say: Say,
  describeTemplate: DescribeTemplate,
  nameSender: NameSender,
): readonly Column<Task>[] {
  return [
    {
      id: 'task',
      title: say('tasks.column.task'),
      width: 'minmax(9rem, 1.4fr)',
      render: (task) => (
        <RowLink to="/tasks" name={task.task_no} className="mono">
          <TitleOrName title={task.title} name={task.client_request_id ?? task.task_no} />
        </RowLink>
      ),
      renderNote: (task) => <Moment at={task.created_at} style="short" />,
    },
    {
      id: 'template',
      title: say('tasks.filter.template'),
      width: 'minmax(4rem, 1.2fr)',
      isWideOnly: true,
      render: (task) => <TemplateText {...describeTemplate(task.template_no)} />,
    },
    {
      id: 'stage',
      title: say('tasks.column.stage'),
      // With what it waits for beside it, where the page has room for that.
      width: 'minmax(clamp(6.5rem, max(13.5vw, 25vw - 8.5rem), 14rem), 1.2fr)',
      narrowWidth: '9.5rem',
      render: (task) => <TaskStage task={task} />,
      renderNote: (task) => <CountsBar of={task} height="0.375rem" />,
    },
    {
      id: 'outcomes',
      title: say('tasks.column.outcomes'),
      width: 'minmax(5rem, 1fr)',
      isWideOnly: true,
      render: (task) => <CountsBar of={task} />,
    },
    ...sentColumns<Task>(say, { numbers: '4.5rem', narrowNumbers: '4.25rem', charged: 'minmax(9rem, 0.8fr)' }),
    optionalColumn<Task>('class', say('class.title'), '6rem', (task) => say(`class.${task.class}`)),
    optionalColumn<Task>('sender', say('task.serviceAccount'), 'minmax(6rem, 0.6fr)', (task) => {
      const sender = nameSender(task.service_account_no);
      return sender === undefined ? <code>{task.service_account_no}</code> : `${sender.name} (${sender.sender})`;
    }),
    optionalColumn<Task>('batch', say('tasks.filter.batch'), 'minmax(5rem, 0.6fr)', ({ batch_id: id }) => id),
    optionalColumn<Task>(
      'request',
      say('tasks.filter.requestId'),
      'minmax(5rem, 0.6fr)',
      ({ client_request_id: id }) => id,
    ),
    optionalColumn<Task>('number', say('task.number'), '9.5rem', ({ task_no: no }) => <code>{no}</code>),
    optionalColumn<Task>('completed', say('task.completed'), '10.5rem', ({ completed_at: at }) => <Moment at={at} />),
  ];
}

/** Cut off where the column ends. */
function TemplateText({ name, body }: ReturnType<DescribeTemplate>): ReactElement {
  return (
    <span title={body}>
      {name} <span className="soft">{body}</span>
    </span>
  );
}
