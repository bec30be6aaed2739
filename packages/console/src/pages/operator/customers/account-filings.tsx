// With which channels the signature of a sender is on file.

import { Drawer, Stack } from '@mantine/core';
import type { Channel, FilingRequest, ServiceAccount } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useOperator } from '../../../api/clients.js';
import { Button } from '../../../parts/controls/button.js';
import { EntityForm } from '../../../parts/forms/entity-form.js';
import { FailureState, LoadingState } from '../../../parts/layout/states.js';
import { PlainTable } from '../../../parts/tables/plain-table.js';
import { Moment } from '../../../parts/values/moment.js';
import { useWords } from '../../../words/say.js';
import { ChannelLink } from '../operator-links.js';

const STATUSES = ['filed', 'pending', 'rejected'] as const;

interface AccountFilingsProps {
  readonly customerNo: string;
  readonly account: ServiceAccount;
  readonly channels: readonly Channel[];
}

export function AccountFilings(props: AccountFilingsProps): ReactElement {
  const say = useWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="bordered" size="small" onClick={() => setOpen(true)}>
        {say('filings.title')}
      </Button>
      <Drawer
        opened={isOpen}
        onClose={() => setOpen(false)}
        position="right"
        size="lg"
        title={say('filings.of', { name: props.account.name })}
        closeButtonProps={{ 'aria-label': say('action.close') }}
      >
        {isOpen && <Filings {...props} />}
      </Drawer>
    </>
  );
}

function Filings({ customerNo, account, channels }: AccountFilingsProps): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const { service_account_no: accountNo } = account;
  const { data, error } = useQuery({
    queryKey: ['filings', customerNo, accountNo],
    queryFn: ({ signal }) => operator.filings(customerNo, accountNo, { pageSize: 100, signal }).page(),
  });
  if (data === undefined) return error === null ? <LoadingState /> : <FailureState error={error} />;
  // Those that ask for it first.
  const choices = [...channels]
    .sort((one, other) => Number(other.requires_filing) - Number(one.requires_filing))
    .map(({ channel_no: value, name }) => ({ value, label: name }));
  return (
    <Stack>
      <PlainTable
        label={say('filings.title')}
        none={say('filings.none')}
        rows={data.items.map((filing) => ({
          [say('field.channel_no')]: <ChannelLink channelNo={filing.channel_no} />,
          [say('record.status')]: say(`filings.status.${filing.status}`),
          [say('sending.signature')]: filing.signature,
          [say('filings.reason')]: filing.reason,
          [say('filings.changed')]: <Moment at={filing.updated_at} />,
        }))}
      />
      <EntityForm
        submit={say('filings.set')}
        fields={[
          { name: 'channel_no', label: say('field.channel_no'), kind: 'choice', isRequired: true, choices },
          {
            name: 'status',
            label: say('record.status'),
            hint: say('filings.hint'),
            kind: 'choice',
            isRequired: true,
            choices: STATUSES.map((value) => ({ value, label: say(`filings.status.${value}`) })),
          },
          { name: 'reason', label: say('filings.reason'), kind: 'text', emptyIs: null },
        ]}
        initial={{ channel_no: choices[0]?.value, status: 'filed' }}
        onSubmit={(body) => operator.setFiling(customerNo, accountNo, body as unknown as FilingRequest)}
      />
    </Stack>
  );
}
