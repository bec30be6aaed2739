// A month of the billing time zone, from its opening to its closing balance.

import type { PostriderClient } from '@postrider/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { accountQuery, useAccount } from '../../api/account.js';
import { useCustomer } from '../../api/clients.js';
import { firmsQuery, useFirmNames } from '../../api/firms.js';
import { NO_FIRM } from '../../api/lists.js';
import { queryClient } from '../../api/query-client.js';
import { SHOWN_RESULTS } from '../../api/receipt-outcome.js';
import type { StatisticsRow } from '../../api/statistics.js';
import { templatesQuery, useTemplateNames } from '../../api/templates.js';
import { showCount } from '../../format/count.js';
import { dayAt, shiftDay, startOfDay } from '../../format/local-day.js';
import { isZero } from '../../format/money.js';
import { Button, ButtonLink } from '../../parts/controls/button.js';
import { DownloadButton } from '../../parts/forms/download-button.js';
import { ChoiceField } from '../../parts/forms/field.js';
import { BackLink } from '../../parts/layout/back-link.js';
import { useDrawn } from '../../parts/layout/deferred-render.js';
import { Card, CardGrid, Facts, Page } from '../../parts/layout/page.js';
import { FailureState, LoadingState } from '../../parts/layout/states.js';
import { Tiles } from '../../parts/layout/tiles.js';
import { type PlainRow, PlainTable } from '../../parts/tables/plain-table.js';
import { RowLink } from '../../parts/tables/row-link.js';
import { Amount } from '../../parts/values/amount.js';
import { Moment } from '../../parts/values/moment.js';
import { type Say, sayValue, useWords } from '../../words/say.js';
import { type StatementPrice, StatementPrices } from './statement-prices.js';

interface Balances {
  readonly available: string;
  readonly frozen: string;
}

interface Statement {
  readonly month: string;
  /** Whether the month is still running. */
  readonly provisional: boolean;
  readonly billing_time_zone: string;
  readonly issuer: string | null;
  readonly customer_no: string;
  readonly customer_name: string;
  readonly currency: string;
  readonly opening: Balances;
  readonly closing: Balances;
  readonly entries: Sums;
  readonly days: readonly { readonly day: string; readonly closing: Balances; readonly entries: Sums }[];
  readonly templates: readonly { readonly template_no: string | null; readonly entries: Sums }[];
  readonly firms: readonly FirmSums[];
  /** What the ledger charged beyond the firms. */
  readonly pending_charged: string;
  readonly prices: readonly StatementPrice[];
}

const FIRM_SUMS = [
  'total',
  'handed_over',
  'delivered',
  'undelivered',
  'expired',
  'rejected',
  'cancelled',
  'parts',
  'charged',
] as const;
type FirmSum = (typeof FIRM_SUMS)[number];
type FirmSums = Pick<StatisticsRow, FirmSum> & { readonly firm: string | null };

type Sums = Readonly<Record<string, { readonly count: number; readonly amount: string }>>;

/** The amounts of each type of entry, a column each. */
function spreadSums(say: Say, sums: Sums, link: (amount: string, type: string) => ReactElement): PlainRow {
  return Object.fromEntries(
    Object.entries(sums).map(([type, { amount }]) => [sayValue(say, 'ledger', type), link(amount, type)]),
  );
}

/** Months before or after one, as `YYYY-MM`. */
export function shiftMonth(month: string, by: number): string {
  const [year = 1970, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7);
}

type Search = Readonly<Record<string, string>>;

/** A day or a month of the billing time zone from its first day on, as the filters of the ledger. */
function createSpans(billingZone: string): (day: string, unit: 'day' | 'month') => Search {
  const startOf = (day: string) => new Date(startOfDay(billingZone, day)).toISOString();
  return (day, unit) => {
    const end = unit === 'day' ? shiftDay(day, 1) : `${shiftMonth(day.slice(0, 7), 1)}-01`;
    return { start_at: startOf(day), end_at: startOf(end) };
  };
}

function linkEntries(shown: ReactNode, search: Search): ReactElement {
  return (
    <RowLink to="/ledger" search={search}>
      {shown}
    </RowLink>
  );
}

/** Nothing is behind an amount that is nothing. */
function linkAmount(amount: string, search: Search, to: '/ledger' | '/tasks' = '/ledger'): ReactElement {
  const shown = <Amount value={amount} />;
  if (isZero(amount)) return shown;
  return (
    <RowLink to={to} search={search}>
      {shown}
    </RowLink>
  );
}

