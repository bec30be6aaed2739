import type { ReactElement } from 'react';
import styles from './labels.module.css';
import { LongName } from './long-name.js';

interface TitleOrNameProps {
  readonly title: string | null;
  /** What it is called where it has no title. */
  readonly name: string;
}

/** People put what matters at the beginning of a title, so it is cut at its end; names that programs make differ there. */
export function TitleOrName({ title, name }: TitleOrNameProps): ReactElement {
  if (title === null) return <LongName name={name} />;
  return (
    <span className={styles.cut} title={title}>
      {title}
    </span>
  );
}
