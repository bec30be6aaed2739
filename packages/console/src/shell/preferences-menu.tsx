import { Popover, Stack, Text, UnstyledButton } from '@mantine/core';
import type { ReactElement } from 'react';
import { Icon } from '../design/icons.js';
import { nameZone } from '../format/moment.js';
import { Segments } from '../parts/controls/segments.js';
import { changePreferences, type Language, usePreferences } from '../preferences.js';
import { useWords } from '../words/say.js';
import { prepareErrors } from '../words/say-error.js';
import styles from './shell.module.css';

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly data: { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, data, onChange }: ChoiceProps): ReactElement {
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        {label}
      </Text>
      <Segments label={label} isWide value={value} choices={data} onChange={onChange} />
    </div>
  );
}

export function PreferencesMenu(): ReactElement {
  const say = useWords();
  const { language, scheme, zone } = usePreferences();
  const set = (name: 'language' | 'scheme' | 'zone') => (value: string) => changePreferences({ [name]: value });
  const chooseLanguage = (chosen: Language) =>
    void prepareErrors(chosen).then(() => changePreferences({ language: chosen }));
  return (
    <Popover position="bottom-end" width={280} trapFocus returnFocus withinPortal>
      <Popover.Target>
        <UnstyledButton
          className={styles.preferences}
          aria-label={say('preferences.label')}
          title={say('preferences.label')}
        >
          <Icon name="globe" />
          <span className={styles.zone}>{nameZone(zone, Date.now())}</span>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Choice
            label={say('preferences.language')}
            value={language}
            onChange={(value) => chooseLanguage(value === 'zh' ? 'zh' : 'en')}
            data={[
              { value: 'en', label: 'English' },
              { value: 'zh', label: '简体中文' },
            ]}
          />
          <Choice
            label={say('preferences.scheme')}
            value={scheme}
            onChange={set('scheme')}
            data={[
              { value: 'auto', label: say('preferences.scheme.auto') },
              { value: 'light', label: say('preferences.scheme.light') },
              { value: 'dark', label: say('preferences.scheme.dark') },
            ]}
          />
          <Choice
            label={say('preferences.zone')}
            value={zone}
            onChange={set('zone')}
            data={[
              { value: 'local', label: say('preferences.zone.local', { zone: nameZone('local', Date.now()) }) },
              { value: 'utc', label: 'UTC' },
            ]}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
