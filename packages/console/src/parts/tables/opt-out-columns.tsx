import type { OptOut } from '@postrider/client';
import type { ReactNode } from 'react';
import type { Say } from '../../words/say.js';
import { Moment } from '../values/moment.js';
import type { Column } from './rows-table.js';

/** A number that wants nothing more, who said so, and since when. */
export function optOutColumns(say: Say, showPhone: (phone: string) => ReactNode): readonly Column<OptOut>[] {
  return [
    {
      id: 'phone',
      title: say('record.phone'),
      width: 'minmax(9rem, 1fr)',
      narrowWidth: 'minmax(0, 1fr)',
      render: ({ phone }) => showPhone(phone),
      renderNote: ({ created_at: at, source }) => (
        <>
          <Moment at={at} style="short" /> · {say(`customers.optOut.${source}`)}
        </>
      ),
    },
    {
      id: 'source',
      title: say('customers.optOutBy'),
      width: 'minmax(9rem, 2fr)',
      isWideOnly: true,
      render: ({ source }) => say(`customers.optOut.${source}`),
    },
    {
      id: 'created',
      title: say('channels.since'),
      width: '10.5rem',
      isEnd: true,
      isWideOnly: true,
      render: (optOut) => <Moment at={optOut.created_at} />,
    },
  ];
}
