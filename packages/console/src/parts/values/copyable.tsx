import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { Icon } from '../../design/icons.js';
import { useWords } from '../../words/say.js';
import styles from './labels.module.css';

interface CopyableProps {
  readonly value: string;
  /** What it is, for who cannot see it. */
  readonly name: string;
  readonly children?: ReactNode;
}

export function Copyable({ value, name, children }: CopyableProps): ReactElement {
  const say = useWords();
  return (
    <span className={styles.copy}>
      <span className="mono">{children ?? value}</span>
      <CopyButton value={value}>
        {({ copied, copy }) => {
          const label = copied ? say('task.copied') : say('task.copy', { what: name });
          return (
            <Tooltip label={label}>
              <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={label}>
                <Icon name={copied ? 'check' : 'copy'} size={14} />
              </ActionIcon>
            </Tooltip>
          );
        }}
      </CopyButton>
    </span>
  );
}
