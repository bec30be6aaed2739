// Replies as conversations: who wrote on the left, what was said on the right.

import type { Uplink } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo } from 'react';
import { useCustomer } from '../../api/clients.js';
import { REPLY_FILTERS, uplinksOf } from '../../api/lists.js';
import { useRows } from '../../api/rows.js';
import { ChoiceFilter, FilterBar, NothingFound, useFilters } from '../../parts/forms/filters.js';
import { useDrawn } from '../../parts/layout/deferred-render.js';
import { Card, Page } from '../../parts/layout/page.js';
import { FailureState, LoadingState, State } from '../../parts/layout/states.js';
import { ListTools } from '../../parts/tables/list-tools.js';
import { RowLink } from '../../parts/tables/row-link.js';
import { Moment } from '../../parts/values/moment.js';
import { useWords } from '../../words/say.js';
import { Conversation } from './conversation.js';
import styles from './replies.module.css';

/** The newest message of each number, in the order in which they came. */
function listConversations(uplinks: readonly Uplink[]): readonly Uplink[] {
  const newest = new Map<string, Uplink>();
  for (const uplink of uplinks) if (!newest.has(uplink.phone)) newest.set(uplink.phone, uplink);
  return [...newest.values()];
}

/** As many as the tallest screens have room for; those below are drawn behind them. */
const IN_SIGHT = 20;

export function RepliesPage(): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const filters = useFilters(REPLY_FILTERS);
  // Which conversation is open is no filter: nothing is left out by it.
  const { with: chosen } = useFilters(['with'] as const).values;
  const accounts = useQuery({
    queryKey: ['service-accounts'],
    queryFn: ({ signal }) => client.serviceAccounts({ pageSize: 100, signal }).page(),
    staleTime: 60_000,
  });
  const source = useRows(uplinksOf(client, filters.values));
  const conversations = useMemo(() => listConversations(source.rows), [source.rows]);
  const phone = chosen ?? conversations[0]?.phone;
  const isDrawn = useDrawn();
  return (
    <Page title={say('nav.replies')} lead={say('replies.lead')}>
      <FilterBar filters={filters} tools={<ListTools list="replies" filters={filters} />}>
        <ChoiceFilter
          filters={filters}
          name="service_account_no"
          label={say('replies.account')}
          any={say('record.any')}
          choices={(accounts.data?.items ?? []).map(({ service_account_no: value, name, sender }) => ({
            value,
            label: `${name} · ${sender}`,
          }))}
        />
      </FilterBar>
      <Card isFlush>
        {source.error !== null ? (
          <FailureState error={source.error} />
        ) : source.isLoading ? (
          <LoadingState lines={6} />
        ) : conversations.length === 0 ? (
          <NothingFound filters={filters}>
            <State icon="replies" title={say('replies.empty')} hint={say('replies.emptyHint')} />
          </NothingFound>
        ) : (
          <div className={styles.split}>
            <ul className={styles.list}>
              {conversations.slice(0, isDrawn ? undefined : IN_SIGHT).map((uplink) => (
                <li key={uplink.phone}>
                  <RowLink
                    to="/replies"
                    search={{ ...filters.values, with: uplink.phone }}
                    className={styles.entry}
                    aria-current={uplink.phone === phone ? 'true' : undefined}
                  >
                    <span className={styles.who}>
                      <span className="mono">{uplink.phone}</span>
                      <Moment at={uplink.received_at} style="minute" />
                    </span>
                    <span className={styles.said}>{uplink.content}</span>
                  </RowLink>
                </li>
              ))}
              {isDrawn && source.hasMore && (
                <li>
                  <button type="button" className={styles.more} onClick={source.loadMore}>
                    {say('replies.more')}
                  </button>
                </li>
              )}
            </ul>
            <div className={styles.talk}>{phone !== undefined && <Conversation key={phone} phone={phone} />}</div>
          </div>
        )}
      </Card>
    </Page>
  );
}
