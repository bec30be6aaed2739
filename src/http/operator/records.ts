// Lists for operators: what waits for a decision, unclaimed inbound messages, and the audit log.

import { Type } from '@sinclair/typebox';
import { groupBy } from '../../domain/group-by.js';
import { asTaskId, formatNo, parseNo } from '../../domain/id.js';
import { toPlain } from '../../domain/plain.js';
import { type ListSource, listFromArray } from '../../store/list.js';
import { readTaskNames } from '../../store/lists/receipts.js';
import { type AuditRecord, isAuditKey, listAudit } from '../../store/operator/audit.js';
import { readCustomer } from '../../store/operator/customer.js';
import { type KeptReport, listKeptReports } from '../../store/operator/kept-report.js';
import { isQuarantineKey, listQuarantine, type QuarantineRecord } from '../../store/operator/quarantine.js';
import { listUnclaimedUplinks } from '../../store/operator/unclaimed-uplink.js';
import { isUnknownKey, listUnknown, type UnknownRecord } from '../../store/operator/unknown.js';
import { createTextReaders } from '../customer/record-view.js';
import { clientRequestIdOf } from '../customer/request-key.js';
import { type ListQuery, oneOf } from '../query/list-query.js';
import { formatMillionths } from '../resources/ledger-view.js';
import { AuditAnswer, KeptReportAnswer, SetAsideAnswer, UnclaimedUplinkAnswer, UnknownAnswer } from './answers.js';
import { defineList, type OperatorDeps, type OperatorRoute } from './operator-route.js';

const tag = 'Records';

const name = (description: string) => Type.String({ minLength: 1, maxLength: 64, description });
const channelNo = name('Only of this channel.');

const auditList = {
  name: 'audit',
  timed: true,
  filters: {
    actor: name('Who: the name of an operator, `root` for the token of the configuration.'),
    action: name('Such as `customer.change`.'),
    subject: name('What was changed: a customer_no, channel_no, task_no or carrier.'),
  },
  isKey: isAuditKey,
} as const;
const unknownList = {
  name: 'unknown',
  timed: false,
  filters: {
    customer_no: name('Only of this customer.'),
    channel_no: channelNo,
    task_no: name('Only of this task.'),
    include: oneOf(['text'], 'Adds `text`, the text as it was sent.'),
  },
  isKey: isUnknownKey,
} as const;
const quarantineList = { name: 'set-aside', timed: false, filters: {}, isKey: isQuarantineKey } as const;
const keptReportList = { name: 'kept-reports', timed: false, filters: { channel_no: channelNo } } as const;

export function createRecordRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineList({
      path: '/unknown',
      name: 'listUnknown',
      item: UnknownAnswer,
      tag,
      summary: 'List segments that wait for a decision',
      description:
        'Of all customers: segments of which it is not known whether the upstream accepted them, those whose time is up first. Decide with `resolve` of the task.',
      list: unknownList,
      source: (_, query) => findUnknown(deps, query),
      render: (record) => renderUnknown(deps, record),
    }),
    defineList({
      path: '/set-aside',
      name: 'listSetAside',
      item: SetAsideAnswer,
      tag,
      summary: 'List the retry queue',
      description:
        'Work that failed and is retried, each with its error: tasks that could not be prepared (the newest 1,000), upstream answers that could not be recorded, customers whose messages cannot be sent, and scheduled work. Other work is not blocked. Retries use backoff; `prepare` of a task retries it now, `cancel` ends it. Entries held in processes are a few seconds old.',
      list: quarantineList,
      source: () => listQuarantine(deps.sql),
      render: (record) => renderQuarantine(deps, record),
    }),
    defineList({
      path: '/kept-reports',
      name: 'listKeptReports',
      item: KeptReportAnswer,
      tag,
      summary: 'List delivery reports that match no segment',
      description:
        'Kept for 30 days, in case their segment becomes known. Many of them hint at ids that the carrier spells in its own way.',
      list: keptReportList,
      source: async (_, { filters }) => {
        const found = findChannel(deps, filters.channel_no);
        return found === 'none' ? nothing<KeptReport>() : listKeptReports(deps.sql, found);
      },
      render: ({ report_id: _, ...report }) => toPlain(report),
    }),
    defineList({
      path: '/unclaimed-uplinks',
      name: 'listUnclaimedUplinks',
      item: UnclaimedUplinkAnswer,
      tag,
      summary: 'List inbound messages to addresses that no service account has',
      description: 'Kept for 30 days.',
      list: { name: 'unclaimed-uplinks', timed: false, filters: {} },
      source: async () => listUnclaimedUplinks(deps.sql),
      render: ({ unclaimed_uplink_id: _, ...uplink }) => toPlain(uplink),
    }),
    defineList({
      path: '/audit',
      name: 'listAudit',
      item: AuditAnswer,
      tag,
      summary: 'List the audit log',
      list: auditList,
      source: async (_, { filters, startMs, endMs }) =>
        listAudit(deps.sql, {
          ...filters,
          ...(startMs === undefined ? {} : { startAt: new Date(startMs) }),
          ...(endMs === undefined ? {} : { endAt: new Date(endMs) }),
        }),
      render: ({ audit_id: _, at_us: __, ...entry }: AuditRecord) => toPlain(entry),
    }),
  ];
}

