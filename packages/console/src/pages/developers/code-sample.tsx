import { CopyButton, Tabs } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { Button } from '../../parts/controls/button.js';
import { Card } from '../../parts/layout/page.js';
import { ScrollBox } from '../../parts/layout/scroll-box.js';
import { TabNames } from '../../parts/layout/tab-names.js';
import { useWords } from '../../words/say.js';
import { LANGUAGES, type SampleCall, type SampleLanguage, samples } from './code-samples.js';
import styles from './developers.module.css';

export function CodeSample({ call }: { readonly call: SampleCall }): ReactElement {
  const say = useWords();
  const [language, setLanguage] = useState<SampleLanguage>('curl');
  const text = samples[language](call);
  return (
    <Card
      title={say('explorer.code')}
      side={
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button size="tiny" look="bordered" onClick={copy}>
              {copied ? say('task.copied') : say('explorer.copy')}
            </Button>
          )}
        </CopyButton>
      }
    >
      <Tabs value={language} onChange={(name) => setLanguage(LANGUAGES.find((one) => one === name) ?? 'curl')}>
        <TabNames tabs={LANGUAGES} chosen={language} nameOf={(name) => name} mb="sm" />
        {LANGUAGES.map((name) => (
          <Tabs.Panel key={name} value={name}>
            {name === language && (
              <ScrollBox className={styles.scroll} label={name}>
                <pre className={styles.code}>{text}</pre>
              </ScrollBox>
            )}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Card>
  );
}
