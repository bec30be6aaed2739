// What a customer may have to look at: money that runs out, webhooks that fail, decided templates, keys that end soon, months that are
// over.

import type { Account, Credential, OwnTemplate, PostriderClient, Webhook } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { isExpiring, mayCall, mayManageKeys } from '../api/customer-scopes.js';
import { readOr } from '../api/query-client.js';
import { readTemplates } from '../api/templates.js';
import { findFailingSince, stateOfWebhook } from '../api/webhook-state.js';
import { dayAt, shiftDay, startOfDay } from '../format/local-day.js';
import { findFree, toMillionths } from '../format/money.js';
import type { UserSession } from '../session/session.js';
import { type Say, useWords } from '../words/say.js';
import type { Notice } from './notice.js';

const POLL_MS = 60_000;
const PAGE = { pageSize: 100 } as const;
const NEWEST = { pageSize: 1 } as const;
const NONE = { items: [] } as const;
/** As in mails: a call that fails once is no news. */
const FAILING_MS = 5 * 60_000;
/** Older decisions are no news. */
const REVIEWED_MS = 30 * 86_400_000;

interface Money {
  readonly account: Account;
  /** What came in last: money that runs out again after it is another notice. */
  readonly lastTopup: string;
  /** The month that is over, as 2026-10; undefined where nothing had happened by its end. */
  readonly month: string | undefined;
  readonly monthEnd: Date;
}

async function readMoney(client: PostriderClient, signal: AbortSignal): Promise<Money> {
  const account = await client.account({ signal });
  const { billing_time_zone: zone } = account;
  const thisMonth = `${dayAt(zone, Date.now()).slice(0, 7)}-01`;
  const monthEnd = new Date(startOfDay(zone, thisMonth));
  const [topups, before] = await Promise.all([
    client.ledgers({ type: 'topup', ...NEWEST, signal }).page(),
    client.ledgers({ endAt: monthEnd, ...NEWEST, signal }).page(),
  ]);
  const month = before.items.length === 0 ? undefined : shiftDay(thisMonth, -1).slice(0, 7);
  return { account, lastTopup: topups.items[0]?.ledger_no ?? '', month, monthEnd };
}

/** What the role may not see is left out. */
export function useCustomerNotices(client: PostriderClient, session: UserSession): readonly Notice[] | undefined {
  const say = useWords();
  const { data } = useQuery({
    queryKey: ['customer-notices'],
    refetchInterval: POLL_MS,
    queryFn: async ({ signal }) => {
      const [money, webhooks, keys, templates] = await Promise.all([
        mayCall(session, 'finance') ? readOr(readMoney(client, signal), undefined) : undefined,
        mayCall(session, 'webhooks') ? readOr(client.webhooks({ signal }).page(), NONE) : NONE,
        mayManageKeys(session) ? readOr(client.credentials({ ...PAGE, signal }).page(), NONE) : NONE,
        readOr(readTemplates(client, signal), []),
      ]);
      return { money, webhooks: webhooks.items, keys: keys.items, templates };
    },
  });
  if (data === undefined) return undefined;
  const nowMs = Date.now();
  return [
    ...(data.money === undefined ? [] : [...noteBalance(say, data.money), ...noteMonth(say, data.money)]),
    ...data.webhooks.flatMap((webhook) => noteWebhook(say, webhook, nowMs)),
    ...data.keys.flatMap((key) => noteKey(say, key, nowMs)),
    ...data.templates.flatMap((template) => noteTemplate(say, template, nowMs)),
  ];
}

function noteBalance(say: Say, { account, lastTopup }: Money): readonly Notice[] {
  const { customer_no: no, available, low_balance: mark } = account;
  const isUsedUp = toMillionths(findFree(account)) <= 0n;
  if (!isUsedUp && (mark === null || toMillionths(available) >= toMillionths(mark))) return [];
  return [
    {
      id: `balance ${no} ${isUsedUp ? 'used up' : mark} ${lastTopup}`,
      look: isUsedUp ? 'undelivered' : 'unknown',
      text: say(isUsedUp ? 'bell.usedUp' : 'bell.belowMark'),
      at: null,
      to: '/ledger',
    },
  ];
}

function noteMonth(say: Say, { account, month, monthEnd }: Money): readonly Notice[] {
  if (month === undefined) return [];
  const id = `month ${account.customer_no} ${month}`;
  const text = say('bell.statement', { month });
  return [{ id, look: 'delivered', text, at: monthEnd.toISOString(), to: `/statements/${month}` }];
}

function noteWebhook(say: Say, webhook: Webhook, nowMs: number): readonly Notice[] {
  const { webhook_no: no, url, description, disabled_reason: reason, disabled_at: disabledAt } = webhook;
  const state = stateOfWebhook(webhook);
  const since = findFailingSince(webhook);
  const isFailing = state === 'failing' && since !== undefined && Date.parse(since) <= nowMs - FAILING_MS;
  // One that a person disabled is no news to them.
  if (!isFailing && !(state === 'disabled' && reason !== null)) return [];
  const at = isFailing ? since : disabledAt;
  return [
    {
      id: `webhook ${no} ${state} ${at ?? ''}`,
      look: isFailing ? 'unknown' : 'undelivered',
      text: say(isFailing ? 'bell.webhookFailing' : 'bell.webhookDisabled', { name: description ?? url }),
      at,
      to: '/developers',
      search: { tab: 'webhooks' },
    },
  ];
}

function noteKey(say: Say, key: Credential, nowMs: number): readonly Notice[] {
  if (!isExpiring(key, nowMs)) return [];
  const { api_key: no, name, expires_at: at } = key;
  const text = say('bell.keyExpires', { name: name ?? no });
  return [{ id: `key ${no} ${at ?? ''}`, look: 'expired', text, at, to: '/developers', search: { tab: 'keys' } }];
}

function noteTemplate(say: Say, template: OwnTemplate, nowMs: number): readonly Notice[] {
  const { template_no: no, revision, name, status, submitted_at: submittedAt, reviewed_at: at } = template;
  // What an operator wrote was not submitted.
  if (submittedAt === null || at === null || Date.parse(at) < nowMs - REVIEWED_MS) return [];
  if (status !== 'active' && status !== 'rejected') return [];
  const text = say(status === 'active' ? 'bell.approved' : 'bell.rejected', { name });
  const look = status === 'active' ? 'delivered' : 'rejected';
  return [{ id: `template ${no} ${revision} ${status}`, look, text, at, to: '/templates' }];
}