function renderQuarantine({ snapshot }: OperatorDeps, record: QuarantineRecord) {
  const { kind, customerId, taskId, channelId, node, parts, reason, tries, since, nextTryAt } = record;
  return {
    kind,
    customer_no: snapshot.current().customer(customerId)?.customerNo ?? null,
    task_no: taskId === null ? null : formatNo('T', taskId),
    channel_no: (channelId === null ? undefined : snapshot.current().channel(channelId)?.channelNo) ?? null,
    node,
    parts,
    reason,
    tries,
    since: since?.toISOString() ?? null,
    next_try_at: nextTryAt?.toISOString() ?? null,
  };
}

/** What a filter names and does not exist has nothing to list. */
function nothing<Row>(): ListSource<Row> {
  return listFromArray<Row>([], () => '');
}

/** No filter, the filter, or a channel that does not exist. */
function findChannel(deps: OperatorDeps, channelNo: string | undefined): { channelId?: bigint } | 'none' {
  if (channelNo === undefined) return {};
  const channel = deps.snapshot.current().channelByNo(channelNo);
  return channel === undefined ? 'none' : { channelId: channel.channelId };
}

type ShownUnknown = UnknownRecord & { readonly text?: string | null };

async function findUnknown(
  deps: OperatorDeps,
  { filters }: ListQuery<typeof unknownList.filters>,
): Promise<ListSource<ShownUnknown>> {
  const channel = findChannel(deps, filters.channel_no);
  const customer = filters.customer_no === undefined ? undefined : await readCustomer(deps.sql, filters.customer_no);
  const taskId = filters.task_no === undefined ? undefined : parseNo('T', filters.task_no);
  const namesNone = [
    [filters.customer_no, customer],
    [filters.task_no, taskId],
  ].some(([named, found]) => named !== undefined && found === undefined);
  if (channel === 'none' || namesNone) return nothing();
  const buckets = customer === undefined ? deps.snapshot.current().buckets() : [customer.bucket];
  const found = listUnknown(deps.sql, buckets, {
    ...channel,
    ...(customer === undefined ? {} : { customerId: customer.customerId }),
    ...(taskId === undefined ? {} : { taskId: asTaskId(taskId) }),
  });
  if (filters.include !== 'text') return found;
  return { ...found, rows: async (bounds) => addTexts(deps, await found.rows(bounds)) };
}

/** The texts of the numbers on a page, without codes. */
async function addTexts({ sql, snapshot }: OperatorDeps, rows: readonly UnknownRecord[]): Promise<ShownUnknown[]> {
  const known = snapshot.current();
  const texts = new Map<UnknownRecord, string | null>();
  for (const [customerId, ofCustomer] of groupBy(rows, (row) => row.customerId)) {
    const customer = known.customer(customerId);
    if (customer === undefined) continue;
    const names = await readTaskNames(sql, customer, new Set(ofCustomer.map((row) => row.task_id)), true);
    const readText = createTextReaders(({ templateId }) => known.classOf(templateId) === 'otp');
    for (const row of ofCustomer) texts.set(row, readText(row, names.get(row.task_id)));
  }
  return rows.map((row) => ({ ...row, text: texts.get(row) ?? null }));
}

function renderUnknown({ snapshot }: OperatorDeps, record: ShownUnknown) {
  const { seq, part, parts, phone, firm, since, deadline, submitted_at, unit_price, submit_id } = record;
  const customer = snapshot.current().customer(record.customerId);
  return {
    customer_no: customer?.customerNo ?? null,
    task_no: formatNo('T', record.task_id),
    client_request_id: clientRequestIdOf(record.request_key ?? undefined),
    seq,
    phone,
    firm,
    part,
    parts,
    price: unit_price === null || parts === null ? null : formatMillionths(unit_price * BigInt(parts)),
    currency: customer?.currency ?? null,
    ...(record.text === undefined ? {} : { text: record.text }),
    channel_no: snapshot.current().channel(record.channel_id)?.channelNo ?? null,
    submit_no: submit_id === null ? null : formatNo('S', submit_id),
    upstream_message_id: record.upstream_message_id,
    submitted_at: submitted_at?.toISOString() ?? null,
    since: since.toISOString(),
    deadline: deadline.toISOString(),
  };
}
