// The money of a task or a batch as the sum that it is: frozen is charged, released or still held.

import type { LedgerType, TaskAmounts } from '@postrider/client';
import type { ReactElement, ReactNode } from 'react';
import { addAmounts, isZero } from '../../format/money.js';
import { useWords } from '../../words/say.js';
import { Amount } from './amount.js';
import styles from './money-sum.module.css';

/** Leads from an amount to the entries of the ledger that it is the sum of. */
export type LinkAmount = (entries: { readonly type?: LedgerType }, shown: ReactNode) => ReactNode;

interface MoneySumProps {
  readonly amounts: TaskAmounts;
  /** What freezing takes, shown while nothing is frozen. */
  readonly price?: string | undefined;
  readonly state?: string;
  readonly linkAmount?: LinkAmount | undefined;
}

export function MoneySum({ amounts, price, state, linkAmount }: MoneySumProps): ReactElement {
  const say = useWords();
  const { currency, frozen, charged, released, refunded, held } = amounts;
  const show = (value: string, entries: { readonly type?: LedgerType }) => {
    const shown = <Amount value={value} />;
    return isZero(value) ? shown : (linkAmount?.(entries, shown) ?? shown);
  };
  const isBalanced = addAmounts(charged, released, held) === addAmounts(frozen);
  return (
    <>
      <table className={styles.money}>
        <tbody>
          {price !== undefined && isZero(frozen) && (
            <Line name={say('money.price')} value={<Amount value={price} />} currency={currency} />
          )}
          <Line name={say('money.charged')} value={show(charged, { type: 'charge' })} />
          <Line name={say('money.released')} value={show(released, { type: 'release' })} />
          <Line name={say('money.held')} value={show(held, {})} />
        </tbody>
        <tfoot>
          <Line name={say('money.frozen')} value={show(frozen, { type: 'freeze' })} currency={currency} />
          {!isZero(refunded) && (
            <Line name={say('money.refunded')} value={show(refunded, { type: 'refund' })} currency={currency} />
          )}
        </tfoot>
      </table>
      <p className={styles.note}>{say(isBalanced ? 'money.equation' : 'money.unbalanced')}</p>
      {state !== undefined && <p className={styles.note}>{say('money.state', { state })}</p>}
    </>
  );
}

interface LineProps {
  readonly name: string;
  readonly value: ReactNode;
  readonly currency?: string;
}

function Line({ name, value, currency }: LineProps): ReactElement {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{value}</td>
      <td className={styles.currency}>{currency}</td>
    </tr>
  );
}
