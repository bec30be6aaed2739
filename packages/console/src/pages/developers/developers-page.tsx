import { Tabs } from '@mantine/core';
import type { ReactElement } from 'react';
import { useFilters } from '../../parts/forms/filters.js';
import { Page } from '../../parts/layout/page.js';
import { TabNames } from '../../parts/layout/tab-names.js';
import { useWords } from '../../words/say.js';
import { Explorer } from './explorer.js';
import { OwnKeys } from './own-keys.js';
import { Webhooks } from './webhooks.js';

const TABS = ['explorer', 'webhooks', 'keys'] as const;

export function DevelopersPage(): ReactElement {
  const say = useWords();
  const filters = useFilters(['tab'] as const);
  const tab = TABS.find((name) => name === filters.values.tab) ?? 'explorer';
  return (
    <Page title={say('nav.developers')} lead={say('developers.lead')}>
      <Tabs value={tab} onChange={(name) => filters.replace({ tab: name ?? undefined })} keepMounted={false}>
        <TabNames tabs={TABS} chosen={tab} nameOf={(name) => say(`developers.${name}`)} mb="md" />
        <Tabs.Panel value="explorer">
          <Explorer />
        </Tabs.Panel>
        <Tabs.Panel value="webhooks">
          <Webhooks />
        </Tabs.Panel>
        <Tabs.Panel value="keys">
          <OwnKeys />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
