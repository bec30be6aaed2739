import { Textarea, type TextareaProps } from '@mantine/core';
import type { ReactElement } from 'react';
import styles from './growing-text.module.css';

interface GrowingTextProps
  extends Omit<TextareaProps, 'autosize' | 'classNames' | 'maxRows' | 'minRows' | 'resize' | 'rows'> {
  /** At least; more as it is filled. */
  readonly rows: number;
  /** Every character as wide as the others. */
  readonly isCode?: boolean;
}

/**
 * As tall as what is in it. The browser sees to that by itself: told how tall to be, it would have to lay the page out each time to find
 * out. One that cannot shows the rows it was given, and a corner to pull at.
 */
export function GrowingText({ rows, isCode = false, ...others }: GrowingTextProps): ReactElement {
  return (
    <Textarea
      {...others}
      rows={rows}
      style={{ '--rows': String(rows) }}
      resize="vertical"
      classNames={{ input: isCode ? `${styles.growing} mono` : (styles.growing ?? '') }}
    />
  );
}
