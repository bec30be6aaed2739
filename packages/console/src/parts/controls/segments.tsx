// A few choices side by side. The library's own moves a mark to the chosen one, and to know where that is has the browser lay the
// page out before it is made, several times.

import { type ReactElement, useId } from 'react';
import styles from './segments.module.css';

interface SegmentsProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string) => void;
  /** Over the whole width. */
  readonly isWide?: boolean;
}

export function Segments({ label, value, choices, onChange, isWide = false }: SegmentsProps): ReactElement {
  const name = useId();
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className={isWide ? `${styles.segments} ${styles.wide}` : styles.segments}
    >
      {choices.map((choice) => (
        <label key={choice.value} className={styles.segment}>
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          {choice.label}
        </label>
      ))}
    </div>
  );
}
