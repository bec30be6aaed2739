// Numbers that wait for a decision: what is known of each, and the two words that end them, one by one or many at once.

import { Modal } from '@mantine/core';
import type { UnknownPart } from '@postrider/client';
import { useMutation } from '@tanstack/react-query';
import { type ReactElement, useMemo, useState } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { UNKNOWN_FILTERS, unknownOf } from '../../../api/operator-lists.js';
import { readAllRows, useRows } from '../../../api/rows.js';
import { Button } from '../../../parts/controls/button.js';
import { FilterBar, NothingFound, TextFilter, useFilters } from '../../../parts/forms/filters.js';
import { Card, Page } from '../../../parts/layout/page.js';
import { ProblemText, State } from '../../../parts/layout/states.js';
import { ListTools, useShownColumns } from '../../../parts/tables/list-tools.js';
import { BELOW_FILTERS, type Column, RowsTable } from '../../../parts/tables/rows-table.js';
import { type Selection, SelectionBar, selectionColumn, useSelection } from '../../../parts/tables/selection.js';
import { Moment } from '../../../parts/values/moment.js';
import { type Say, useWords } from '../../../words/say.js';
import styles from '../operator.module.css';
import { ChannelFilter, CustomerFilter } from '../operator-filters.js';
import { ChannelLink, CustomerLink, OperatorPhoneLink, OperatorTaskLink } from '../operator-links.js';
import { RoleNeeded } from '../role-needed.js';
import { ResolveForm, sayAmounts } from './resolve-form.js';
import { sumUnknown } from './resolving.js';

/** Under which the choices of its columns and filters are kept. */
const LIST = 'unknown';

/** As many as are decided on at once: one call for each of their tasks. */
const MOST_SELECTED = 5_000;

function keyOf({ task_no: taskNo, seq, part }: UnknownPart): string {
  return `${taskNo} ${seq} ${part}`;
}

function columnsOf(say: Say): readonly Column<UnknownPart>[] {
  return [
    {
      id: 'phone',
      title: say('record.phone'),
      width: 'minmax(9rem, 0.8fr)',
      narrowWidth: 'minmax(0, 1.3fr)',
      render: (part) => (
        <span className={styles.lines}>
          <OperatorPhoneLink phone={part.phone} />
          <OperatorTaskLink taskNo={part.task_no}>
            {part.task_no} #{part.seq}
          </OperatorTaskLink>
        </span>
      ),
      renderNote: ({ text }) => text,
    },
    {
      id: 'text',
      title: say('unknownPage.text'),
      width: 'minmax(0, 1.6fr)',
      isWideOnly: true,
      render: ({ text }) => <span title={text ?? ''}>{text}</span>,
    },
    {
      id: 'customer',
      title: say('app.customer'),
      width: 'minmax(0, 0.8fr)',
      render: ({ customer_no: customerNo }) => <CustomerLink customerNo={customerNo} />,
      renderNote: ({ channel_no: channelNo }) => <ChannelLink channelNo={channelNo} />,
    },
    {
      id: 'channel',
      title: say('field.channel_no'),
      width: 'minmax(0, 0.9fr)',
      isWideOnly: true,
      render: ({ channel_no: channelNo }) => <ChannelLink channelNo={channelNo} />,
    },
    {
      id: 'message',
      title: say('unknownPage.messageId'),
      width: 'minmax(0, 0.8fr)',
      isWideOnly: true,
      render: ({ upstream_message_id: id }) =>
        id === null ? <span className="soft">{say('unknownPage.noMessageId')}</span> : <code title={id}>{id}</code>,
    },
    {
      id: 'deadline',
      title: say('unknownPage.deadline'),
      width: '13.5rem',
      isEnd: true,
      isWideOnly: true,
      render: ({ deadline }) => <Moment at={deadline} style="minute" />,
    },
  ];
}

