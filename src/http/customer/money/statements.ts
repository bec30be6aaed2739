// The statement of a month: the balances at its beginning and end, and the sums between them.

import { Type } from '@sinclair/typebox';
import { formatCsvRow, formatGuardedRow } from '../../../domain/csv-row.js';
import type { CustomerConfig } from '../../../domain/entities/customer.js';
import { groupBy } from '../../../domain/group-by.js';
import { dayAt, startOfDay } from '../../../domain/local-time.js';
import { ENTRY_TYPES } from '../../../domain/money/ledger.js';
import { type Balances, type EntrySum, readMonthOfEntries } from '../../../store/money/month-of-entries.js';
import { readStatistics } from '../../../store/money/statistics.js';
import { readAppliedPrices } from '../../../store/money/traffic.js';
import { withRepeatableRead } from '../../../store/repeatable-read.js';
import { examples } from '../../examples.js';
import { CSV_MEDIA_TYPE } from '../../media-type.js';
import { notFound } from '../../problem/problem.js';
import { rejectParameters } from '../../query/list-query.js';
import { formatMillionths } from '../../resources/ledger-view.js';
import type { Route } from '../../route.js';
import type { CustomerCall } from '../access/admit.js';
import type { CustomerDeps } from '../deps.js';
import { StatementSchema, TASK_ENTRY_TYPES } from '../schemas/money.js';
import { bringUpToDate, MAX_QUIET_MS, renderOutcomes } from './outcome-view.js';

const COLUMNS = ['section', 'key', 'type', 'count', 'amount', 'available', 'frozen'] as const;

export function statementRoute(deps: CustomerDeps): Route<CustomerCall> {
  return {
    method: 'GET',
    path: '/openapi/v1/finance/statements/{month}/',
    name: 'getStatement',
    tag: 'Finance',
    summary: 'Show the statement of a month',
    description:
      'Opening balances, the sums of all ledger entries by type, and closing balances, equal to the ledger to the last digit; the same by day and by template. By carrier, the numbers whose receipts were made in the month and what they were charged: a number that is charged when it is accepted may be charged in the month before. `pending_charged` is what both differ by. `prices` are the unit prices that were charged. Months and days are those of the billing time zone of the customer; the current one is shown so far, later ones are not found.',
    params: { month: Type.String({ description: 'Such as `2026-11`.' }) },
    answer: { status: 200, description: 'The statement.', schema: StatementSchema, example: examples.statement },
    files: { types: [CSV_MEDIA_TYPE], columns: COLUMNS, description: 'The same, a row for each sum.' },
    problems: [],
    async handle({ customer, params: { month = '' }, requestTarget, answerType, reply }) {
      rejectParameters(requestTarget);
      const statement = await createStatement(deps, customer, month);
      if (answerType !== CSV_MEDIA_TYPE) return statement;
      reply.type(`${CSV_MEDIA_TYPE}; charset=utf-8`);
      return writeCsv(statement);
    },
  };
}

type Statement = Awaited<ReturnType<typeof createStatement>>;

