// The columns of a customer's tasks, wherever they are listed.

import type { Task } from '@postrider/client';
import type { ReactElement } from 'react';
import type { DescribeTemplate } from '../../api/templates.js';
import type { Say } from '../../words/say.js';
import { CountsBar } from '../values/counts-bar.js';
import { Moment } from '../values/moment.js';
import { TaskStage } from '../values/stage-pill.js';
import { TitleOrName } from '../values/title-or-name.js';
import { RowLink } from './row-link.js';
import type { Column } from './rows-table.js';
import { sentColumns } from './sent-columns.js';

export function taskColumns(say: Say, describeTemplate: DescribeTemplate): readonly Column<Task>[] {
  return [
    {
      id: 'task',
      title: say('tasks.column.task'),
      width: 'minmax(9.5rem, 1.4fr)',
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
      width: 'minmax(clamp(6.5rem, 15vw, 12rem), 1.2fr)',
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