/** A sum over receipts: those of its result, or all of them. */
function linkReceipts(name: FirmSum, sum: number | string, firm: Search): ReactNode {
  const shown = typeof sum === 'number' ? showCount(sum) : <Amount value={sum} />;
  if (sum === 0 || (typeof sum === 'string' && isZero(sum))) return shown;
  const result = SHOWN_RESULTS.find((one) => one === name);
  return (
    <RowLink to="/receipts" search={{ result, ...firm }}>
      {shown}
    </RowLink>
  );
}

/** The lines that make the charges of the firms those of the ledger. */
function sumUpFirms(say: Say, { firms, pending_charged: pending }: Statement, charge: ReactElement): PlainRow[] {
  if (firms.length === 0 && isZero(pending)) return [];
  const name = say('record.firm');
  const charged = say('sum.charged');
  const total = { [name]: say('statement.total'), [charged]: charge };
  return isZero(pending)
    ? [total]
    : [{ [name]: say('statement.pending'), [charged]: <Amount value={pending} /> }, total];
}

function pathOf(month: string): string {
  return `/openapi/v1/finance/statements/${encodeURIComponent(month)}/`;
}

function statementQuery(client: PostriderClient, month: string) {
  return queryOptions({
    queryKey: ['statement', month],
    queryFn: ({ signal }) => client.request<Statement>({ method: 'GET', path: pathOf(month), signal }),
  });
}

/** On the way to the page, with the names of what it speaks of. */
export function readStatement(client: PostriderClient, month: string): Promise<unknown> {
  return Promise.all([
    queryClient.ensureQueryData(statementQuery(client, month)),
    queryClient.ensureQueryData(accountQuery(client)),
    queryClient.ensureQueryData(templatesQuery(client)),
    queryClient.ensureQueryData(firmsQuery(client)),
  ]);
}

export function StatementPage(): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const navigate = useNavigate();
  const { month = '' } = useParams({ strict: false });
  const { data, error } = useQuery({ ...statementQuery(client, month), refetchInterval: 10_000 });
  const zone = useAccount().data?.billing_time_zone ?? 'UTC';
  const current = dayAt(zone, Date.now()).slice(0, 7);
  const isLast = month >= current;
  const isProvisional = data?.provisional ?? isLast;
  return (
    <Page
      title={say(isProvisional ? 'statement.titleSoFar' : 'statement.title', { month })}
      lead={say(isProvisional ? 'statement.leadSoFar' : 'statement.lead', { zone })}
      above={<BackLink to="/ledger">{say('nav.ledger')}</BackLink>}
      actions={
        <>
          <ChoiceField
            aria-label={say('statement.month')}
            value={month}
            choices={listMonths(current, month).map((value) => ({ value, label: value }))}
            onChange={(event) => void navigate({ to: `/statements/${event.currentTarget.value}` })}
          />
          <ButtonLink to={`/statements/${shiftMonth(month, -1)}`} look="bordered">
            {say('statement.previous')}
          </ButtonLink>
          {!isLast && (
            <ButtonLink to={`/statements/${shiftMonth(month, 1)}`} look="bordered">
              {say('statement.next')}
            </ButtonLink>
          )}
          <DownloadButton
            target={pathOf(month)}
            fileName={`statement-${month}${isProvisional ? '-provisional' : ''}.csv`}
          />
          <Button look="bordered" onClick={() => print()}>
            {say('statement.print')}
          </Button>
        </>
      }
    >
      {data === undefined ? (
        <Card>{error === null ? <LoadingState lines={8} /> : <FailureState error={error} />}</Card>
      ) : (
        <>
          <StatementHead statement={data} />
          <StatementBody statement={data} zone={zone} />
        </>
      )}
    </Page>
  );
}

/** How far back the choice goes; older ones have their address, and the buttons lead there. */
const MONTHS = 36;

function listMonths(current: string, shown: string): readonly string[] {
  const recent = Array.from({ length: MONTHS }, (_, index) => shiftMonth(current, -index));
  return recent.includes(shown) ? recent : [...recent, shown];
}

/** What makes it a document: who issues it, for whom, and for which time. */
function StatementHead({ statement }: { readonly statement: Statement }): ReactElement {
  const say = useWords();
  const { month, billing_time_zone: zone } = statement;
  const lastDay = shiftDay(`${shiftMonth(month, 1)}-01`, -1);
  return (
    <CardGrid columns={1}>
      <Card>
        <Facts
          facts={[
            [say('statement.issuer'), statement.issuer],
            [say('statement.customer'), `${statement.customer_name} (${statement.customer_no})`],
            [say('statement.period'), say('statement.span', { from: `${month}-01`, until: lastDay, zone })],
            [say('statement.currency'), statement.currency],
            [say('statement.made'), <Moment key="made" at={new Date().toISOString()} style="minute" />],
          ]}
        />
      </Card>
    </CardGrid>
  );
}