async function createStatement({ sql, snapshot, issuer, now }: CustomerDeps, customer: CustomerConfig, month: string) {
  const today = dayAt(customer.billingTimeZone, now());
  const { first, end } = daysOf(month, today);
  const from = startOfDay(customer.billingTimeZone, first);
  const until = startOfDay(customer.billingTimeZone, end);
  await bringUpToDate(sql, customer);
  const [ledger, firms, prices] = await withRepeatableRead(sql, MAX_QUIET_MS, async (tx) => [
    await readMonthOfEntries(tx, customer, first, end),
    await readStatistics(tx, customer, 'firm', { from, until }),
    await readAppliedPrices(tx, customer, { first, end }),
  ]);
  const templates = groupBy(
    ledger.templates.filter(({ templateId }) => templateId !== 0n),
    ({ templateId }) => templateId,
  );
  const charged = ledger.types.find(({ type }) => type === 'charge')?.amount ?? 0n;
  return {
    month,
    provisional: end > today,
    billing_time_zone: customer.billingTimeZone,
    issuer: issuer ?? null,
    customer_no: customer.customerNo,
    customer_name: customer.name,
    currency: customer.currency,
    opening: renderBalances(ledger.opening),
    closing: renderBalances(ledger.closings.at(-1) ?? ledger.opening),
    entries: renderEntries(ENTRY_TYPES, ledger.types),
    days: ledger.closings.map(({ day, ...closing }) => ({
      day,
      closing: renderBalances(closing),
      entries: renderEntries(
        ENTRY_TYPES,
        ledger.days.filter((sum) => sum.day === day),
      ),
    })),
    templates: [...templates].map(([templateId, sums]) => ({
      template_no: snapshot.current().templateById(templateId)?.templateNo ?? null,
      entries: renderEntries(TASK_ENTRY_TYPES, sums),
    })),
    firms: firms.map((row) => ({ firm: row.key === '' ? null : row.key, ...renderOutcomes(row) })),
    pending_charged: formatMillionths(charged - sumCharged(firms)),
    prices: prices.map((row) => ({
      firm: row.firm,
      class: row.class,
      unit_price: formatMillionths(row.unitPrice),
      numbers: row.numbers,
      parts: row.parts,
      charged: formatMillionths(row.charged),
    })),
  };
}

function sumCharged(rows: readonly { readonly charged: bigint }[]): bigint {
  return rows.reduce((sum, { charged }) => sum + charged, 0n);
}

/** A month that has not begun has no statement, and a text that is no month is not found. */
function daysOf(month: string, today: string): { first: string; end: string } {
  const match = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(month);
  if (match === null) throw notFound();
  const first = `${month}-01`;
  if (month < '1970-01' || first > today) throw notFound();
  return { first, end: new Date(Date.UTC(Number(match[1]), Number(match[2]))).toISOString().slice(0, 10) };
}

function renderBalances({ available, frozen }: Balances) {
  return { available: formatMillionths(available), frozen: formatMillionths(frozen) };
}

function renderEntries<Type extends string>(types: readonly Type[], sums: readonly EntrySum[]) {
  const shown = types.map((type) => {
    const sum = sums.find((one) => one.type === type);
    return [type, { count: Number(sum?.entries ?? 0n), amount: formatMillionths(sum?.amount ?? 0n) }] as const;
  });
  return Object.fromEntries(shown) as Record<Type, { count: number; amount: string }>;
}

type Sums = Readonly<Record<string, { readonly count: number; readonly amount: string }>>;

function writeCsv({
  month,
  opening,
  closing,
  entries,
  days,
  templates,
  firms,
  pending_charged,
  prices,
}: Statement): string {
  const balances = (section: string, key: string, type: string, shown: Statement['opening']) => [
    [section, key, type, '', '', shown.available, shown.frozen],
  ];
  const sums = (section: string, key: string, shown: Sums) =>
    Object.entries(shown).map(([type, { count, amount }]) => [section, key, type, String(count), amount, '', '']);
  const rows = [
    ...balances('month', month, 'opening', opening),
    ...sums('month', month, entries),
    ...balances('month', month, 'closing', closing),
    ...days.flatMap((one) => [
      ...sums('day', one.day, one.entries),
      ...balances('day', one.day, 'closing', one.closing),
    ]),
    ...templates.flatMap((one) => sums('template', one.template_no ?? '', one.entries)),
    ...firms.flatMap(({ firm, charged, ...counts }) => [
      ...Object.entries(counts).map(([type, count]) => ['firm', firm ?? '', type, String(count), '', '', '']),
      ['firm', firm ?? '', 'charged', '', charged, '', ''],
    ]),
    ['pending', '', 'charged', '', pending_charged, '', ''],
    ...prices.flatMap(({ firm, class: messageClass, unit_price, numbers, parts, charged }) => {
      const key = `${firm} ${messageClass} ${unit_price}`;
      return [
        ['price', key, 'numbers', String(numbers), '', '', ''],
        ['price', key, 'parts', String(parts), '', '', ''],
        ['price', key, 'charged', '', charged, '', ''],
      ];
    }),
  ];
  return formatCsvRow(COLUMNS) + rows.map(formatGuardedRow).join('');
}
