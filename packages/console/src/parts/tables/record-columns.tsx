// The columns of the records that several pages show, so that a record looks the same everywhere.

import type { DeliveryRecord, Receipt, SubmitRecord, UnsentNumber } from '@postrider/client';
import type { ReactElement, ReactNode } from 'react';
import { outcomeOfReceipt } from '../../api/receipt-outcome.js';
import { type Say, useWords } from '../../words/say.js';
import { sayReason } from '../../words/say-reason.js';
import { Amount } from '../values/amount.js';
import { CodeLabel } from '../values/code-label.js';
import { Moment } from '../values/moment.js';
import { OutcomeLabel } from '../values/outcome-label.js';
import { optionalColumn } from './optional-column.js';
import { RowLink } from './row-link.js';
import type { Column } from './rows-table.js';

export function PhoneLink({ phone }: { readonly phone: string }): ReactElement {
  return (
    <RowLink to="/numbers" name={phone} className="mono">
      {phone}
    </RowLink>
  );
}

export function TaskLink({ taskNo }: { readonly taskNo: string }): ReactElement {
  return (
    <RowLink to="/tasks" name={taskNo} className="mono">
      {taskNo}
    </RowLink>
  );
}

/** What the code means, in the words of the viewer. */
function Reason({ receipt }: { readonly receipt: Receipt }): ReactElement {
  const text = sayReason(useWords(), receipt);
  return <span title={text}>{text}</span>;
}

export function createTaskColumn<Row extends { readonly task_no: string | null }>(say: Say): Column<Row> {
  return {
    id: 'task',
    title: say('record.task'),
    width: 'minmax(7.5rem, 0.5fr)',
    isWideOnly: true,
    render: (row) => (row.task_no === null ? <span className="soft">–</span> : <TaskLink taskNo={row.task_no} />),
  };
}

/** Those of one task, or of all with the task of each. */
interface ReceiptColumns {
  readonly hasTask?: boolean;
  /** Where the texts of the rows differ. */
  readonly hasText?: boolean;
  readonly nameFirm: NameFirm;
}

export function receiptColumns(
  say: Say,
  { hasTask = false, hasText = false, nameFirm }: ReceiptColumns,
): readonly Column<Receipt>[] {
  const text: Column<Receipt> = {
    id: 'text',
    title: say('task.text'),
    width: 'minmax(0, 2fr)',
    isWideOnly: true,
    render: (receipt) => <span title={receipt.text ?? ''}>{receipt.text ?? '–'}</span>,
  };
  const partsColumn: Column<Receipt> = {
    id: 'parts',
    title: say('record.parts'),
    width: '5rem',
    isEnd: true,
    isWideOnly: true,
    isOptional: hasTask,
    render: (receipt) => receipt.parts,
  };
  return [
    {
      id: 'phone',
      title: say('record.phone'),
      width: 'minmax(7.5rem, 0.4fr)',
      narrowWidth: 'minmax(0, 1fr)',
      render: ({ phone }) => <PhoneLink phone={phone} />,
      renderNote: (receipt) => <Moment at={receipt.received_at} style="short" />,
    },
    {
      id: 'result',
      title: say('record.result'),
      width: 'minmax(7.5rem, 0.3fr)',
      render: (receipt) => <OutcomeLabel outcome={outcomeOfReceipt(receipt)} />,
      renderNote: ({ code }) => <CodeLabel code={code} />,
    },
    {
      id: 'code',
      title: say('record.code'),
      width: 'minmax(8.25rem, 0.3fr)',
      isWideOnly: true,
      render: ({ code }) => <CodeLabel code={code} />,
    },
    {
      id: 'description',
      title: say('record.description'),
      width: 'minmax(0, 2fr)',
      isWideOnly: true,
      render: (receipt) => <Reason receipt={receipt} />,
    },
    ...(hasText ? [text] : []),
    ...(hasTask ? [createTaskColumn<Receipt>(say)] : []),
    partsColumn,
    {
      id: 'charged',
      title: say('record.charged'),
      width: '5rem',
      narrowWidth: '4.5rem',
      isEnd: true,
      render: ({ charged }) => <Amount value={charged} />,
      renderNote: ({ parts }) => say('overview.parts', { count: parts }),
    },
    {
      id: 'received',
      title: say('record.received'),
      width: '10.5rem',
      isEnd: true,
      isWideOnly: true,
      render: (receipt) => <Moment at={receipt.received_at} />,
    },
    optionalColumn('firm', say('record.firm'), 'minmax(5rem, 0.3fr)', ({ firm }) => firm && nameFirm(firm)),
    optionalColumn('price', say('record.price'), '5rem', ({ price }) => price && <Amount value={price} />),
    optionalColumn('request', say('tasks.filter.requestId'), 'minmax(5rem, 0.4fr)', (row) => row.client_request_id),
    optionalColumn('submitted', say('record.submitted'), '10.5rem', (row) => <Moment at={row.submitted_at} />),
    optionalColumn('done', say('record.done'), '10.5rem', (row) => <Moment at={row.done_at} />),
  ];
}

