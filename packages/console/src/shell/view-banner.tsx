// Looking on as a customer: said all the time, with the way back, and when it is over.

import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useRouter } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Icon } from '../design/icons.js';
import { Button } from '../parts/controls/button.js';
import { Card } from '../parts/layout/page.js';
import { State } from '../parts/layout/states.js';
import { Moment } from '../parts/values/moment.js';
import { isView, signOut, useSessions, type ViewSession } from '../session/session.js';
import { useWords } from '../words/say.js';
import styles from './view-banner.module.css';

export function ViewBanner(): ReactElement | null {
  const say = useWords();
  const navigate = useNavigate();
  const { history } = useRouter();
  const queryClient = useQueryClient();
  const { customer } = useSessions();
  if (!isView(customer)) return null;
  const { customerNo, name, expiresAt, from } = customer;
  const goBack = async () => {
    // What was loaded belongs to who was looked at. Before the page is left: what the next one loads is its own, and looking at
    // a number twice would be in the audit log twice.
    queryClient.clear();
    if (from === undefined) await navigate({ to: '/operator/customers/$customerNo', params: { customerNo } });
    else history.push(from);
    signOut('customer');
  };
  return (
    <div className={styles.banner} role="status">
      <Icon name="operators" />
      <span>
        {say('view.banner', { name })} <Moment at={expiresAt} style="minute" />
      </span>
      <Button size="small" look="bordered" onClick={goBack}>
        {say('view.back')}
      </Button>
    </div>
  );
}

export function EndedView({ view }: { readonly view: ViewSession }): ReactElement {
  const say = useWords();
  return (
    <Card>
      <h1 className="visually-hidden">{say('view.ended')}</h1>
      <State icon="clock" title={say('view.ended')} hint={view.name} />
      <p className={styles.way}>
        <Link to="/operator/customers/$customerNo" params={{ customerNo: view.customerNo }}>
          {say('view.back')}
        </Link>
      </p>
    </Card>
  );
}
