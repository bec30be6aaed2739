// Movements of money, one by one or with those of a task together.

import type { LedgerEntry } from '@postrider/client';
import type { ReactElement } from 'react';
import { showCount } from '../../format/count.js';
import { addAmounts, isZero, showAmount } from '../../format/money.js';
import { type Say, useWords } from '../../words/say.js';
import { Button } from '../controls/button.js';
import { Amount } from '../values/amount.js';
import labels from '../values/labels.module.css';
import { Moment } from '../values/moment.js';
import { Remark } from '../values/remark.js';
import { TitleOrName } from '../values/title-or-name.js';
import { optionalColumn } from './optional-column.js';
import { momentColumn } from './record-columns.js';
import { RowLink } from './row-link.js';
import type { Column } from './rows-table.js';

/** An entry, or those of one task under the newest of them. */
export interface LedgerLine {
  readonly entry: LedgerEntry;
  /** All of the task, newest first; undefined for a line that is one entry. */
  readonly group?: readonly LedgerEntry[];
  /** The first entry of the task may be on a page that is not read yet. */
  readonly isPartial?: boolean;
  readonly isOpen?: boolean;
  readonly isInner?: boolean;
}

/** The entries of each task at the place of the newest, the open ones with their entries below. */
export function groupByTask(
  entries: readonly LedgerEntry[],
  { isOpen, hasMore }: { readonly isOpen: (taskNo: string) => boolean; readonly hasMore: boolean },
): readonly LedgerLine[] {
  const byTask = new Map<string | number, LedgerEntry[]>();
  for (const entry of entries) {
    const key = entry.task_no ?? entry.seq;
    const group = byTask.get(key);
    if (group === undefined) byTask.set(key, [entry]);
    else group.push(entry);
  }
  return [...byTask].flatMap(([task, group]): LedgerLine[] => {
    const [entry] = group;
    if (entry === undefined) return [];
    if (group.length === 1 || typeof task !== 'string') return group.map((one) => ({ entry: one }));
    // The first entry of every task reserves its price.
    const isPartial = hasMore && !group.some(({ type }) => type === 'freeze');
    const head = { entry, group, isPartial, isOpen: isOpen(task) };
    return head.isOpen ? [head, ...group.map((one) => ({ entry: one, isInner: true }))] : [head];
  });
}

/** What it does to the balance that it moves, with its sign: a charge takes what was reserved. */
function moveOf({ available_delta: available, frozen_delta: frozen }: LedgerEntry): string {
  return isZero(available) ? frozen : available;
}

function nameOf({ title, client_request_id: requestId, task_no: taskNo }: LedgerEntry): string {
  return title ?? requestId ?? taskNo ?? '';
}

/** What an entry is for: its task, or what the operator remarked. */
function Reason({ entry }: { readonly entry: LedgerEntry }): ReactElement {
  if (entry.task_no !== null) {
    return (
      <RowLink to="/tasks" name={entry.task_no}>
        <TitleOrName title={entry.title} name={nameOf(entry)} />
      </RowLink>
    );
  }
  return entry.remark ? <Remark text={entry.remark} /> : <span className="soft">–</span>;
}

/** Leads to the task, and as the first link of its row takes the row along: on a phone there is no column for the task. */
function EntrySeq({ entry, hasTask }: { readonly entry: LedgerEntry; readonly hasTask: boolean }): ReactElement {
  const say = useWords();
  if (!hasTask || entry.task_no === null) return <span className="soft">#{entry.seq}</span>;
  return (
    <RowLink to="/tasks" name={entry.task_no} title={`${say('record.task')} ${nameOf(entry)}`}>
      #{entry.seq}
    </RowLink>
  );
}

/** When it was, and below that what the operator remarked. */
function EntryNote({ entry, hasTask }: { readonly entry: LedgerEntry; readonly hasTask: boolean }): ReactElement {
  const at = <Moment at={entry.created_at} style="short" />;
  const about =
    entry.task_no === null ? entry.remark && <Remark text={entry.remark} /> : hasTask && <span>{nameOf(entry)}</span>;
  if (!about) return at;
  return (
    <span className={labels.twoLines}>
      {at}
      {about}
    </span>
  );
}

