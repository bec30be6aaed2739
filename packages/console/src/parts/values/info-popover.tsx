// What says more at a press: a code what it means, a remark the rest of it.

import { Popover } from '@mantine/core';
import { type ReactElement, type ReactNode, useState } from 'react';
import styles from './labels.module.css';

interface InfoPopoverProps {
  readonly shown: ReactElement;
  /** In short, where a pointer rests. */
  readonly title: string;
  /** What the press is for, where that which is shown does not say it. */
  readonly label?: string;
  readonly children: ReactNode;
}

/** The answer is made at the first press: a list has one in every row, and nearly all of them are never asked. */
export function InfoPopover({ shown, title, label, children }: InfoPopoverProps): ReactElement {
  const [isAsked, setAsked] = useState(false);
  const button = { type: 'button' as const, className: styles.asked, title, 'aria-label': label, children: shown };
  if (!isAsked) {
    return <button {...button} aria-haspopup="dialog" aria-expanded={false} onClick={() => setAsked(true)} />;
  }
  return (
    <Popover width={288} position="bottom-start" shadow="md" withinPortal defaultOpened>
      <Popover.Target>
        {/* biome-ignore lint/a11y/noAutofocus: it takes the place of the one that was pressed. */}
        <button {...button} autoFocus />
      </Popover.Target>
      <Popover.Dropdown>{children}</Popover.Dropdown>
    </Popover>
  );
}
