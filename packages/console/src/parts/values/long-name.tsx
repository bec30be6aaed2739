import type { ReactElement } from 'react';
import styles from './labels.module.css';

/** So many letters have room everywhere. */
const SHORT = 14;
const KEPT_END = 7;

/** Names that programs make differ at their end: where there is too little room, the middle is left out. */
export function LongName({ name }: { readonly name: string }): ReactElement {
  const letters = [...name];
  if (letters.length <= SHORT) return <span>{name}</span>;
  // A space behind the dots would look like two.
  const isSpaced = letters.at(-KEPT_END) === ' ';
  const end = letters.length - KEPT_END + (isSpaced ? 1 : 0);
  return (
    <span className={styles.longName} title={name}>
      <span className="visually-hidden">{name}</span>
      <span className={styles.nameStart} aria-hidden="true">
        {letters.slice(0, end).join('')}
      </span>
      <span aria-hidden="true">{letters.slice(end).join('')}</span>
    </span>
  );
}
