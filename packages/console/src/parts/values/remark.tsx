import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { InfoPopover } from './info-popover.js';
import styles from './labels.module.css';

/** What an operator wrote, in one line: where there is no room for all of it, a press shows it. */
export function Remark({ text }: { readonly text: string }): ReactElement {
  return (
    <InfoPopover shown={<span>{text}</span>} title={text}>
      <Text size="sm" className={styles.whole ?? ''}>
        {text}
      </Text>
    </InfoPopover>
  );
}
