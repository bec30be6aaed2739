// The money of a task or a batch as the sum that it is: frozen is charged, released or still held.

import type { TaskAmounts } from '@postrider/client';
import type { ReactElement } from 'react';
import { addAmounts, isZero } from '../api/money.js';
import { useWords } from '../words/say.js';
import { Amount } from './amount.js';
import styles from './money-sum.module.css';

interface MoneySumProps {
  readonly amounts: TaskAmounts;
  /** What freezing takes, shown while nothing is frozen. */
  readonly price?: string | undefined;
  readonly state?: string;
}

export function MoneySum({ amounts, price, state }: MoneySumProps): ReactElement {
  const say = useWords();
  const { currency, frozen, charged, released, refunded, held } = amounts;
  const isBalanced = addAmounts(charged, released, held) === addAmounts(frozen);
  return (
    <>
      <table className={styles.money}>
        <tbody>
          {price !== undefined && isZero(frozen) && (
            <Line name={say('money.price')} value={price} currency={currency} />
          )}
          <Line name={say('money.charged')} value={charged} />
          <Line name={say('money.released')} value={released} />
          <Line name={say('money.held')} value={held} />
        </tbody>
        <tfoot>
          <Line name={say('money.frozen')} value={frozen} currency={currency} />
          {!isZero(refunded) && <Line name={say('money.refunded')} value={refunded} currency={currency} />}
        </tfoot>
      </table>
      <p className={styles.note}>{say(isBalanced ? 'money.equation' : 'money.unbalanced')}</p>
      {state !== undefined && <p className={styles.note}>{say('money.state', { state })}</p>}
    </>
  );
}

interface LineProps {
  readonly name: string;
  readonly value: string;
  readonly currency?: string;
}

function Line({ name, value, currency }: LineProps): ReactElement {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <Amount value={value} />
      </td>
      <td className={styles.currency}>{currency}</td>
    </tr>
  );
}
