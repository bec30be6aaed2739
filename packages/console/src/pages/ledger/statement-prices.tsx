// Which unit prices applied in the month, and to how much.

import type { MessageClass } from '@postrider/client';
import type { ReactElement } from 'react';
import { useFirmNames } from '../../api/firms.js';
import { showCount } from '../../format/count.js';
import { Card } from '../../parts/layout/page.js';
import { PlainTable } from '../../parts/tables/plain-table.js';
import { Amount } from '../../parts/values/amount.js';
import { useWords } from '../../words/say.js';

export interface StatementPrice {
  readonly firm: string;
  readonly class: MessageClass;
  readonly unit_price: string;
  readonly numbers: number;
  readonly parts: number;
  readonly charged: string;
}

export function StatementPrices({ prices }: { readonly prices: readonly StatementPrice[] }): ReactElement {
  const say = useWords();
  const nameFirm = useFirmNames();
  return (
    <Card title={say('statement.prices')}>
      <PlainTable
        label={say('statement.prices')}
        rows={prices.map(({ firm, class: messageClass, unit_price: unitPrice, numbers, parts, charged }) => ({
          [say('record.firm')]: nameFirm(firm),
          [say('class.title')]: say(`class.${messageClass}`),
          [say('customers.unitPrice')]: <Amount value={unitPrice} />,
          [say('sum.total')]: showCount(numbers),
          [say('sum.parts')]: showCount(parts),
          [say('sum.charged')]: <Amount value={charged} />,
        }))}
        figures={[say('customers.unitPrice'), say('sum.total'), say('sum.parts'), say('sum.charged')]}
      />
    </Card>
  );
}
