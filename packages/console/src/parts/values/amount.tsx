import type { ReactElement } from 'react';
import { splitAmount } from '../../format/money.js';
import styles from './labels.module.css';

interface AmountProps {
  readonly value: string;
  readonly currency?: string;
  /** With its sign also where it is a plus. */
  readonly isSigned?: boolean;
  /** In a sentence the zeros that only align are left out. */
  readonly isShort?: boolean;
}

/** All six digits, the idle zeros faint: exact to the last digit, and aligned at the point in a column. */
export function Amount({ value, currency, isSigned = false, isShort = false }: AmountProps): ReactElement {
  const { sign, whole, fraction, zeros } = splitAmount(value);
  const plus = isSigned && sign === '' && !/^[0.]+$/.test(value) ? '+' : sign;
  const shown = [plus, whole, '.', fraction, isShort ? '' : zeros, currency === undefined ? '' : ` ${currency}`].join(
    '',
  );
  // A large figure in a small place is set smaller rather than cut; the style of the place uses the length.
  return (
    <span className={styles.amount} title={shown} style={{ '--length': shown.length }}>
      {plus}
      {whole}.{fraction}
      {!isShort && zeros !== '' && <span className={styles.zeros}>{zeros}</span>}
      {currency !== undefined && <span className={styles.currency}>{currency}</span>}
    </span>
  );
}
