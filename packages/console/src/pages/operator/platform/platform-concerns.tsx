import type { OperatorClient, Platform } from '@postrider/client';
import { queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import { recoveryQuery } from '../../../api/operator-lists.js';
import { isZero } from '../../../format/money.js';
import { type Concern, Concerns } from '../../../parts/layout/concerns.js';
import { sayValue, useWords } from '../../../words/say.js';
import { REJECTIONS } from './rejections.js';

interface ConcernCounts {
  readonly setAside: number;
  readonly unknown: number;
  /** Templates that wait for review. */
  readonly reviews: number;
  /** Nothing was ever sent: how far the platform is set up. */
  readonly firstSteps: FirstSteps | undefined;
}

export interface FirstSteps {
  readonly hasCarrier: boolean;
  readonly hasChannel: boolean;
  readonly hasCustomer: boolean;
  readonly hasFunds: boolean;
  readonly hasTemplate: boolean;
}

async function readFirstSteps(operator: OperatorClient, signal: AbortSignal): Promise<FirstSteps | undefined> {
  const tasks = await operator.tasks({ pageSize: 1, signal }).page();
  if (tasks.total > 0) return undefined;
  const first = { pageSize: 100, signal };
  const [carriers, channels, customers] = await Promise.all([
    operator.firms(first).page(),
    operator.channels(first).page(),
    operator.customers(first).page(),
  ]);
  const newest = customers.items[0];
  const templates = newest && (await operator.templates(newest.customer_no, { status: 'active', ...first }).page());
  return {
    hasCarrier: carriers.items.length > 0,
    hasChannel: channels.items.some(({ status }) => status === 'active'),
    hasCustomer: customers.total > 0,
    hasFunds: customers.items.some(({ account }) => !isZero(account.available)),
    hasTemplate: templates !== undefined && templates.items.length > 0,
  };
}

/** How much waits, from the lists themselves: a count beside them could differ from what one finds there. */
export function concernsQuery(operator: OperatorClient) {
  return queryOptions({
    queryKey: ['concerns'],
    queryFn: async ({ signal }): Promise<ConcernCounts> => {
      const first = { pageSize: 1, signal };
      const [setAside, unknown, reviews, firstSteps] = await Promise.all([
        operator.setAside(first).page(),
        operator.unknownParts(first).page(),
        operator.reviews(first).page(),
        readFirstSteps(operator, signal),
      ]);
      return { setAside: setAside.total, unknown: unknown.total, reviews: reviews.total, firstSteps };
    },
  });
}

export function useConcerns(): UseQueryResult<ConcernCounts> {
  return useQuery({ ...concernsQuery(useOperator()), refetchInterval: 4_000 });
}

/** While held, each look counts what waits. */
const HELD_REFRESH_MS = 30_000;

interface PlatformConcernsProps {
  readonly platform: Platform;
  readonly concerns: ConcernCounts | undefined;
}

export function PlatformConcerns({ platform, concerns }: PlatformConcernsProps): ReactElement {
  const say = useWords();
  const { setAside = 0, unknown = 0, reviews = 0 } = concerns ?? {};
  const imbalances = platform.books?.imbalances ?? 0;
  const lostCommits = platform.nodes.reduce((sum, node) => sum + node.lost_commits, 0);
  const notRouted = platform.rejections.reasons.find(({ code }) => code === 'no_route')?.count ?? 0;
  const troubled = platform.channels.filter(({ status, health }) => status === 'active' && health.state !== 'up');
  const { data: recovery } = useQuery({ ...recoveryQuery(useOperator()), refetchInterval: HELD_REFRESH_MS });
  const found: (Concern | false)[] = [
    recovery?.state === 'held' && {
      key: 'held',
      look: 'undelivered',
      link: <Link to="/operator/held-channels">{say('concerns.held')}</Link>,
    },
    imbalances > 0 && {
      key: 'books',
      look: 'undelivered',
      link: <Link to="/operator/customers">{say('concerns.books', { count: imbalances })}</Link>,
    },
    lostCommits > 0 && {
      key: 'lost commits',
      look: 'undelivered',
      link: <Link to="/operator/channels">{say('concerns.lostCommits', { count: lostCommits })}</Link>,
    },
    setAside > 0 && {
      key: 'set aside',
      look: 'undelivered',
      link: <Link to="/operator/set-aside">{say('concerns.setAside', { count: setAside })}</Link>,
    },
    ...troubled.map(
      ({ channel_no: channelNo, name, health }): Concern => ({
        key: channelNo,
        look: health.state === 'down' ? 'undelivered' : 'unknown',
        link: (
          <Link to="/operator/channels/$channelNo" params={{ channelNo }}>
            {say('concerns.down', { name, state: sayValue(say, 'status', health.state).toLowerCase() })}
          </Link>
        ),
      }),
    ),
    notRouted > 0 && {
      key: 'not routed',
      look: 'rejected',
      link: <a href={`#${REJECTIONS}`}>{say('concerns.notRouted', { count: notRouted })}</a>,
    },
    unknown > 0 && {
      key: 'unknown',
      look: 'unknown',
      link: <Link to="/operator/unknown">{say('concerns.unknown', { count: unknown })}</Link>,
    },
    reviews > 0 && {
      key: 'reviews',
      look: 'unsent',
      link: <Link to="/operator/reviews">{say('concerns.reviews', { count: reviews })}</Link>,
    },
  ];
  return <Concerns concerns={found.filter((concern) => concern !== false)} />;
}
