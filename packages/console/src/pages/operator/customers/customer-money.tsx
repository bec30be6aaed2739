import { Stack } from '@mantine/core';
import type { Customer, LedgerEntry, MoneyRequest } from '@postrider/client';
import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { PAGE_SIZE, useRows } from '../../../api/rows.js';
import { FormDialog } from '../../../parts/forms/form-dialog.js';
import { Card } from '../../../parts/layout/page.js';
import { LoadingState, State } from '../../../parts/layout/states.js';
import { RowsTable } from '../../../parts/tables/rows-table.js';
import { useWords } from '../../../words/say.js';
import { creditFields } from '../money/credit-fields.js';
import { RoleNeeded } from '../role-needed.js';
import { creditColumns } from './credit-columns.js';

/** Top-ups and adjustments: what the operator puts into an account or takes out. */
export function CustomerMoney({ customer }: { readonly customer: Customer }): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const mayCredit = useMay('credit');
  const no = customer.customer_no;
  const topUps = useRows<LedgerEntry>({
    key: ['topups', no],
    list: (signal) => operator.topUps(no, { pageSize: PAGE_SIZE, signal }),
  });
  const adjustments = useRows<LedgerEntry>({
    key: ['adjustments', no],
    list: (signal) => operator.adjustments(no, { pageSize: PAGE_SIZE, signal }),
  });
  const columns = creditColumns(say);
  // Both at once: the lower one would be moved by the upper one.
  if (topUps.isLoading || adjustments.isLoading) return <LoadingState lines={8} />;
  return (
    <Stack>
      <Card
        title={say('credits.topUps')}
        isFlush
        side={
          mayCredit ? (
            <FormDialog
              label={say('credits.topUp')}
              isPrimary
              fields={creditFields(say, customer.currency)}
              onSubmit={(body) => operator.topUp(no, body as unknown as MoneyRequest)}
            />
          ) : (
            <RoleNeeded actions={[[say('credits.topUp'), 'credit']]} />
          )
        }
      >
        <RowsTable
          label={say('credits.topUps')}
          columns={columns}
          source={topUps}
          keyOf={(entry) => entry.ledger_no}
          empty={<State icon="ledger" title={say('credits.noTopUps')} />}
        />
      </Card>
      <Card
        title={say('credits.adjustments')}
        isFlush
        side={
          mayCredit ? (
            <FormDialog
              label={say('credits.adjust')}
              fields={creditFields(say, say('credits.adjustHint'))}
              onSubmit={(body) => operator.adjust(no, body as unknown as MoneyRequest)}
            />
          ) : (
            <RoleNeeded actions={[[say('credits.adjust'), 'credit']]} />
          )
        }
      >
        <RowsTable
          label={say('credits.adjustments')}
          columns={columns}
          source={adjustments}
          keyOf={(entry) => entry.ledger_no}
          empty={<State icon="ledger" title={say('credits.noAdjustments')} />}
        />
      </Card>
    </Stack>
  );
}
