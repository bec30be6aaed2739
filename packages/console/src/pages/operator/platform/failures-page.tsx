// The message parts behind a count of an error code: whose they were, to whom, and in which task.

import type { Failure, FailureEvent } from '@postrider/client';
import { useParams } from '@tanstack/react-router';
import { type ReactElement, type ReactNode, useMemo } from 'react';
import { useOperator } from '../../../api/clients.js';
import type { FilterValues } from '../../../api/filter-values.js';
import { nameOf, useChannelNames } from '../../../api/names.js';
import { FAILURE_FILTERS, failuresOf } from '../../../api/operator-lists.js';
import { type RowsQuery, useRows } from '../../../api/rows.js';
import { ChoiceFilter, FilterBar, MomentFilter, TextFilter, useFilters } from '../../../parts/forms/filters.js';
import { BackLink } from '../../../parts/layout/back-link.js';
import { Card, Page } from '../../../parts/layout/page.js';
import { State } from '../../../parts/layout/states.js';
import { BELOW_FILTERS, type Column, RowsTable } from '../../../parts/tables/rows-table.js';
import { CodeLabel } from '../../../parts/values/code-label.js';
import { Moment } from '../../../parts/values/moment.js';
import { OutcomeLabel } from '../../../parts/values/outcome-label.js';
import { type Say, useWords } from '../../../words/say.js';
import { sayCode } from '../../../words/say-reason.js';
import styles from '../operator.module.css';
import { CustomerLink, OperatorPhoneLink, OperatorTaskLink } from '../operator-links.js';
import { outcomeOfEvent } from './error-codes.js';

const EVENTS: readonly FailureEvent[] = ['refused', 'unknown', 'undelivered', 'expired', 'rejected'];

function columnsOf(say: Say): readonly Column<Failure>[] {
  return [
    {
      id: 'phone',
      title: say('record.phone'),
      width: 'minmax(8.5rem, 1fr)',
      narrowWidth: 'minmax(0, 1.1fr)',
      render: ({ phone }) => <OperatorPhoneLink phone={phone} />,
      renderNote: ({ at }) => <Moment at={at} style="short" />,
    },
    {
      id: 'customer',
      title: say('app.customer'),
      width: 'minmax(0, 1fr)',
      render: ({ customer_no: customerNo }) => <CustomerLink customerNo={customerNo} />,
      renderNote: (failure) => <Task failure={failure} />,
    },
    {
      id: 'task',
      title: say('record.task'),
      width: 'minmax(9rem, 1.1fr)',
      isWideOnly: true,
      render: (failure) => <Task failure={failure} />,
    },
    {
      id: 'firm',
      title: say('record.firm'),
      width: 'minmax(4.5rem, 0.5fr)',
      isWideOnly: true,
      render: ({ firm }) => <span title={firm}>{firm}</span>,
    },
    {
      id: 'part',
      title: say('record.part'),
      width: '3.5rem',
      isEnd: true,
      isWideOnly: true,
      render: ({ part, parts }) => `${part} / ${parts}`,
    },
    {
      id: 'message',
      title: say('record.messageId'),
      width: 'minmax(9.5rem, 1.2fr)',
      isWideOnly: true,
      render: ({ upstream_message_id: id }) => <code title={id ?? ''}>{id ?? '–'}</code>,
    },
    {
      id: 'at',
      title: say('record.time'),
      width: '10.5rem',
      isEnd: true,
      isWideOnly: true,
      render: ({ at }) => <Moment at={at} />,
    },
  ];
}

function Task({ failure: { task_no: taskNo, seq } }: { readonly failure: Failure }): ReactElement {
  return (
    <OperatorTaskLink taskNo={taskNo}>
      {taskNo} #{seq}
    </OperatorTaskLink>
  );
}

export function FailuresPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const { channelNo = '' } = useParams({ strict: false });
  const filters = useFilters(FAILURE_FILTERS);
  const query = failuresOf(operator, channelNo, filters.values);
  return (
    <Page title={say('failures.title')} lead={say('failures.lead')} above={<BackToChannel channelNo={channelNo} />}>
      <FilterBar filters={filters}>
        <ChoiceFilter
          filters={filters}
          name="event"
          label={say('failures.event')}
          any={say('failures.choose')}
          choices={EVENTS.map((value) => ({ value, label: say(`failures.${value}`) }))}
        />
        <TextFilter filters={filters} name="code" label={say('record.code')} />
        <MomentFilter filters={filters} name="start_at" label={say('tasks.filter.from')} />
        <MomentFilter filters={filters} name="end_at" label={say('tasks.filter.until')} />
      </FilterBar>
      <Card isFlush title={query && <What values={filters.values} />}>
        {query === undefined ? (
          <State icon="filter" title={say('failures.incomplete')} hint={say('failures.incompleteHint')} />
        ) : (
          <FailureRows query={query} />
        )}
      </Card>
    </Page>
  );
}

/** Said once, above the rows: it is the same for all of them. */
function What({ values }: { readonly values: FilterValues<'event' | 'code'> }): ReactNode {
  const say = useWords();
  const event = EVENTS.find((one) => one === values.event);
  if (event === undefined || values.code === undefined) return say('failures.title');
  return (
    <>
      <OutcomeLabel outcome={outcomeOfEvent(event)} /> <CodeLabel code={values.code} />{' '}
      <span className={styles.meaning}>{sayCode(say, values.code)}</span>
    </>
  );
}

function BackToChannel({ channelNo }: { readonly channelNo: string }): ReactNode {
  const names = useChannelNames();
  return (
    <BackLink to={`/operator/channels/${encodeURIComponent(channelNo)}`}>
      {nameOf(names, channelNo) ?? channelNo}
    </BackLink>
  );
}

function FailureRows({ query }: { readonly query: RowsQuery<Failure> }): ReactElement {
  const say = useWords();
  const columns = useMemo(() => columnsOf(say), [say]);
  return (
    <RowsTable
      label={say('failures.title')}
      leastTop={BELOW_FILTERS}
      columns={columns}
      source={useRows(query)}
      keyOf={({ task_no: taskNo, seq, part, at }) => `${taskNo} ${seq} ${part} ${at}`}
      empty={<State icon="check" title={say('failures.empty')} hint={say('failures.emptyHint')} />}
    />
  );
}
