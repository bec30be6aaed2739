import type { Firm, FirmRequest } from '@postrider/client';
import type { ReactElement } from 'react';
import { useOperator } from '../../api/clients.js';
import { useMay } from '../../api/identity.js';
import { channelsOf, operatorFirmsOf } from '../../api/operator-lists.js';
import { useRows } from '../../api/rows.js';
import { inkOf } from '../../design/outcomes.js';
import type { Field } from '../../parts/forms/entity-form.js';
import { FormDialog } from '../../parts/forms/form-dialog.js';
import { Card, Page } from '../../parts/layout/page.js';
import { State } from '../../parts/layout/states.js';
import { type Column, RowsTable } from '../../parts/tables/rows-table.js';
import { Moment } from '../../parts/values/moment.js';
import { type Say, useWords } from '../../words/say.js';
import { RoleNeeded } from './role-needed.js';

function fieldsOf(say: Say, isNew: boolean): readonly Field[] {
  const code: Field = {
    name: 'firm',
    label: say('firms.code'),
    hint: say('firms.codeHint'),
    kind: 'text',
    isRequired: true,
  };
  return [
    ...(isNew ? [code] : []),
    { name: 'name', label: say('firms.name'), kind: 'text' },
    { name: 'prefixes', label: say('firms.prefixes'), hint: say('firms.prefixesHint'), kind: 'list' },
  ];
}

/** As numbers are written. */
function showPrefixes(prefixes: readonly string[]): string[] {
  return prefixes.map((prefix) => `+${prefix}`);
}

export function FirmsPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const mayConfigure = useMay('configure');
  const source = useRows(operatorFirmsOf(operator));
  const channels = useRows(channelsOf(operator));
  /** Known once all channels are: with more of them than one page, one of the others may serve it. */
  const isUnreached = ({ firm }: Firm): boolean =>
    !channels.isLoading &&
    !channels.hasMore &&
    !channels.rows.some(({ status, firms }) => status === 'active' && firms.includes(firm));
  const noteOf = (firm: Firm) => [
    firm.name,
    ...showPrefixes(firm.prefixes),
    ...(isUnreached(firm) ? [say('firms.unreached')] : []),
  ];
  const change: Column<Firm> = {
    id: 'change',
    title: '',
    width: '6.5rem',
    narrowWidth: '5.5rem',
    isEnd: true,
    render: (firm) => (
      <FormDialog
        label={say('form.change')}
        title={say('form.changeOf', { name: firm.name })}
        submit={say('form.save')}
        isChange
        isCompact
        fields={fieldsOf(say, false)}
        initial={{ ...firm }}
        onSubmit={(body) => operator.updateFirm(firm.firm, body)}
      />
    ),
  };
  return (
    <Page
      title={say('nav.firms')}
      lead={say('firms.lead')}
      actions={
        mayConfigure ? (
          <FormDialog
            label={say('firms.add')}
            isPrimary
            fields={fieldsOf(say, true)}
            onSubmit={(body) => operator.createFirm(body as unknown as FirmRequest)}
          />
        ) : (
          <RoleNeeded
            actions={[
              [say('firms.add'), 'configure'],
              [say('form.change'), 'configure'],
            ]}
          />
        )
      }
    >
      <Card isFlush>
        <RowsTable
          label={say('nav.firms')}
          source={source}
          keyOf={({ firm }) => firm}
          empty={<State icon="firms" title={say('firms.empty')} hint={say('firms.emptyHint')} />}
          columns={[
            {
              id: 'firm',
              title: say('firms.code'),
              width: 'minmax(6rem, 0.8fr)',
              narrowWidth: 'minmax(0, 1fr)',
              render: ({ firm }) => <code>{firm}</code>,
              renderNote: (firm) => noteOf(firm).join(' · '),
            },
            {
              id: 'name',
              title: say('firms.name'),
              width: 'minmax(7rem, 1.3fr)',
              isWideOnly: true,
              render: (firm) => (
                <>
                  <span title={firm.name}>{firm.name}</span>
                  {isUnreached(firm) && (
                    <span style={{ color: inkOf('undelivered') }} title={say('firms.unreachedHint')}>
                      {' · '}
                      {say('firms.unreached')}
                    </span>
                  )}
                </>
              ),
            },
            {
              id: 'prefixes',
              title: say('firms.prefixes'),
              width: 'minmax(0, 2fr)',
              isWideOnly: true,
              render: ({ prefixes }) =>
                prefixes.length === 0 ? (
                  <span className="soft">{say('firms.any')}</span>
                ) : (
                  <span title={showPrefixes(prefixes).join(', ')}>{showPrefixes(prefixes).join(', ')}</span>
                ),
            },
            {
              id: 'updated',
              title: say('record.changed'),
              width: '10.5rem',
              isEnd: true,
              isWideOnly: true,
              render: (firm) => <Moment at={firm.updated_at} />,
            },
            ...(mayConfigure ? [change] : []),
          ]}
        />
      </Card>
    </Page>
  );
}
