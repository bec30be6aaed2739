import type { ReactElement, ReactNode } from 'react';
import styles from './charts.module.css';

interface RoomProps {
  /** What is drawn when the data are there, in rem. */
  readonly height: number;
  readonly children: ReactNode;
}

/** Room for what is still loading, as high as it will be: what stands below does not move when it comes. */
export function Room({ height, children }: RoomProps): ReactElement {
  return (
    <div className={styles.room} style={{ '--room': `${height}rem` }}>
      {children}
    </div>
  );
}
