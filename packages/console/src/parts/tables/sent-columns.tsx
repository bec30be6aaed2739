// The columns at the end of every list of what was sent, be it tasks or batches: how many numbers, what was charged, and when.

import type { TaskAmounts, TaskCounts } from '@postrider/client';
import { showCount } from '../../format/count.js';
import type { Say } from '../../words/say.js';
import { Amount } from '../values/amount.js';
import { Moment } from '../values/moment.js';
import type { Column } from './rows-table.js';

interface Sent {
  readonly counts: TaskCounts;
  readonly amounts: TaskAmounts;
  readonly created_at: string;
}

interface Widths {
  readonly numbers: string;
  /** Where the page is narrow. */
  readonly narrowNumbers: string;
  readonly charged: string;
}

export function sentColumns<Row extends Sent>(say: Say, widths: Widths): readonly Column<Row>[] {
  return [
    {
      id: 'numbers',
      title: say('tasks.column.numbers'),
      width: widths.numbers,
      narrowWidth: widths.narrowNumbers,
      isEnd: true,
      render: ({ counts }) => showCount(counts.total),
      renderNote: ({ amounts }) => <Amount value={amounts.charged} isShort />,
    },
    {
      id: 'charged',
      title: say('tasks.column.charged'),
      width: widths.charged,
      isEnd: true,
      isWideOnly: true,
      render: ({ amounts }) => <Amount value={amounts.charged} currency={amounts.currency} />,
    },
    {
      id: 'created',
      title: say('tasks.column.created'),
      width: '10.5rem',
      isEnd: true,
      isWideOnly: true,
      render: (row) => <Moment at={row.created_at} />,
    },
  ];
}
