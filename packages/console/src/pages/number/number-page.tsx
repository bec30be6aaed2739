// The complete history of one number, in order.

import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { useCustomer } from '../../api/clients.js';
import { numberStoryQuery, type NumberStory as Story } from '../../api/number-story.js';
import { showCount } from '../../format/count.js';
import { addAmounts } from '../../format/money.js';
import { Card, Page } from '../../parts/layout/page.js';
import { FailureState, LoadingState, State } from '../../parts/layout/states.js';
import { Tiles } from '../../parts/layout/tiles.js';
import { Amount } from '../../parts/values/amount.js';
import { Moment } from '../../parts/values/moment.js';
import { useWords } from '../../words/say.js';
import { NumberSearch } from './number-search.js';
import { NumberStory } from './number-story.js';

export function NumberPage(): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const navigate = useNavigate();
  const { phone = '' } = useParams({ strict: false });
  const { data, error } = useQuery({
    ...numberStoryQuery(client, phone),
    enabled: phone !== '',
    refetchInterval: 2_000,
  });
  return (
    <Page title={phone === '' ? say('nav.numbers') : phone} lead={say('number.lead')}>
      <NumberSearch
        phone={phone}
        onFind={(wanted) => void navigate({ to: '/numbers/$phone', params: { phone: wanted } })}
      />
      {phone === '' ? (
        <Card>
          <State icon="search" title={say('number.ask')} hint={say('number.askHint')} />
        </Card>
      ) : data === undefined ? (
        <Card>{error === null ? <LoadingState lines={8} /> : <FailureState error={error} />}</Card>
      ) : (
        <Found phone={phone} story={data} />
      )}
    </Page>
  );
}

function Found({ phone, story }: { readonly phone: string; readonly story: Story }): ReactElement {
  const say = useWords();
  const { events, receipts, open, replies, optedOutAt, isCut } = story;
  const currency = useAccount().data?.currency ?? '';
  const delivered = receipts.filter(({ result }) => result === 'delivered').length;
  if (events.length === 0) {
    return (
      <Card>
        <State icon="empty" title={say('number.nothing')} hint={say('number.nothingHint')}>
          <Link to="/search" search={{ q: phone }}>
            {say('search.instead')}
          </Link>
        </State>
      </Card>
    );
  }
  const link = (count: number, to: '/receipts' | '/replies', search: Readonly<Record<string, string>>) =>
    count === 0 ? (
      showCount(count)
    ) : (
      <Link to={to} search={search}>
        {showCount(count)}
      </Link>
    );
  return (
    <>
      {optedOutAt !== null && (
        <Alert color="orange" mb="md">
          {say('number.optedOut')} <Moment at={optedOutAt} />
        </Alert>
      )}
      <Tiles
        tiles={[
          { name: say('number.receipts'), value: link(receipts.length, '/receipts', { phone }) },
          { name: say('outcome.delivered'), value: link(delivered, '/receipts', { phone, result: 'delivered' }) },
          { name: say('number.open'), value: showCount(open) },
          { name: say('nav.replies'), value: link(replies, '/replies', { with: phone }) },
          {
            name: say('record.charged'),
            value: (
              <Amount value={addAmounts('0', ...receipts.map(({ charged }) => charged))} currency={currency} isShort />
            ),
          },
        ]}
      />
      <Card>
        <NumberStory key={phone} events={events} texts={story.texts} />
        {isCut && <p className="soft">{say('number.cut')}</p>}
      </Card>
    </>
  );
}