function withChoices(
  say: Say,
  columns: readonly Column<UnknownPart>[],
  selection: Selection<UnknownPart>,
  onResolve: (part: UnknownPart) => void,
): readonly Column<UnknownPart>[] {
  return [
    selectionColumn(say, selection, { nameOf: ({ phone, task_no: taskNo, seq }) => `${phone ?? taskNo} #${seq}` }),
    ...columns,
    {
      id: 'resolve',
      title: '',
      width: '6.5rem',
      narrowWidth: '5.25rem',
      isEnd: true,
      render: (part) => (
        <Button size="small" look="bordered" onClick={() => onResolve(part)}>
          {say('unknownPage.resolve')}
        </Button>
      ),
    },
  ];
}

export function UnknownPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const mayResolve = useMay('resolve');
  const filters = useFilters(UNKNOWN_FILTERS);
  const query = unknownOf(operator, filters.values);
  const source = useRows(query);
  const selection = useSelection(keyOf, filters.values);
  const [chosen, setChosen] = useState<readonly UnknownPart[]>([]);
  const plain = useMemo(() => columnsOf(say), [say]);
  const shown = useShownColumns(LIST, plain);
  const columns = useMemo(
    () => (mayResolve ? withChoices(say, shown, selection, (part) => setChosen([part])) : shown),
    [mayResolve, say, shown, selection],
  );
  const readAll = useMutation({
    mutationFn: () => readAllRows(query, MOST_SELECTED, new AbortController().signal),
    onSuccess: selection.replace,
  });
  const total = source.total ?? source.rows.length;
  const isAll = source.isTotalExact && total <= MOST_SELECTED;
  const sum = sumUnknown(selection.rows);
  const finish = (failed: ReadonlySet<string>) => {
    selection.replace(selection.rows.filter((part) => failed.has(part.task_no)));
    if (failed.size === 0) setChosen([]);
  };
  return (
    <Page
      title={say('nav.unknown')}
      lead={say('unknownPage.lead')}
      actions={<RoleNeeded actions={[[say('unknownPage.resolve'), 'resolve']]} />}
    >
      <FilterBar filters={filters} tools={<ListTools list={LIST} columns={plain} filters={filters} />}>
        <CustomerFilter filters={filters} />
        <ChannelFilter filters={filters} />
        <TextFilter filters={filters} name="task_no" label={say('record.task')} />
      </FilterBar>
      {readAll.error !== null && <ProblemText error={readAll.error} />}
      <Card isFlush>
        {mayResolve && source.rows.length > 0 && (
          <SelectionBar
            selection={selection}
            marked={say('unknownPage.marked', { count: sum.numbers, tasks: sum.tasks, amount: sayAmounts(say, sum) })}
            total={
              isAll ? say('unknownPage.all', { count: total }) : say('unknownPage.allAtMost', { count: MOST_SELECTED })
            }
            isReading={readAll.isPending}
            onSelectAll={() => readAll.mutate()}
          >
            {sum.numbers > 0 && (
              <Button size="small" onClick={() => setChosen(selection.rows)}>
                {say('unknownPage.resolveMany', { count: sum.numbers })}
              </Button>
            )}
          </SelectionBar>
        )}
        <RowsTable
          label={say('nav.unknown')}
          columns={columns}
          source={source}
          keyOf={keyOf}
          rowHeight={56}
          leastTop={BELOW_FILTERS}
          mayBeMissing
          empty={
            <NothingFound filters={filters}>
              <State icon="check" title={say('unknownPage.empty')} hint={say('unknownPage.emptyHint')} />
            </NothingFound>
          }
        />
      </Card>
      <Modal
        opened={chosen.length > 0}
        onClose={() => setChosen([])}
        title={say('unknownPage.resolveMany', { count: sumUnknown(chosen).numbers })}
        closeButtonProps={{ 'aria-label': say('action.close') }}
      >
        {chosen.length > 0 && <ResolveForm parts={chosen} onDone={finish} />}
      </Modal>
    </Page>
  );
}
