// The numbers that a customer may not send to, since when, and whether their owner or an operator said so.

import type { OptOut } from '@postrider/client';
import type { ReactElement } from 'react';
import { useOperator } from '../../api/clients.js';
import { PAGE_SIZE, useRows } from '../../api/rows.js';
import { Moment } from '../../parts/moment.js';
import { Card } from '../../parts/page.js';
import { RowsTable } from '../../parts/rows-table.js';
import { State } from '../../parts/states.js';
import { useWords } from '../../words/say.js';

export function CustomerOptOuts({ customerNo }: { readonly customerNo: string }): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const source = useRows<OptOut>({
    key: ['customer-opt-outs', customerNo],
    list: (signal) => operator.optOuts(customerNo, { pageSize: PAGE_SIZE, signal }),
  });
  return (
    <Card isFlush>
      <RowsTable
        label={say('customers.tab.optOuts')}
        source={source}
        keyOf={({ phone }) => phone}
        empty={<State icon="check" title={say('customers.noOptOuts')} hint={say('customers.noOptOutsHint')} />}
        columns={[
          {
            id: 'phone',
            title: say('record.phone'),
            width: 'minmax(9rem, 1fr)',
            narrowWidth: 'minmax(0, 1fr)',
            render: ({ phone }) => <span className="mono">{phone}</span>,
            renderNote: (optOut) => <Moment at={optOut.created_at} style="minute" />,
          },
          {
            id: 'source',
            title: say('customers.optOutBy'),
            width: 'minmax(9rem, 2fr)',
            narrowWidth: 'minmax(0, 1fr)',
            render: ({ source: by }) => say(`customers.optOut.${by}`),
          },
          {
            id: 'created',
            title: say('channels.since'),
            width: '10.5rem',
            isEnd: true,
            isWideOnly: true,
            render: (optOut) => <Moment at={optOut.created_at} />,
          },
        ]}
      />
    </Card>
  );
}
