// What needs attention: numbers to verify, tasks without money, failed tasks.

import type { Outcome, PostriderClient, Stage } from '@postrider/client';
import { queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCustomer } from '../../api/clients.js';
import { isForbidden } from '../../api/query-client.js';
import { deliveryRate, readStatistics, type StatisticsRow } from '../../api/statistics.js';
import { useTemplateNames } from '../../api/templates.js';
import { type Concern, Concerns } from '../../parts/layout/concerns.js';
import { useWords } from '../../words/say.js';
import type { Warnings } from './warnings.js';

const LOOKED_AT = 100;
const DAY_MS = 86_400_000;
/** Enough numbers to mean something, and fewer than half of them delivered. */
const FAILING_FROM = 20;

function isFailing({ key, handed_over, delivered }: StatisticsRow): boolean {
  return key !== null && handed_over >= FAILING_FROM && delivered * 2 < handed_over;
}

interface AttentionCounts {
  readonly unknown: number;
  readonly waiting: number;
  readonly held: number;
  readonly failed: number;
  readonly failing: readonly StatisticsRow[];
}

export function attentionQuery(client: PostriderClient) {
  return queryOptions({
    queryKey: ['attention'],
    queryFn: async ({ signal }): Promise<AttentionCounts> => {
      const read = (stage: 'submit_unknown' | 'prepared' | 'failed') =>
        client.tasks({ stage, pageSize: LOOKED_AT, signal }).page();
      const endAt = new Date();
      const period = { startAt: new Date(endAt.getTime() - DAY_MS), endAt };
      const [unknown, prepared, failed, templates] = await Promise.all([
        read('submit_unknown'),
        read('prepared'),
        read('failed'),
        // A service without statistics has nothing to say about templates.
        readStatistics(client, 'template', period, signal).catch(() => []),
      ]);
      const waiting = prepared.items.filter((task) => task.accounting_state === 'insufficient_funds');
      const held = prepared.items.filter((task) => task.waits_for === 'freeze' || task.waits_for === 'submit');
      return {
        unknown: unknown.items.reduce((sum, { counts }) => sum + counts.unknown, 0),
        waiting: waiting.length,
        held: held.length,
        failed: failed.total,
        failing: templates.filter(isFailing),
      };
    },
  });
}

export function useAttention(): UseQueryResult<AttentionCounts> {
  return useQuery({ ...attentionQuery(useCustomer()), refetchInterval: 5_000 });
}

interface AttentionProps {
  readonly attention: UseQueryResult<AttentionCounts>;
  readonly warnings: Warnings | undefined;
}

export function Attention({ attention, warnings }: AttentionProps): ReactElement {
  const say = useWords();
  const nameTemplate = useTemplateNames();
  const { unknown = 0, waiting = 0, failed = 0, held = 0, failing = [] } = attention.data ?? {};
  const concernOf = (name: 'unknown' | 'waiting' | 'failed' | 'held', count: number, look: Outcome, stage: Stage) =>
    count > 0 && {
      key: name,
      look,
      link: (
        <Link to="/tasks" search={{ stage }}>
          {say(`overview.${name}`, { count })}
        </Link>
      ),
    };
  const warn = (key: string, link: ReactElement | false | undefined): Concern | false =>
    link !== false && link !== undefined && { key, look: 'undelivered', link };
  const found: (Concern | false)[] = [
    warn('balance', warnings?.isBalanceLow && <Link to="/ledger">{say('overview.lowBalance')}</Link>),
    warn(
      'webhooks',
      warnings !== undefined && warnings.failingWebhooks > 0 && (
        <Link to="/developers" search={{ tab: 'webhooks' }}>
          {say('overview.webhooks', { count: warnings.failingWebhooks })}
        </Link>
      ),
    ),
    warn(
      'keys',
      warnings !== undefined && warnings.expiringKeys > 0 && (
        <Link to="/developers" search={{ tab: 'keys' }}>
          {say('overview.keys', { count: warnings.expiringKeys })}
        </Link>
      ),
    ),
    ...(warnings?.rejectedTemplates ?? []).map((name) =>
      warn(`template ${name}`, <Link to="/templates">{say('overview.rejectedTemplate', { name })}</Link>),
    ),
    concernOf('unknown', unknown, 'unknown', 'submit_unknown'),
    concernOf('waiting', waiting, 'undelivered', 'prepared'),
    concernOf('failed', failed, 'rejected', 'failed'),
    concernOf('held', held, 'unsent', 'prepared'),
    ...failing.map(
      (row): Concern => ({
        key: row.key ?? '',
        look: 'undelivered',
        link: (
          <Link to="/tasks" search={{ template_no: row.key ?? '' }}>
            {say('overview.failing', {
              template: nameTemplate(row.key ?? ''),
              rate: deliveryRate(row) ?? 0,
              count: row.handed_over,
            })}
          </Link>
        ),
      }),
    ),
  ];
  const blindness =
    attention.data === undefined && attention.isError
      ? say(isForbidden(attention.error) ? 'overview.blind' : 'overview.blindNow')
      : undefined;
  return <Concerns concerns={found.filter((concern) => concern !== false)} blindness={blindness} />;
}