interface GroupTypeProps {
  readonly line: LedgerLine;
  readonly onToggle: (taskNo: string) => void;
}

/** How many entries there are, which a press shows. */
function LineType({ line: { entry, group, isOpen = false, isInner = false }, onToggle }: GroupTypeProps): ReactElement {
  const say = useWords();
  if (group === undefined) {
    const text = <span title={entry.remark ?? ''}>{say(`ledger.${entry.type}`)}</span>;
    return isInner ? <span className={labels.inner}>{text}</span> : text;
  }
  return (
    <Button
      look="words"
      size="tiny"
      className={labels.toggle}
      aria-expanded={isOpen}
      onClick={() => entry.task_no !== null && onToggle(entry.task_no)}
    >
      {say('ledgerPage.entries', { count: group.length })} {isOpen ? '▴' : '▾'}
    </Button>
  );
}

function LineAmount({ line: { entry, group, isPartial } }: { readonly line: LedgerLine }): ReactElement {
  const say = useWords();
  if (group === undefined) return <Amount value={moveOf(entry)} isSigned />;
  if (isPartial) return <span title={say('ledgerPage.partial')}>…</span>;
  return <Amount value={addAmounts('0', ...group.map(({ available_delta: delta }) => delta))} isSigned />;
}

interface LedgerColumns {
  /** Entries of several tasks. */
  readonly hasTask: boolean;
  readonly onToggle?: (taskNo: string) => void;
}

export function ledgerColumns(
  say: Say,
  { hasTask, onToggle = () => {} }: LedgerColumns,
): readonly Column<LedgerLine>[] {
  const reason: Column<LedgerLine> = {
    id: 'task',
    title: say('record.taskOrRemark'),
    width: 'minmax(7.5rem, 1.2fr)',
    isWideOnly: true,
    render: ({ entry }) => <Reason entry={entry} />,
  };
  return [
    {
      id: 'seq',
      title: say('record.seq'),
      width: '5rem',
      narrowWidth: '4.75rem',
      render: ({ entry }) => <EntrySeq entry={entry} hasTask={hasTask} />,
    },
    {
      id: 'type',
      title: say('record.type'),
      width: 'minmax(5.5rem, 0.7fr)',
      render: (line) => <LineType line={line} onToggle={onToggle} />,
      renderNote: ({ entry }) => <EntryNote entry={entry} hasTask={hasTask} />,
    },
    ...(hasTask ? [reason] : []),
    {
      id: 'numbers',
      title: say('record.numbers'),
      width: '4.5rem',
      isEnd: true,
      isWideOnly: true,
      render: ({ entry: { numbers }, group }) => (numbers === null || group !== undefined ? '–' : showCount(numbers)),
    },
    {
      id: 'amount',
      title: say('record.amount'),
      width: 'minmax(7rem, 0.7fr)',
      narrowWidth: '9rem',
      isEnd: true,
      render: (line) => <LineAmount line={line} />,
      renderNote: ({ entry }) => say('record.balance', { amount: showAmount(entry.available_after) }),
    },
    {
      id: 'available',
      title: say('record.availableAfter'),
      width: 'minmax(7.25rem, 0.8fr)',
      isEnd: true,
      isWideOnly: true,
      render: ({ entry }) => <Amount value={entry.available_after} />,
    },
    {
      id: 'frozen',
      title: say('record.frozenAfter'),
      width: 'minmax(7rem, 0.7fr)',
      isEnd: true,
      isWideOnly: true,
      render: ({ entry }) => <Amount value={entry.frozen_after} />,
    },
    momentColumn('time', say('record.time'), ({ entry }) => entry.created_at),
    ...(hasTask
      ? [
          optionalColumn<LedgerLine>('number', say('ledgerPage.number'), '9.5rem', ({ entry, group }) =>
            group === undefined ? <code>{entry.ledger_no}</code> : null,
          ),
          optionalColumn<LedgerLine>(
            'request',
            say('tasks.filter.requestId'),
            'minmax(5rem, 0.6fr)',
            ({ entry }) => entry.client_request_id,
          ),
        ]
      : []),
  ];
}

export function keyOfLine({ entry, group }: LedgerLine): string {
  return group === undefined ? entry.ledger_no : `${entry.task_no}`;
}
