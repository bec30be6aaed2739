// The records behind the figures of a task: receipts, wire records both ways, ledger entries, what is unsent.

import { Tabs } from '@mantine/core';
import type {
  DeliveryRecord,
  DeliveryStatus,
  LedgerEntry,
  Receipt,
  SubmitRecord,
  SubmitStatus,
  UnsentNumber,
} from '@postrider/client';
import { type ReactElement, useMemo } from 'react';
import { useCustomer } from '../../api/clients.js';
import { buildTarget } from '../../api/download.js';
import { useFirmNames } from '../../api/firms.js';
import { filterByResult, SHOWN_RESULTS } from '../../api/receipt-outcome.js';
import { PAGE_SIZE, useRows } from '../../api/rows.js';
import { receiptsOf } from '../../api/task-queries.js';
import { DownloadButton } from '../../parts/forms/download-button.js';
import { ChoiceFilter, useFilters } from '../../parts/forms/filters.js';
import { ReceiptDownloads } from '../../parts/forms/receipt-downloads.js';
import { Card } from '../../parts/layout/page.js';
import { State } from '../../parts/layout/states.js';
import { TabNames } from '../../parts/layout/tab-names.js';
import { keyOfLine, ledgerColumns } from '../../parts/tables/ledger-columns.js';
import { type Choosable, ListTools, useShownColumns } from '../../parts/tables/list-tools.js';
import { deliveryColumns, receiptColumns, submitColumns, unsentColumns } from '../../parts/tables/record-columns.js';
import { RowsTable } from '../../parts/tables/rows-table.js';
import { useWords } from '../../words/say.js';
import styles from './task.module.css';

const TABS = ['receipts', 'submits', 'deliveries', 'ledger', 'unsent'] as const;
type Tab = (typeof TABS)[number];

const SUBMIT_STATUSES: readonly SubmitStatus[] = ['accepted', 'rejected', 'unknown'];
const DELIVERY_STATUSES: readonly DeliveryStatus[] = [
  'delivered',
  'undelivered',
  'expired',
  'rejected',
  'intermediate',
];

interface TaskRecordsProps {
  readonly taskNo: string;
  readonly isLive: boolean;
  readonly hasUnsent: boolean;
  /** Each number got its own text. */
  readonly hasTexts: boolean;
}

export function TaskRecords({ taskNo, isLive, hasUnsent, hasTexts }: TaskRecordsProps): ReactElement {
  const say = useWords();
  const filters = useFilters(['tab', 'result', 'status'] as const);
  const tab = TABS.find((name) => name === filters.values.tab) ?? 'receipts';
  const choose = (name: string | null) => filters.replace({ tab: name ?? undefined });
  return (
    <div id="records" className={styles.records}>
      <Card isFlush>
        <Tabs value={tab} onChange={choose} keepMounted={false}>
          <TabNames
            tabs={TABS.filter((name) => name !== 'unsent' || hasUnsent || tab === name)}
            chosen={tab}
            nameOf={(name) => say(`task.${name}`)}
            px="md"
            pt="xs"
          />
          <Tabs.Panel value={tab}>
            <RecordsTable tab={tab} taskNo={taskNo} isLive={isLive} hasUnsent={hasUnsent} hasTexts={hasTexts} />
          </Tabs.Panel>
        </Tabs>
      </Card>
    </div>
  );
}

function RecordsTable({
  tab,
  taskNo,
  isLive,
  hasUnsent,
  hasTexts,
}: TaskRecordsProps & { readonly tab: Tab }): ReactElement {
  const say = useWords();
  const none = <State icon="empty" title={say('task.noUnsent')} />;
  const pollMs = isLive ? 1_500 : false;
  const tables: Record<Tab, () => ReactElement> = {
    receipts: () => <ReceiptsTable taskNo={taskNo} pollMs={pollMs} hasTexts={hasTexts} />,
    submits: () => <SubmitsTable taskNo={taskNo} pollMs={pollMs} />,
    deliveries: () => <DeliveriesTable taskNo={taskNo} pollMs={pollMs} />,
    ledger: () => <LedgerTable taskNo={taskNo} pollMs={pollMs} />,
    // What the task counts is known before its list is read anew.
    unsent: () => (hasUnsent ? <UnsentTable taskNo={taskNo} pollMs={pollMs} none={none} /> : none),
  };
  return tables[tab]();
}

const LIST_PATHS = {
  submits: '/openapi/v1/downstream/submits/',
  deliveries: '/openapi/v1/downstream/deliveries/',
} as const;

interface TableProps {
  readonly taskNo: string;
  readonly pollMs: number | false;
}

function OutcomeChoice<Value extends string>({
  name,
  values,
  list,
  taskNo,
  columns,
}: {
  readonly name: 'result' | 'status';
  readonly list: keyof typeof LIST_PATHS | 'receipts';
  readonly taskNo: string;
  readonly values: readonly Value[];
  readonly columns: readonly Choosable[];
}): ReactElement {
  const say = useWords();
  const filters = useFilters(['result', 'status'] as const);
  const label = say(name === 'result' ? 'record.result' : 'record.status');
  return (
    <div className={styles.tools}>
      <ChoiceFilter
        filters={filters}
        name={name}
        label={label}
        any={say(`filter.any${name}`)}
        choices={values.map((value) => ({ value, label: say(`outcome.${value as 'delivered'}`) }))}
        isCompact
      />
      <ListTools list={`task-${list}`} columns={columns} isCompact />
      {list === 'receipts' ? (
        <ReceiptDownloads
          isCompact
          filters={{ task_no: taskNo, ...filterByResult(filters.values.result) }}
          fileName={`receipts-${taskNo}`}
        />
      ) : (
        <DownloadButton
          isCompact
          target={buildTarget(LIST_PATHS[list], { task_no: taskNo, [name]: filters.values[name] })}
          fileName={`${list}-${taskNo}.csv`}
        />
      )}
    </div>
  );
}

