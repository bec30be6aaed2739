// The columns of the records that several pages show, so that a record looks the same everywhere.

import type { DeliveryRecord, LedgerEntry, Receipt, SubmitRecord } from '@postrider/client';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Say } from '../words/say.js';
import { Amount } from './amount.js';
import { Moment } from './moment.js';
import { OutcomeLabel } from './outcome-label.js';
import type { Column } from './rows-table.js';

export function PhoneLink({ phone }: { readonly phone: string }): ReactElement {
  return (
    <Link to="/numbers/$phone" params={{ phone }} className="mono">
      {phone}
    </Link>
  );
}

export function TaskLink({ taskNo }: { readonly taskNo: string }): ReactElement {
  return (
    <Link to="/tasks/$taskNo" params={{ taskNo }} className="mono">
      {taskNo}
    </Link>
  );
}

export function receiptColumns(say: Say): readonly Column<Receipt>[] {
  return [
    {
      id: 'phone',
      title: say('record.phone'),
      width: 'minmax(7rem, 0.7fr)',
      render: ({ phone }) => <PhoneLink phone={phone} />,
    },
    {
      id: 'result',
      title: say('record.result'),
      width: 'minmax(7.5rem, 0.6fr)',
      render: ({ result }) => <OutcomeLabel outcome={result} />,
    },
    {
      id: 'code',
      title: say('record.code'),
      width: 'minmax(5.5rem, 0.6fr)',
      render: ({ code }) => <code>{code ?? '–'}</code>,
    },
    {
      id: 'description',
      title: say('record.description'),
      width: 'minmax(0, 2fr)',
      isWideOnly: true,
      render: ({ description }) => <span title={description}>{description}</span>,
    },
    { id: 'parts', title: say('record.parts'), width: '3rem', isEnd: true, isWideOnly: true, render: (r) => r.parts },
    {
      id: 'price',
      title: say('record.price'),
      width: '6rem',
      isEnd: true,
      isWideOnly: true,
      render: ({ price }) => <Amount value={price} />,
    },
    {
      id: 'received',
      title: say('record.received'),
      width: '10.5rem',
      isEnd: true,
      isWideOnly: true,
      render: (receipt) => <Moment at={receipt.received_at} />,
    },
  ];
}

/** What a submit and a delivery record have in common: which part of which number, and the name it has upstream. */
function wireColumns<Row extends SubmitRecord | DeliveryRecord>(say: Say): readonly Column<Row>[] {
  return [
    {
      id: 'phone',
      title: say('record.phone'),
      width: 'minmax(8.5rem, 1fr)',
      render: ({ phone }) => <PhoneLink phone={phone} />,
    },
    {
      id: 'status',
      title: say('record.status'),
      width: 'minmax(7.5rem, 0.8fr)',
      render: ({ status }) => <OutcomeLabel outcome={status} />,
    },
    { id: 'code', title: say('record.code'), width: '7rem', render: ({ code }) => <code>{code ?? '–'}</code> },
    {
      id: 'part',
      title: say('record.part'),
      width: '3.5rem',
      isEnd: true,
      isWideOnly: true,
      render: ({ part, parts }) => `${part} / ${parts}`,
    },
    { id: 'firm', title: say('record.firm'), width: '5rem', isWideOnly: true, render: ({ firm }) => firm },
    {
      id: 'message',
      title: say('record.messageId'),
      width: 'minmax(0, 1.5fr)',
      isWideOnly: true,
      render: (row) => <code title={row.upstream_message_id ?? ''}>{row.upstream_message_id ?? '–'}</code>,
    },
  ];
}

function momentColumn<Row>(id: string, title: string, momentOf: (row: Row) => string | null): Column<Row> {
  return { id, title, width: '10.5rem', isEnd: true, isWideOnly: true, render: (row) => <Moment at={momentOf(row)} /> };
}

export function submitColumns(say: Say): readonly Column<SubmitRecord>[] {
  return [
    ...wireColumns<SubmitRecord>(say),
    momentColumn('submitted', say('record.submitted'), (row) => row.submitted_at),
  ];
}

export function deliveryColumns(say: Say): readonly Column<DeliveryRecord>[] {
  return [
    ...wireColumns<DeliveryRecord>(say),
    momentColumn('received', say('record.received'), (row) => row.received_at),
  ];
}

export function ledgerColumns(say: Say, hasTask: boolean): readonly Column<LedgerEntry>[] {
  const taskColumn: Column<LedgerEntry> = {
    id: 'task',
    title: say('record.task'),
    width: 'minmax(7rem, 1.4fr)',
    isWideOnly: true,
    render: (entry) => (entry.task_no === null ? <span className="soft">–</span> : <TaskLink taskNo={entry.task_no} />),
  };
  return [
    {
      id: 'seq',
      title: say('record.seq'),
      width: '3rem',
      narrowWidth: '2.5rem',
      render: ({ seq }) => <span className="soft">#{seq}</span>,
    },
    {
      id: 'type',
      title: say('record.type'),
      width: 'minmax(5.5rem, 1fr)',
      render: ({ type, remark }) => <span title={remark ?? ''}>{say(`ledger.${type}`)}</span>,
    },
    ...(hasTask ? [taskColumn] : []),
    {
      id: 'numbers',
      title: say('record.numbers'),
      width: '4.5rem',
      isEnd: true,
      isWideOnly: true,
      render: ({ numbers }) => numbers?.toLocaleString('en') ?? '–',
    },
    {
      id: 'amount',
      title: say('record.amount'),
      width: '6.5rem',
      narrowWidth: '7rem',
      isEnd: true,
      render: ({ amount }) => <Amount value={amount} />,
    },
    {
      id: 'available',
      title: say('record.availableAfter'),
      width: '7.25rem',
      isEnd: true,
      isWideOnly: true,
      render: (entry) => <Amount value={entry.available_after} />,
    },
    {
      id: 'frozen',
      title: say('record.frozenAfter'),
      width: '7rem',
      isEnd: true,
      isWideOnly: true,
      render: (entry) => <Amount value={entry.frozen_after} />,
    },
    momentColumn('time', say('record.time'), (entry) => entry.created_at),
  ];
}
