// The few figures that matter, large, each with the way to what is behind it.

import type { ReactElement, ReactNode } from 'react';
import styles from './tiles.module.css';

export interface Tile {
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
  /** How it was before. */
  readonly change?: ReactNode;
}

export function Tiles({ tiles }: { readonly tiles: readonly Tile[] }): ReactElement {
  const hasNotes = tiles.some((tile) => 'note' in tile);
  const hasChanges = tiles.some((tile) => 'change' in tile);
  return (
    <dl className={styles.tiles}>
      {tiles.map(({ name, value, note, change }) => (
        <div key={name} className={styles.tile}>
          <dt>{name}</dt>
          <dd className={styles.value}>{value}</dd>
          {hasNotes && <dd className={styles.note}>{note}</dd>}
          {hasChanges && <dd className={styles.note}>{change}</dd>}
        </div>
      ))}
    </dl>
  );
}
