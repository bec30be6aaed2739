// The numbers that no cap of a customer applies to, such as those of testers.

import type { CapExemption } from '@postrider/client';
import { type ReactElement, useMemo } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { PAGE_SIZE, useRows } from '../../../api/rows.js';
import { FormDialog } from '../../../parts/forms/form-dialog.js';
import { Card } from '../../../parts/layout/page.js';
import { State } from '../../../parts/layout/states.js';
import { removalColumn } from '../../../parts/tables/removal-column.js';
import { type Column, RowsTable } from '../../../parts/tables/rows-table.js';
import { Moment } from '../../../parts/values/moment.js';
import { type Say, useWords } from '../../../words/say.js';
import { RoleNeeded } from '../role-needed.js';

export function CapExemptions({ customerNo }: { readonly customerNo: string }): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const mayConfigure = useMay('configure');
  const source = useRows<CapExemption>({
    key: ['cap-exemptions', customerNo],
    list: (signal) => operator.capExemptions(customerNo, { pageSize: PAGE_SIZE, signal }),
  });
  const columns = useMemo(() => {
    const removal = removalColumn(({ phone }: CapExemption) => ({
      label: say('rules.remove'),
      title: say('rules.removeOf', { name: phone }),
      hint: say('rules.removeExemptionHint'),
      onConfirm: () => operator.removeCapExemption(customerNo, phone),
    }));
    return mayConfigure ? [...exemptionColumns(say), removal] : exemptionColumns(say);
  }, [say, mayConfigure, operator, customerNo]);
  const phoneField = {
    name: 'phone',
    label: say('record.phone'),
    hint: say('rules.exemptHint'),
    kind: 'text',
    isRequired: true,
  } as const;
  return (
    <Card
      isFlush
      title={say('rules.exemptions')}
      side={
        mayConfigure ? (
          <FormDialog
            label={say('rules.exempt')}
            fields={[phoneField]}
            onSubmit={({ phone }) => operator.addCapExemption(customerNo, String(phone))}
          />
        ) : (
          <RoleNeeded actions={[[say('rules.exempt'), 'configure']]} />
        )
      }
    >
      <RowsTable
        label={say('rules.exemptions')}
        source={source}
        columns={columns}
        keyOf={({ phone }) => phone}
        empty={<State icon="check" title={say('rules.noExemptions')} />}
      />
    </Card>
  );
}

function exemptionColumns(say: Say): readonly Column<CapExemption>[] {
  return [
    {
      id: 'phone',
      title: say('record.phone'),
      width: 'minmax(9rem, 1fr)',
      narrowWidth: 'minmax(0, 1fr)',
      render: ({ phone }) => <span className="mono">{phone}</span>,
    },
    {
      id: 'created',
      title: say('channels.since'),
      width: '10.5rem',
      isEnd: true,
      isWideOnly: true,
      render: ({ created_at: at }) => <Moment at={at} />,
    },
  ];
}
