// The history of a number for an operator, over all customers.

import type { NumberCustomer, Page as PageOf } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactElement, useMemo } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { numberOwnersQuery } from '../../../api/number-owners.js';
import { PAGE_SIZE, type Rows } from '../../../api/rows.js';
import { Button } from '../../../parts/controls/button.js';
import { Card, Page } from '../../../parts/layout/page.js';
import { ProblemText, State } from '../../../parts/layout/states.js';
import { RowLink } from '../../../parts/tables/row-link.js';
import { BELOW_FILTERS, type Column, RowsTable } from '../../../parts/tables/rows-table.js';
import { Moment } from '../../../parts/values/moment.js';
import { OutcomeLabel, type ShownOutcome } from '../../../parts/values/outcome-label.js';
import { type Say, useWords } from '../../../words/say.js';
import { NumberSearch } from '../../number/number-search.js';
import styles from '../operator.module.css';
import { OperatorTaskLink } from '../operator-links.js';
import { RoleNeeded } from '../role-needed.js';
import { useView, type View } from '../view.js';

export function OperatorNumberPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const navigate = useNavigate();
  const mayView = useMay('view');
  const { isPending: isOpening, error: refusal, open } = useView();
  const columns = useMemo(
    () => columnsOf(say, mayView ? { isOpening, open } : undefined),
    [say, mayView, isOpening, open],
  );
  const { phone = '' } = useParams({ strict: false });
  const { data, error, isPending, refetch } = useQuery({
    ...numberOwnersQuery(operator, phone),
    enabled: phone !== '',
  });
  const find = (wanted: string) => {
    if (wanted === phone) void refetch();
    else void navigate({ to: '/operator/numbers/$phone', params: { phone: wanted } });
  };
  return (
    <Page
      title={phone === '' ? say('nav.numbers') : phone}
      lead={say('whose.lead')}
      actions={<RoleNeeded actions={[[say('whose.history'), 'view']]} />}
    >
      <NumberSearch phone={phone} onFind={find} />
      {refusal !== null && <ProblemText error={refusal} />}
      {phone === '' ? (
        <Card>
          <State icon="search" title={say('number.ask')} hint={say('number.askHint')} />
        </Card>
      ) : (
        <Card isFlush>
          <RowsTable
            label={say('nav.customers')}
            columns={columns}
            source={rowsOf(data, error, isPending)}
            keyOf={(row) => String(row.customer_no)}
            rowHeight={56}
            leastTop={BELOW_FILTERS}
            mayBeMissing
            empty={<NothingKnown phone={phone} />}
          />
        </Card>
      )}
      {data !== undefined && data.next_cursor !== null && (
        <p className="soft">{say('whose.more', { count: PAGE_SIZE })}</p>
      )}
    </Page>
  );
}

/** What has no digit was no number to begin with. */
function NothingKnown({ phone }: { readonly phone: string }): ReactElement {
  const say = useWords();
  if (!/\d/.test(phone)) return <State icon="search" title={say('whose.noNumber')} hint={say('number.askHint')} />;
  return <State icon="empty" title={say('whose.nothing')} hint={say('whose.nothingHint')} />;
}

function rowsOf(
  data: PageOf<NumberCustomer> | undefined,
  error: Error | null,
  isLoading: boolean,
): Rows<NumberCustomer> {
  return {
    rows: data?.items ?? [],
    total: data?.total,
    isTotalExact: data?.total_is_exact ?? true,
    error: data === undefined ? error : null,
    isLoading,
    isChanging: false,
    hasMore: false,
    loadMore: () => undefined,
  };
}

/** As the customer finds it: the number as it wrote it, and a reply's address in full. */
function phoneFor({ event, phone }: NumberCustomer): string {
  return event === 'uplink' && /^\d+$/.test(phone) ? `+${phone}` : phone;
}

/** Opens what the number has of a customer. */
interface Opener {
  readonly isOpening: boolean;
  readonly open: View['open'];
}

function columnsOf(say: Say, opener: Opener | undefined): readonly Column<NumberCustomer>[] {
  const columns: readonly Column<NumberCustomer>[] = [
    {
      id: 'customer',
      title: say('app.customer'),
      width: 'minmax(8rem, 1.4fr)',
      narrowWidth: 'minmax(0, 1fr)',
      render: (row) => (
        <span className={styles.lines}>
          <RowLink to="/operator/customers" name={row.customer_no ?? ''} title={row.name ?? ''}>
            {row.name}
          </RowLink>
          {row.opted_out_at !== null && (
            <span className="soft">
              {say('whose.optedOut')} <Moment at={row.opted_out_at} style="minute" />
            </span>
          )}
        </span>
      ),
      renderNote: (row) => <LastEvent row={row} />,
    },
    {
      id: 'last',
      title: say('whose.last'),
      width: 'minmax(0, 1.4fr)',
      isWideOnly: true,
      render: (row) => <LastEvent row={row} />,
    },
    {
      id: 'task',
      title: say('record.task'),
      width: '9rem',
      isWideOnly: true,
      render: ({ task_no: taskNo }) => <OperatorTaskLink taskNo={taskNo} />,
    },
    {
      id: 'at',
      title: say('record.time'),
      width: '10.5rem',
      isEnd: true,
      isWideOnly: true,
      render: ({ at }) => <Moment at={at} />,
    },
    {
      id: 'history',
      title: '',
      width: '8.5rem',
      narrowWidth: '8rem',
      isEnd: true,
      render: (row) => {
        const { customer_no: customerNo } = row;
        if (customerNo === null) return null;
        const to = `/numbers/${encodeURIComponent(phoneFor(row))}`;
        return (
          <Button
            look="bordered"
            size="small"
            disabled={opener?.isOpening}
            onClick={() => opener?.open({ customerNo, to })}
          >
            {say('whose.history')}
          </Button>
        );
      },
      renderNote: ({ at }) => <Moment at={at} style="minute" />,
    },
  ];
  return opener === undefined ? columns.slice(0, -1) : columns;
}

function LastEvent({ row }: { readonly row: NumberCustomer }): ReactElement {
  const say = useWords();
  return (
    <>
      {say(`whose.${row.event}`)} {row.status !== null && <OutcomeLabel outcome={row.status as ShownOutcome} />}{' '}
      {row.code !== null && <code>{row.code}</code>}
    </>
  );
}
