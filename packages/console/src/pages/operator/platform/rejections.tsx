// Numbers that were rejected in the last hour, by reason, with the way to their receipts.

import type { Platform } from '@postrider/client';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useMay } from '../../../api/identity.js';
import { nameOf, useCustomerNames } from '../../../api/names.js';
import { showCount } from '../../../format/count.js';
import { ProblemText } from '../../../parts/layout/states.js';
import { PlainTable } from '../../../parts/tables/plain-table.js';
import { Moment } from '../../../parts/values/moment.js';
import { useWords } from '../../../words/say.js';
import { sayCode } from '../../../words/say-reason.js';
import styles from '../operator.module.css';
import { useView, ViewLink } from '../view.js';

/** The card that a count of rejected numbers leads to, further down its page. */
export const REJECTIONS = 'rejections';

export function Rejections({ platform }: { readonly platform: Platform }): ReactElement {
  const say = useWords();
  const names = useCustomerNames();
  const mayView = useMay('view');
  const view = useView();
  const { since, reasons } = platform.rejections;
  const linkCustomer = (customerNo: string, count: number) => {
    const shown = `${nameOf(names, customerNo) ?? customerNo} (${showCount(count)})`;
    if (mayView) {
      const page = { customerNo, to: '/receipts', search: { result: 'rejected', start_at: since } };
      return (
        <ViewLink view={view} page={page}>
          {shown}
        </ViewLink>
      );
    }
    return (
      <Link to="/operator/tasks" search={{ customer_no: customerNo }}>
        {shown}
      </Link>
    );
  };
  if (reasons.length === 0) {
    return (
      <p className="soft">
        {say('platform.noRejections')} <Moment at={since} style="minute" />
      </p>
    );
  }
  return (
    <>
      <p className="soft">
        {say('platform.rejectedSince')} <Moment at={since} style="minute" />
      </p>
      {view.error !== null && <ProblemText error={view.error} />}
      <PlainTable
        label={say('platform.rejections')}
        figures={[say('platform.count')]}
        rows={reasons.map(({ code, count, customers }) => ({
          [say('platform.reason')]: (
            <span className={styles.explained}>
              <code>{code}</code>
              <span className="soft">{sayCode(say, code)}</span>
            </span>
          ),
          [say('nav.customers')]: (
            <span className={styles.explained}>
              {customers.map((one) => (
                <span key={one.customer_no}>{linkCustomer(one.customer_no, one.count)}</span>
              ))}
            </span>
          ),
          [say('platform.count')]: showCount(count),
        }))}
      />
    </>
  );
}
