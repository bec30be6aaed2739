// How a period compares with the one before it, as long and cut at the same hour, so that a day that has just begun is not
// held against a whole one.

import type { PostriderClient } from '@postrider/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useCustomer } from '../../api/clients.js';
import { type Period, readStatistics, sumCounts } from '../../api/statistics.js';
import { showCount } from '../../format/count.js';
import { addAmounts, isZero, shareOf, showAmount, toMillionths } from '../../format/money.js';
import { useWords } from '../../words/say.js';

const HOUR_MS = 3_600_000;

/** What is over changes no more, but for reports that come late. */
const STALE_MS = 60_000;

/** Without `hasMoney`, the ledger is not read: this user may not. */
export function beforeQuery(client: PostriderClient, { startAt, endAt }: Period, nowMs: number, hasMoney: boolean) {
  const lengthMs = endAt.getTime() - startAt.getTime();
  // Whole hours are kept as sums: anything else would be counted from the receipts.
  const hourEndMs = Math.ceil((nowMs + 1) / HOUR_MS) * HOUR_MS;
  const period = { startAt: new Date(startAt.getTime() - lengthMs), endAt: new Date(hourEndMs - lengthMs) };
  return queryOptions({
    queryKey: ['before', period.startAt.getTime(), period.endAt.getTime(), hasMoney],
    staleTime: STALE_MS,
    queryFn: async ({ signal }) => {
      const [rows, entries] = await Promise.all([
        readStatistics(client, 'day', period, signal),
        hasMoney ? client.ledgers({ endAt: startAt, pageSize: 1, signal }).page() : undefined,
      ]);
      return {
        sums: sumCounts(rows),
        spent: addAmounts('0', ...rows.map(({ charged }) => charged)),
        available: entries?.items[0]?.available_after ?? '0',
      };
    },
  });
}

export function useBefore(period: Period, nowMs: number, hasMoney: boolean) {
  return useQuery(beforeQuery(useCustomer(), period, nowMs, hasMoney));
}

/** In tenths, with its sign. */
function showTenths(hundredfold: number): string {
  const tenths = Math.round(hundredfold * 10) / 10;
  return `${tenths > 0 ? '+' : tenths < 0 ? '−' : '±'}${showCount(Math.abs(tenths))}`;
}

/** Beyond this a percentage is not useful. */
const MANIFOLD = 10;

/** Of what there was. Where there was nothing, there is nothing to compare with, and nothing is said. */
function showShare(share: number): string {
  if (share + 1 >= MANIFOLD) return `×\u00a0${showCount(Math.round(share + 1))}`;
  return `${showTenths(share * 100)}\u00a0%`;
}

interface ChangeProps<Value> {
  readonly now: Value | undefined;
  readonly before: Value | undefined;
}

export function CountChange({ now, before }: ChangeProps<number>): ReactElement | null {
  if (now === undefined || before === undefined || before === 0) return null;
  return <Change change={showShare((now - before) / before)} before={showCount(before)} />;
}

/** A rate differs by points, not by a share of itself. */
export function RateChange({ now, before }: ChangeProps<number>): ReactElement | null {
  const say = useWords();
  if (before === undefined) return null;
  const points = now === undefined ? undefined : say('overview.points', { value: showTenths(now - before) });
  return <Change change={points} before={`${before.toFixed(1)}\u00a0%`} />;
}

export function AmountChange({ now, before }: ChangeProps<string>): ReactElement | null {
  if (now === undefined || before === undefined || isZero(before)) return null;
  return <Change change={showShare(shareOf(now, toMillionths(before)) - 1)} before={showAmount(before)} />;
}

function Change({ change, before }: { readonly change: string | undefined; readonly before: string }): ReactElement {
  const say = useWords();
  return (
    <>
      {change !== undefined && <strong>{change} · </strong>}
      {say('overview.before', { value: before })}
    </>
  );
}