/** What a firm is called. */
type NameFirm = (firm: string) => string;

/** What a submit and a delivery record have in common: which part of which number, and the name it has upstream. */
function wireColumns<Row extends SubmitRecord | DeliveryRecord>(
  say: Say,
  nameFirm: NameFirm,
  momentOf: (row: Row) => string | null,
): readonly Column<Row>[] {
  return [
    {
      id: 'phone',
      title: say('record.phone'),
      width: 'minmax(8.5rem, 1fr)',
      narrowWidth: 'minmax(0, 1fr)',
      render: ({ phone }) => <PhoneLink phone={phone} />,
      renderNote: (row) => <Moment at={momentOf(row)} style="short" />,
    },
    {
      id: 'status',
      title: say('record.status'),
      width: 'minmax(7.5rem, 0.8fr)',
      narrowWidth: '7rem',
      render: ({ status }) => <OutcomeLabel outcome={status} />,
      renderNote: ({ firm, part, parts }) => `${nameFirm(firm)} · ${part} / ${parts}`,
    },
    {
      id: 'code',
      title: say('record.code'),
      width: '7rem',
      narrowWidth: 'minmax(0, 0.9fr)',
      render: ({ code }) => <CodeLabel code={code} />,
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
      id: 'firm',
      title: say('record.firm'),
      width: 'minmax(5rem, 0.7fr)',
      isWideOnly: true,
      render: ({ firm }) => nameFirm(firm),
    },
    {
      id: 'message',
      title: say('record.messageId'),
      width: 'minmax(0, 1.5fr)',
      isWideOnly: true,
      render: (row) => <code title={row.upstream_message_id ?? ''}>{row.upstream_message_id ?? '–'}</code>,
    },
  ];
}

export function momentColumn<Row>(id: string, title: string, momentOf: (row: Row) => string | null): Column<Row> {
  return { id, title, width: '10.5rem', isEnd: true, isWideOnly: true, render: (row) => <Moment at={momentOf(row)} /> };
}

export function submitColumns(say: Say, nameFirm: NameFirm): readonly Column<SubmitRecord>[] {
  return [
    ...wireColumns<SubmitRecord>(say, nameFirm, (row) => row.submitted_at),
    momentColumn('submitted', say('record.submitted'), (row) => row.submitted_at),
  ];
}

export function deliveryColumns(say: Say, nameFirm: NameFirm): readonly Column<DeliveryRecord>[] {
  return [
    ...wireColumns<DeliveryRecord>(say, nameFirm, (row) => row.received_at),
    momentColumn('received', say('record.received'), (row) => row.received_at),
  ];
}

/** What is known of a number before it is handed over; the firm and the price once its task is prepared. */
export function unsentColumns(say: Say, nameFirm: NameFirm): readonly Column<UnsentNumber>[] {
  const orNone = (value: ReactNode) => value ?? <span className="soft">–</span>;
  return [
    {
      id: 'phone',
      title: say('record.phone'),
      width: 'minmax(8.5rem, 1fr)',
      render: ({ phone }) => <PhoneLink phone={phone} />,
    },
    {
      id: 'firm',
      title: say('record.firm'),
      width: 'minmax(0, 1fr)',
      render: ({ firm }) => orNone(firm && nameFirm(firm)),
    },
    {
      id: 'parts',
      title: say('record.parts'),
      width: '5rem',
      narrowWidth: '3rem',
      isEnd: true,
      render: ({ parts }) => orNone(parts),
    },
    {
      id: 'price',
      title: say('record.price'),
      width: '7rem',
      narrowWidth: '4.5rem',
      isEnd: true,
      render: ({ price }) => orNone(price && <Amount value={price} />),
    },
  ];
}
