// Channels that are held because the database may have lost commits: what may have been sent, and the decision about it.

import { Alert, Stack } from '@mantine/core';
import type { Recovery, Release, ReleaseRequest } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { recoveryQuery } from '../../../api/operator-lists.js';
import { FormDialog } from '../../../parts/forms/form-dialog.js';
import { Card, CardGrid, Facts, Page } from '../../../parts/layout/page.js';
import { FailureState, LoadingState, State } from '../../../parts/layout/states.js';
import { PlainTable } from '../../../parts/tables/plain-table.js';
import { Moment } from '../../../parts/values/moment.js';
import { sayValue, useWords } from '../../../words/say.js';
import { CustomerLink } from '../operator-links.js';
import { RoleNeeded } from '../role-needed.js';

/** While held, each look counts what waits; while open, it is one row. */
const REFRESH_MS = 15_000;

export function HeldChannelsPage(): ReactElement {
  const say = useWords();
  const mayConfigure = useMay('configure');
  const [released, setReleased] = useState<Release>();
  const { data, error } = useQuery({ ...recoveryQuery(useOperator()), refetchInterval: REFRESH_MS });
  const isHeld = data?.state === 'held';
  return (
    <Page
      title={say('nav.held')}
      lead={say('held.lead')}
      actions={
        isHeld &&
        (mayConfigure ? (
          <ReleaseButton recovery={data} onReleased={setReleased} />
        ) : (
          <RoleNeeded actions={[[say('held.release'), 'configure']]} />
        ))
      }
    >
      <Stack>
        {released !== undefined && <Released release={released} />}
        {data === undefined && <Card>{error === null ? <LoadingState /> : <FailureState error={error} />}</Card>}
        {data?.state === 'open' && (
          <Card>
            <State icon="check" title={say('held.open')} hint={say('held.openHint')} />
          </Card>
        )}
        {isHeld && <Held recovery={data} />}
      </Stack>
    </Page>
  );
}

function Held({ recovery }: { readonly recovery: Recovery }): ReactElement {
  const say = useWords();
  return (
    <CardGrid columns={1}>
      <Alert color="red" title={say('held.title')}>
        {recovery.reason !== null && sayValue(say, 'heldReason', recovery.reason)} {say('held.nothingSent')}
      </Alert>
      <Card>
        <Facts
          facts={[
            [say('held.since'), <Moment key="since" at={recovery.held_at} />],
            [say('held.detail'), recovery.detail],
          ]}
        />
      </Card>
      <Card title={say('held.mayBeSent')}>
        <PlainTable
          label={say('held.mayBeSent')}
          none={say('held.none')}
          rows={recovery.under_way.map((one) => ({
            [say('app.customer')]: <CustomerLink customerNo={one.customer_no} />,
            [say('held.numbers')]: one.numbers,
            [say('held.tasks')]: one.tasks,
            [say('held.waitingTasks')]: one.waiting_tasks,
          }))}
        />
        <p className="soft">{say('held.mayBeSentHint')}</p>
      </Card>
    </CardGrid>
  );
}

interface ReleaseButtonProps {
  readonly recovery: Recovery;
  readonly onReleased: (release: Release) => void;
}

function ReleaseButton({ recovery, onReleased }: ReleaseButtonProps): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const count = recovery.under_way.reduce((sum, { numbers }) => sum + numbers, 0);
  return (
    <FormDialog
      label={say('held.release')}
      isPrimary
      fields={[
        {
          name: 'unsent',
          label: say('held.unsent'),
          hint: say('held.unsentHint'),
          kind: 'choice',
          isRequired: true,
          choices: [
            { value: 'unknown', label: say('held.asUnknown') },
            { value: 'send', label: say('held.asUnsent') },
          ],
        },
        { name: 'remark', label: say('erasures.remark'), kind: 'text', emptyIs: null },
      ]}
      initial={{ unsent: 'unknown' }}
      confirmation={{
        title: say('held.release'),
        hint: ({ unsent }) => say(unsent === 'send' ? 'held.confirmSend' : 'held.confirmUnknown', { count }),
      }}
      onSubmit={async (body) => onReleased(await operator.releaseChannels(body as unknown as ReleaseRequest))}
    />
  );
}

function Released({ release }: { readonly release: Release }): ReactElement {
  const say = useWords();
  const { marked_numbers: numbers, marked_tasks: tasks, paused_tasks: paused } = release;
  return (
    <Alert color="green" role="status" title={say('held.released')}>
      {say('held.marked', { numbers, tasks })} {paused > 0 && say('held.paused', { count: paused })}
    </Alert>
  );
}
