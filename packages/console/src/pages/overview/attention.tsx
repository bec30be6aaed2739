// What waits for somebody: numbers to be verified, tasks without money, tasks that failed.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { useCustomer } from '../../api/clients.js';
import { deliveryRate, readStatistics, type StatisticsRow } from '../../api/statistics.js';
import { Icon } from '../../design/icons.js';
import { Card, CardGrid } from '../../parts/page.js';
import { useWords } from '../../words/say.js';
import styles from './overview.module.css';

const LOOKED_AT = 100;
const DAY_MS = 86_400_000;
/** Enough numbers to mean something, and fewer than half of them delivered. */
const FAILING_FROM = 20;

function isFailing({ key, total, delivered }: StatisticsRow): boolean {
  return key !== null && total >= FAILING_FROM && delivered * 2 < total;
}

export function Attention(): ReactElement | null {
  const say = useWords();
  const client = useCustomer();
  const { data } = useQuery({
    queryKey: ['attention'],
    refetchInterval: 5_000,
    queryFn: async ({ signal }) => {
      const read = (stage: 'submit_unknown' | 'prepared' | 'failed') =>
        client.tasks({ stage, pageSize: LOOKED_AT, signal }).page();
      const [unknown, prepared, failed] = await Promise.all([read('submit_unknown'), read('prepared'), read('failed')]);
      const endAt = new Date();
      const period = { startAt: new Date(endAt.getTime() - DAY_MS), endAt };
      // A service without statistics has nothing to say about templates.
      const templates = await readStatistics(client, 'template', period, signal).catch(() => []);
      const waiting = prepared.items.filter((task) => task.accounting_state === 'insufficient_funds');
      return {
        unknown: unknown.items.reduce((sum, { counts }) => sum + counts.unknown, 0),
        waiting: waiting.length,
        held: prepared.items.length - waiting.length,
        failed: failed.total,
        failing: templates.filter(isFailing),
      };
    },
  });
  if (data === undefined) return null;
  const { failing, ...counts } = data;
  if (failing.length === 0 && Object.values(counts).every((count) => count === 0)) return null;
  const lineOf = (count: number, stage: string, words: ReactNode, color: string) =>
    count > 0 && (
      <li key={stage + color} className={styles.line}>
        <span style={{ color }}>
          <Icon name="alert" size={16} />
        </span>
        <Link to="/tasks" search={{ stage }}>
          {words}
        </Link>
      </li>
    );
  return (
    <CardGrid columns={1}>
      <Card title={say('overview.attention')}>
        <ul className={styles.lines}>
          {lineOf(
            data.unknown,
            'submit_unknown',
            say('overview.unknown', { count: data.unknown }),
            'var(--unknown-ink)',
          )}
          {lineOf(data.waiting, 'prepared', say('overview.waiting', { count: data.waiting }), 'var(--undelivered-ink)')}
          {lineOf(data.failed, 'failed', say('overview.failed', { count: data.failed }), 'var(--rejected-ink)')}
          {lineOf(data.held, 'prepared', say('overview.held', { count: data.held }), 'var(--unsent-ink)')}
          {failing.map((row) => (
            <li key={row.key} className={styles.line}>
              <span style={{ color: 'var(--undelivered-ink)' }}>
                <Icon name="alert" size={16} />
              </span>
              <Link to="/tasks" search={{ template_no: row.key ?? '' }}>
                {say('overview.failing', { template: row.key ?? '', rate: deliveryRate(row) ?? 0, count: row.total })}
              </Link>
            </li>
          ))}
        </ul>
      </Card>
    </CardGrid>
  );
}
