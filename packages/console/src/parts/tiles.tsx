// The few figures that matter, large, each with the way to what is behind it.

import type { ReactElement, ReactNode } from 'react';
import styles from './tiles.module.css';

export interface Tile {
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
}

export function Tiles({ tiles }: { readonly tiles: readonly Tile[] }): ReactElement {
  const hasNotes = tiles.some((tile) => 'note' in tile);
  return (
    <dl className={styles.tiles}>
      {tiles.map(({ name, value, note }) => (
        <div key={name} className={styles.tile}>
          <dt>{name}</dt>
          <dd className={styles.value}>{value}</dd>
          {hasNotes && <dd className={styles.note}>{note}</dd>}
        </div>
      ))}
    </dl>
  );
}