function ReceiptsTable({ taskNo, pollMs, hasTexts }: TableProps & Pick<TaskRecordsProps, 'hasTexts'>): ReactElement {
  const say = useWords();
  const nameFirm = useFirmNames();
  const all = useMemo(() => receiptColumns(say, { hasText: hasTexts, nameFirm }), [say, hasTexts, nameFirm]);
  const columns = useShownColumns('task-receipts', all);
  const client = useCustomer();
  const { result } = useFilters(['result'] as const).values;
  const source = useRows<Receipt>({ ...receiptsOf(client, taskNo, result), pollMs });
  const empty = <State icon="empty" title={say('receipts.empty')} hint={say('receipts.emptyHint')} />;
  return (
    <>
      <OutcomeChoice name="result" values={SHOWN_RESULTS} list="receipts" taskNo={taskNo} columns={all} />
      <RowsTable
        label={say('task.receipts')}
        columns={columns}
        source={source}
        keyOf={({ seq }) => String(seq)}
        empty={empty}
      />
    </>
  );
}

function SubmitsTable({ taskNo, pollMs }: TableProps): ReactElement {
  const say = useWords();
  const nameFirm = useFirmNames();
  const all = useMemo(() => submitColumns(say, nameFirm), [say, nameFirm]);
  const columns = useShownColumns('task-submits', all);
  const client = useCustomer();
  const { status } = useFilters(['status'] as const).values;
  const source = useRows<SubmitRecord>({
    key: ['submits', taskNo],
    filters: { status },
    pollMs,
    list: (signal) =>
      client.submits({
        taskNo,
        signal,
        pageSize: PAGE_SIZE,
        ...(status === undefined ? {} : { status: status as SubmitStatus }),
      }),
  });
  return (
    <>
      <OutcomeChoice name="status" values={SUBMIT_STATUSES} list="submits" taskNo={taskNo} columns={all} />
      <RowsTable
        label={say('task.submits')}
        columns={columns}
        source={source}
        keyOf={(row) => row.submit_no}
        empty={<State icon="empty" title={say('state.empty')} />}
      />
    </>
  );
}

function DeliveriesTable({ taskNo, pollMs }: TableProps): ReactElement {
  const say = useWords();
  const nameFirm = useFirmNames();
  const all = useMemo(() => deliveryColumns(say, nameFirm), [say, nameFirm]);
  const columns = useShownColumns('task-deliveries', all);
  const client = useCustomer();
  const { status } = useFilters(['status'] as const).values;
  const source = useRows<DeliveryRecord>({
    key: ['deliveries', taskNo],
    filters: { status },
    pollMs,
    list: (signal) =>
      client.deliveries({
        taskNo,
        signal,
        pageSize: PAGE_SIZE,
        ...(status === undefined ? {} : { status: status as DeliveryStatus }),
      }),
  });
  return (
    <>
      <OutcomeChoice name="status" values={DELIVERY_STATUSES} list="deliveries" taskNo={taskNo} columns={all} />
      <RowsTable
        label={say('task.deliveries')}
        columns={columns}
        source={source}
        keyOf={(row) => row.delivery_no}
        empty={<State icon="empty" title={say('state.empty')} />}
      />
    </>
  );
}

function LedgerTable({ taskNo, pollMs }: TableProps): ReactElement {
  const say = useWords();
  const columns = useMemo(() => ledgerColumns(say, { hasTask: false }), [say]);
  const client = useCustomer();
  const source = useRows<LedgerEntry>({
    key: ['ledger', taskNo],
    pollMs,
    list: (signal) => client.ledgers({ taskNo, signal, pageSize: PAGE_SIZE }),
  });
  const lines = useMemo(() => source.rows.map((entry) => ({ entry })), [source.rows]);
  return (
    <RowsTable
      label={say('task.ledger')}
      columns={columns}
      source={{ ...source, rows: lines }}
      keyOf={keyOfLine}
      empty={<State icon="empty" title={say('state.empty')} />}
    />
  );
}

/** Few of them change from one look to the next, and each look reads all that the task has. */
const UNSENT_POLL_MS = 3_000;

function UnsentTable({ taskNo, pollMs, none }: TableProps & { readonly none: ReactElement }): ReactElement {
  const say = useWords();
  const nameFirm = useFirmNames();
  const columns = useMemo(() => unsentColumns(say, nameFirm), [say, nameFirm]);
  const client = useCustomer();
  const source = useRows<UnsentNumber>({
    key: ['unsent', taskNo],
    pollMs: pollMs === false ? false : UNSENT_POLL_MS,
    list: (signal) => client.unsent(taskNo, { signal, pageSize: PAGE_SIZE }),
  });
  return (
    <RowsTable
      label={say('task.unsent')}
      columns={columns}
      source={source}
      keyOf={({ seq }) => String(seq)}
      empty={none}
    />
  );
}
