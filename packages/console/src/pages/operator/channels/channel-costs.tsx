// What a part costs on a channel: what applies now, and what is to come.

import { type Channel, type CostRequest, MESSAGE_CLASSES } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { FormDialog } from '../../../parts/forms/form-dialog.js';
import { Card } from '../../../parts/layout/page.js';
import { PlainTable } from '../../../parts/tables/plain-table.js';
import { Amount } from '../../../parts/values/amount.js';
import { Moment } from '../../../parts/values/moment.js';
import { useWords } from '../../../words/say.js';

export function useChannelCosts(channelNo: string) {
  const operator = useOperator();
  return useQuery({
    queryKey: ['channel-costs', channelNo],
    queryFn: ({ signal }) => operator.costs(channelNo, { pageSize: 100, signal }).page(),
  });
}

export function ChannelCosts({ channel }: { readonly channel: Channel }): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const mayConfigure = useMay('configure');
  const { data } = useChannelCosts(channel.channel_no);
  const firms = channel.firms.map((firm) => ({ value: firm, label: firm }));
  return (
    <Card
      title={say('costs.title')}
      side={
        mayConfigure && (
          <FormDialog
            label={say('costs.set')}
            fields={[
              { name: 'firm', label: say('record.firm'), kind: 'choice', isRequired: true, choices: firms },
              { name: 'unit_price', label: say('costs.unit'), hint: say('costs.hint'), kind: 'text', isRequired: true },
              {
                name: 'class',
                label: say('class.title'),
                kind: 'choice',
                choices: MESSAGE_CLASSES.map((value) => ({ value, label: say(`class.${value}`) })),
                emptyIs: null,
              },
              {
                name: 'prefix',
                label: say('prices.prefix'),
                hint: say('prices.prefixHint'),
                kind: 'text',
                emptyIs: null,
              },
              { name: 'valid_from', label: say('prices.validFrom'), hint: say('prices.validFromHint'), kind: 'text' },
            ]}
            initial={{ firm: firms[0]?.value }}
            onSubmit={(body) => operator.createCost(channel.channel_no, body as unknown as CostRequest)}
          />
        )
      }
    >
      <PlainTable
        label={say('costs.title')}
        none={say('costs.none')}
        figures={[say('costs.unit')]}
        rows={(data?.items ?? []).map((cost) => ({
          [say('record.firm')]: cost.firm,
          [say('class.title')]: cost.class === null ? say('prices.everyClass') : say(`class.${cost.class}`),
          [say('prices.prefix')]: cost.prefix ?? '',
          [say('costs.unit')]: <Amount value={cost.unit_price} />,
          [say('prices.validFrom')]: <Moment at={cost.valid_from} />,
        }))}
      />
    </Card>
  );
}
