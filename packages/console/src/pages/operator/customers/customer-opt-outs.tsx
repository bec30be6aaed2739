// The numbers that a customer may not send to, since when, and whether their owner or an operator said so; put on the list and
// taken off it.

import type { OptOut } from '@postrider/client';
import { type ReactElement, useMemo } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { PAGE_SIZE, useRows } from '../../../api/rows.js';
import { FilterBar, NothingFound, TextFilter, useFilters } from '../../../parts/forms/filters.js';
import { FormDialog } from '../../../parts/forms/form-dialog.js';
import { Card } from '../../../parts/layout/page.js';
import { State } from '../../../parts/layout/states.js';
import { optOutColumns } from '../../../parts/tables/opt-out-columns.js';
import { removalColumn } from '../../../parts/tables/removal-column.js';
import { RowsTable } from '../../../parts/tables/rows-table.js';
import { useWords } from '../../../words/say.js';
import { RoleNeeded } from '../role-needed.js';

export function CustomerOptOuts({ customerNo }: { readonly customerNo: string }): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const mayConfigure = useMay('configure');
  const { set, ...others } = useFilters(['phone'] as const);
  // The tab around it is in the address, too, and stays.
  const filters = { ...others, set, clear: () => set('phone', null) };
  const { phone } = filters.values;
  const source = useRows<OptOut>({
    key: ['customer-opt-outs', customerNo, phone],
    list: (signal) =>
      operator.optOuts(customerNo, { pageSize: PAGE_SIZE, signal, ...(phone === undefined ? {} : { phone }) }),
  });
  const columns = useMemo(() => {
    const shown = optOutColumns(say, (number) => <span className="mono">{number}</span>);
    const removal = removalColumn(({ phone: number, source: by }: OptOut) => ({
      label: say('customers.removeOptOut'),
      title: say('customers.removeOptOutOf', { phone: number }),
      hint: say(by === 'uplink' ? 'customers.removeOptOutOfOwner' : 'customers.removeOptOutHint'),
      onConfirm: () => operator.removeOptOut(customerNo, number),
    }));
    return mayConfigure ? [...shown, removal] : shown;
  }, [say, mayConfigure, operator, customerNo]);
  return (
    <>
      <FilterBar filters={filters}>
        <TextFilter filters={filters} name="phone" label={say('record.phone')} />
      </FilterBar>
      <Card
        isFlush
        title={say('customers.tab.optOuts')}
        side={
          mayConfigure ? (
            <FormDialog
              label={say('customers.addOptOut')}
              fields={[
                {
                  name: 'phone',
                  label: say('record.phone'),
                  hint: say('customers.addOptOutHint'),
                  kind: 'text',
                  isRequired: true,
                },
              ]}
              onSubmit={({ phone: added }) => operator.addOptOut(customerNo, String(added))}
            />
          ) : (
            <RoleNeeded
              actions={[
                [say('customers.addOptOut'), 'configure'],
                [say('customers.removeOptOut'), 'configure'],
              ]}
            />
          )
        }
      >
        <RowsTable
          label={say('customers.tab.optOuts')}
          source={source}
          columns={columns}
          keyOf={(optOut) => optOut.phone}
          empty={
            <NothingFound filters={filters}>
              <State icon="check" title={say('customers.noOptOuts')} hint={say('customers.noOptOutsHint')} />
            </NothingFound>
          }
        />
      </Card>
    </>
  );
}
