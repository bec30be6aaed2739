// Requests to erase a phone number: ask for one, see how far each is and what was replaced.

import type { Erasure, ErasureRequest } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { erasuresQuery } from '../../../api/operator-lists.js';
import { FormDialog } from '../../../parts/forms/form-dialog.js';
import { Card, Page } from '../../../parts/layout/page.js';
import { FailureState, LoadingState } from '../../../parts/layout/states.js';
import { PlainTable } from '../../../parts/tables/plain-table.js';
import { Copyable } from '../../../parts/values/copyable.js';
import { Moment } from '../../../parts/values/moment.js';
import { StatusLabel } from '../../../parts/values/status-label.js';
import { useWords } from '../../../words/say.js';
import { RoleNeeded } from '../role-needed.js';
import { RowCounts } from './row-counts.js';

/** Erasing takes seconds to minutes, and longer while messages are under way. */
const REFRESH_MS = 4_000;

export function ErasuresPage(): ReactElement {
  const say = useWords();
  const mayConfigure = useMay('configure');
  const { data, error } = useQuery({
    ...erasuresQuery(useOperator()),
    refetchInterval: ({ state }) => state.data?.items.some(({ status }) => status !== 'done') === true && REFRESH_MS,
  });
  return (
    <Page
      title={say('nav.erasures')}
      lead={say('erasures.lead')}
      actions={mayConfigure ? <EraseButton /> : <RoleNeeded actions={[[say('erasures.create'), 'configure']]} />}
    >
      <Card>
        {data === undefined ? (
          <>{error === null ? <LoadingState /> : <FailureState error={error} />}</>
        ) : (
          <>
            <PlainTable
              label={say('nav.erasures')}
              none={say('erasures.none')}
              rows={data.items.map((erasure) => ({
                [say('erasures.no')]: <Copyable value={erasure.erasure_no} name={say('erasures.no')} />,
                [say('field.status')]: <Progress erasure={erasure} />,
                [say('erasures.replaced')]: <RowCounts counts={erasure.counts} />,
                [say('erasures.remark')]: erasure.remark,
                [say('erasures.by')]: erasure.created_by,
                [say('erasures.requested')]: <Moment at={erasure.created_at} />,
                [say('erasures.done')]: <Moment at={erasure.done_at} />,
              }))}
            />
            {data.total > data.items.length && (
              <p className="soft">{say('erasures.newest', { shown: data.items.length, total: data.total })}</p>
            )}
          </>
        )}
      </Card>
    </Page>
  );
}

function Progress({ erasure: { status, waits_for } }: { readonly erasure: Erasure }): ReactElement {
  const say = useWords();
  return (
    <div className="nowrap">
      <StatusLabel status={status} />
      {waits_for !== null && (
        <div className="soft" title={waits_for}>
          {say('erasures.waits')}
        </div>
      )}
    </div>
  );
}

function EraseButton(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  return (
    <FormDialog
      label={say('erasures.create')}
      isPrimary
      fields={[
        { name: 'phone', label: say('field.phone'), hint: say('erasures.phoneHint'), kind: 'text', isRequired: true },
        {
          name: 'remark',
          label: say('erasures.remark'),
          hint: say('erasures.remarkHint'),
          kind: 'text',
          emptyIs: null,
        },
      ]}
      confirmation={{
        title: say('erasures.create'),
        hint: say('erasures.createHint'),
      }}
      onSubmit={(body) => operator.createErasure(body as unknown as ErasureRequest)}
    />
  );
}
