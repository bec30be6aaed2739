import type { ReactElement, ReactNode } from 'react';
import styles from '../charts/charts.module.css';
import { useDrawn } from './deferred-render.js';

interface RoomProps {
  /** What is drawn when the data are there, in rem. */
  readonly height: number;
  /** Below what is in sight at first: drawn in the frame behind it. */
  readonly isBelow?: boolean;
  readonly children: ReactNode;
}

/** Room for what is still loading, as high as it will be: what stands below does not move when it comes. */
export function Room({ height, isBelow = false, children }: RoomProps): ReactElement {
  const isDrawn = useDrawn();
  return (
    <div className={styles.room} style={{ '--room': `${height}rem` }}>
      {(isDrawn || !isBelow) && children}
    </div>
  );
}
