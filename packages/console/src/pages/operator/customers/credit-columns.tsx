import type { LedgerEntry } from '@postrider/client';
import { showAmount } from '../../../format/money.js';
import type { Column } from '../../../parts/tables/rows-table.js';
import { Amount } from '../../../parts/values/amount.js';
import { Moment } from '../../../parts/values/moment.js';
import { Remark } from '../../../parts/values/remark.js';
import type { Say } from '../../../words/say.js';

/** What an operator booked: why, how much, and where that left the account. */
export function creditColumns(say: Say): readonly Column<LedgerEntry>[] {
  return [
    {
      id: 'seq',
      title: say('record.seq'),
      width: '4rem',
      narrowWidth: '3.25rem',
      render: ({ seq }) => <span className="soft">#{seq}</span>,
    },
    {
      id: 'remark',
      title: say('record.remark'),
      width: 'minmax(0, 1fr)',
      render: ({ remark }) => (remark ? <Remark text={remark} /> : <span className="soft">–</span>),
      renderNote: (entry) => <Moment at={entry.created_at} style="short" />,
    },
    {
      id: 'amount',
      title: say('record.amount'),
      width: '11rem',
      narrowWidth: '9.5rem',
      isEnd: true,
      render: ({ amount }) => <Amount value={amount} isSigned />,
      renderNote: (entry) => say('record.balance', { amount: showAmount(entry.available_after) }),
    },
    {
      id: 'available',
      title: say('record.availableAfter'),
      width: '11rem',
      isEnd: true,
      isWideOnly: true,
      render: (entry) => <Amount value={entry.available_after} />,
    },
    {
      id: 'time',
      title: say('record.time'),
      width: '10.5rem',
      isEnd: true,
      isWideOnly: true,
      render: (entry) => <Moment at={entry.created_at} />,
    },
  ];
}