function StatementBody({ statement, zone }: { readonly statement: Statement; readonly zone: string }): ReactElement {
  const spanOf = createSpans(zone);
  const say = useWords();
  const nameTemplate = useTemplateNames();
  const nameFirm = useFirmNames();
  // What lies below the screen is the most of it, and waits for the frame.
  const isDrawn = useDrawn();
  const { month, currency, opening, closing, entries } = statement;
  const span = spanOf(`${month}-01`, 'month');
  const tileOf = (name: string, { available, frozen }: Balances) => ({
    name,
    value: linkEntries(<Amount value={available} currency={currency} />, span),
    note: (
      <>
        {say('money.reserved')} <Amount value={frozen} />
      </>
    ),
  });
  // The list of tasks takes days, the last of them whole.
  const days = {
    from: `${month}-01`,
    until: shiftDay(`${shiftMonth(month, 1)}-01`, -1),
  };
  const rows = Object.entries(entries).map(([type, { count, amount }]) => ({
    [say('record.type')]: sayValue(say, 'ledger', type),
    [say('statement.count')]: count === 0 ? count : linkEntries(showCount(count), { type, ...span }),
    [say('record.amount')]: linkAmount(amount, { type, ...span }),
  }));
  const amounts = Object.keys(entries).map((type) => sayValue(say, 'ledger', type));
  return (
    <>
      <Tiles tiles={[tileOf(say('statement.opening'), opening), tileOf(say('statement.closing'), closing)]} />
      <CardGrid columns={1}>
        <Card title={say('statement.entries')}>
          <PlainTable
            rows={rows}
            label={say('statement.entries')}
            figures={[say('statement.count'), say('record.amount')]}
          />
        </Card>
        <Card title={say('statement.firms')}>
          <PlainTable
            rows={[
              ...statement.firms.map(({ firm, ...sums }) => ({
                [say('record.firm')]: firm === null ? say('overview.noFirm') : nameFirm(firm),
                ...Object.fromEntries(
                  FIRM_SUMS.map((name) => [
                    say(`sum.${name}`),
                    linkReceipts(name, sums[name], { firm: firm ?? NO_FIRM, ...span }),
                  ]),
                ),
              })),
              ...sumUpFirms(
                say,
                statement,
                linkAmount(entries.charge?.amount ?? '0.000000', { type: 'charge', ...span }),
              ),
            ]}
            label={say('statement.firms')}
            figures={FIRM_SUMS.map((name) => say(`sum.${name}`))}
          />
          {!isZero(statement.pending_charged) && <p className="soft">{say('statement.pendingHint')}</p>}
        </Card>
        {isDrawn && (
          <>
            <StatementPrices prices={statement.prices} />
            <Card title={say('statement.templates')}>
              <PlainTable
                rows={statement.templates.map(({ template_no: templateNo, entries: sums }) => ({
                  [say('tasks.filter.template')]: templateNo && (
                    <Link to="/tasks" search={{ template_no: templateNo, ...days }}>
                      {nameTemplate(templateNo)}
                    </Link>
                  ),
                  ...spreadSums(say, sums, (amount, type) =>
                    templateNo === null
                      ? linkAmount(amount, { type, ...span })
                      : linkAmount(amount, { template_no: templateNo, ...days }, '/tasks'),
                  ),
                }))}
                label={say('statement.templates')}
                figures={amounts}
              />
            </Card>
            <Card title={say('statement.days')}>
              <PlainTable
                rows={statement.days.map(({ day, closing, entries: sums }) => ({
                  [say('statement.day')]: linkEntries(day, spanOf(day, 'day')),
                  ...spreadSums(say, sums, (amount, type) => linkAmount(amount, { type, ...spanOf(day, 'day') })),
                  [say('record.availableAfter')]: linkEntries(<Amount value={closing.available} />, spanOf(day, 'day')),
                  [say('record.frozenAfter')]: linkEntries(<Amount value={closing.frozen} />, spanOf(day, 'day')),
                }))}
                label={say('statement.days')}
                figures={[...amounts, say('record.availableAfter'), say('record.frozenAfter')]}
              />
            </Card>
          </>
        )}
      </CardGrid>
    </>
  );
}
