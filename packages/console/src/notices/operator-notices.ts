// What an operator may have to look at: channels that are down or came back, templates to review, erasures that ended, months that
// are over, and customers whose money runs out.

import type { Channel, Customer, Erasure, OperatorClient, Review } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { customersQuery } from '../api/operator-lists.js';
import { toMillionths } from '../format/money.js';
import { type Say, sayValue, useWords } from '../words/say.js';
import type { Notice } from './notice.js';
import { useSeen } from './seen-notices.js';

const POLL_MS = 30_000;
const CUSTOMERS_POLL_MS = 120_000;
const PAGE = { pageSize: 100 } as const;
const NEWEST = { pageSize: 20 } as const;

export function useOperatorNotices(operator: OperatorClient): readonly Notice[] | undefined {
  const say = useWords();
  const seen = useSeen('operator');
  const { data } = useQuery({
    queryKey: ['operator-notices'],
    refetchInterval: POLL_MS,
    queryFn: async ({ signal }) => {
      const [channels, reviews, erasures] = await Promise.all([
        operator.channels({ ...PAGE, signal }).page(),
        operator.reviews({ ...NEWEST, signal }).page(),
        operator.erasures({ ...NEWEST, signal }).page(),
      ]);
      return { channels: channels.items, reviews: reviews.items, erasures: erasures.items };
    },
  });
  const { data: known } = useQuery({ ...customersQuery(operator), refetchInterval: CUSTOMERS_POLL_MS });
  if (data === undefined || known === undefined) return undefined;
  return [
    ...data.channels.flatMap((channel) => noteChannel(say, channel, seen)),
    ...data.reviews.map((review) => noteReview(say, review)),
    ...data.erasures.flatMap((erasure) => noteErasure(say, erasure)),
    ...known.customers.flatMap((customer) => noteBalance(say, customer)),
    ...(known.customers.length === 0 ? [] : [noteMonth(say, new Date())]),
  ];
}

/** A channel that came back is news for who has seen it down. */
function noteChannel(say: Say, channel: Channel, seen: readonly string[]): readonly Notice[] {
  const { channel_no: no, name, status, health } = channel;
  if (status !== 'active') return [];
  const idOf = (state: string) => `channel ${no} ${state}`;
  const isUp = health.state === 'up';
  if (isUp && !seen.some((id) => id.startsWith(idOf('down')) || id.startsWith(idOf('degraded')))) return [];
  const text = isUp
    ? say('bell.channelUp', { name })
    : say('concerns.down', { name, state: sayValue(say, 'status', health.state).toLowerCase() });
  return [
    {
      id: `${idOf(health.state)} ${health.since ?? ''}`,
      look: isUp ? 'delivered' : health.state === 'down' ? 'undelivered' : 'unknown',
      text,
      at: health.since,
      to: `/operator/channels/${no}`,
    },
  ];
}

function noteReview(
  say: Say,
  { template_no: no, revision, name, customer_name: customer, submitted_at: at }: Review,
): Notice {
  const text = say('bell.review', { name, customer });
  return { id: `review ${no} ${revision}`, look: 'awaiting', text, at, to: '/operator/reviews' };
}

function noteErasure(say: Say, { erasure_no: no, status, done_at: at }: Erasure): readonly Notice[] {
  if (status !== 'done') return [];
  return [{ id: `erasure ${no}`, look: 'delivered', text: say('bell.erased', { no }), at, to: '/operator/erasures' }];
}

/** Below the alert mark of the customer; one without a mark wants no alert. */
function noteBalance(say: Say, customer: Customer): readonly Notice[] {
  const { customer_no: no, name, status, low_balance: low, account } = customer;
  if (status !== 'active' || low === null || toMillionths(account.available) >= toMillionths(low)) return [];
  const text = say('bell.lowBalance', { name });
  return [
    {
      id: `balance ${no} ${low}`,
      look: 'unknown',
      text,
      at: null,
      to: `/operator/customers/${no}`,
      search: { tab: 'money' },
    },
  ];
}

/** The statements of the month that is over change no more. */
function noteMonth(say: Say, now: Date): Notice {
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  const month = new Date(first.getTime() - 1).toISOString().slice(0, 7);
  const text = say('bell.month', { month });
  return { id: `month ${month}`, look: 'delivered', text, at: first.toISOString(), to: '/operator/customers' };
}
