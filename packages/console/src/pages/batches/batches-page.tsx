import type { Batch } from '@postrider/client';
import { Link } from '@tanstack/react-router';
import { type ReactElement, useMemo } from 'react';
import { useCustomer } from '../../api/clients.js';
import { batchesOf } from '../../api/lists.js';
import { useRows } from '../../api/rows.js';
import { Card, Page } from '../../parts/layout/page.js';
import { State } from '../../parts/layout/states.js';
import { ListTools, useShownColumns } from '../../parts/tables/list-tools.js';
import { type Column, RowsTable } from '../../parts/tables/rows-table.js';
import { sentColumns } from '../../parts/tables/sent-columns.js';
import { CountsBar } from '../../parts/values/counts-bar.js';
import { Moment } from '../../parts/values/moment.js';
import { TitleOrName } from '../../parts/values/title-or-name.js';
import { type Say, useWords } from '../../words/say.js';

function columnsOf(say: Say): readonly Column<Batch>[] {
  return [
    {
      id: 'batch',
      title: say('tasks.filter.batch'),
      width: 'minmax(9rem, 1.4fr)',
      narrowWidth: 'minmax(0, 1.6fr)',
      render: (batch) => (
        <Link to="/batches/$batchId" params={{ batchId: batch.batch_id }} className="mono">
          <TitleOrName title={batch.title} name={batch.batch_id} />
        </Link>
      ),
      renderNote: (batch) => <Moment at={batch.created_at} style="short" />,
    },
    {
      id: 'outcomes',
      title: say('tasks.column.outcomes'),
      width: 'minmax(6rem, 1.5fr)',
      render: (batch) => <CountsBar of={batch} />,
    },
    {
      id: 'tasks',
      title: say('nav.tasks'),
      width: '4rem',
      isEnd: true,
      isWideOnly: true,
      render: ({ tasks }) => tasks,
    },
    ...sentColumns<Batch>(say, { numbers: '5rem', narrowNumbers: '5rem', charged: 'minmax(10rem, 0.7fr)' }),
  ];
}

/** Under which the choice of its columns is kept. */
const LIST = 'batches';

export function BatchesPage(): ReactElement {
  const say = useWords();
  const all = useMemo(() => columnsOf(say), [say]);
  const columns = useShownColumns(LIST, all);
  const client = useCustomer();
  const source = useRows(batchesOf(client));
  return (
    <Page title={say('nav.batches')} lead={say('batches.lead')} actions={<ListTools list={LIST} columns={all} />}>
      <Card isFlush>
        <RowsTable
          label={say('nav.batches')}
          columns={columns}
          source={source}
          keyOf={(batch) => batch.batch_id}
          empty={<State icon="batches" title={say('batches.empty')} hint={say('batches.emptyHint')} />}
          mayBeMissing
        />
      </Card>
    </Page>
  );
}
