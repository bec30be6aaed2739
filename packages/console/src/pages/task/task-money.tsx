import type { ReactElement } from 'react';
import { priceOf, type ShownTaskDetail } from '../../api/later-fields.js';
import { addAmounts, isZero } from '../../api/money.js';
import { Amount } from '../../parts/amount.js';
import { useWords } from '../../words/say.js';
import styles from './task.module.css';

/** The money of a task as the sum that it is: frozen is charged, released or still held. */
export function TaskMoney({ task }: { readonly task: ShownTaskDetail }): ReactElement {
  const say = useWords();
  const { currency, frozen, charged, released, refunded, held } = task.amounts;
  const price = priceOf(task);
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
      <p className={styles.note}>
        {say(`accounting.${task.accounting_state}`)} · {say(isBalanced ? 'money.equation' : 'money.unbalanced')}
      </p>
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
