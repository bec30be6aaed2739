import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { Icon } from '../../design/icons.js';
import styles from '../values/labels.module.css';

export function BackLink({ to, children }: { readonly to: string; readonly children: ReactNode }): ReactElement {
  return (
    <p className={styles.back}>
      <Link to={to} className={styles.label}>
        <Icon name="back" size={14} />
        {children}
      </Link>
    </p>
  );
}
