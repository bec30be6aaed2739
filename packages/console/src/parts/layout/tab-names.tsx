import { Tabs, type TabsListProps } from '@mantine/core';
import { type ReactElement, useEffect, useRef } from 'react';
import { useDrawn } from './deferred-render.js';

interface TabNamesProps<Tab extends string> extends Pick<TabsListProps, 'mb' | 'pt' | 'px'> {
  readonly tabs: readonly Tab[];
  readonly chosen: Tab;
  readonly nameOf: (tab: Tab) => string;
}

/** In one line. Where there are more than fit, the chosen one is brought into sight. */
export function TabNames<Tab extends string>({ tabs, chosen, nameOf, ...space }: TabNamesProps<Tab>): ReactElement {
  const line = useRef<HTMLDivElement>(null);
  const isDrawn = useDrawn();
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another one is chosen.
  useEffect(() => {
    const tab = line.current?.querySelector<HTMLElement>('[aria-selected=true]');
    if (!isDrawn || line.current === null || !tab) return;
    // Sideways only: the page stays where it is.
    const [at, around] = [tab.getBoundingClientRect(), line.current.getBoundingClientRect()];
    line.current.scrollBy({ left: (at.left + at.right) / 2 - (around.left + around.right) / 2 });
  }, [isDrawn, chosen]);
  return (
    <Tabs.List ref={line} {...space}>
      {tabs.map((tab) => (
        <Tabs.Tab key={tab} value={tab}>
          {nameOf(tab)}
        </Tabs.Tab>
      ))}
    </Tabs.List>
  );
}
