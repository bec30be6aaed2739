import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useWords } from '../../words/say.js';
import { sayAdvice, sayCode } from '../../words/say-reason.js';
import { InfoPopover } from './info-popover.js';

/** A code as it came; one that something can be done about explains itself at a press. */
export function CodeLabel({ code }: { readonly code: string | null }): ReactElement {
  const say = useWords();
  if (code === null) return <code>–</code>;
  const meaning = sayCode(say, code);
  const advice = sayAdvice(say, code);
  if (meaning === undefined || advice === undefined) return <code title={meaning ?? code}>{code}</code>;
  return (
    <InfoPopover shown={<code>{code}</code>} title={meaning} label={say('code.ask', { code })}>
      <code>{code}</code>
      <Text size="sm">{meaning}</Text>
      <Text size="sm" fw={600} mt="xs">
        {say('code.what')}
      </Text>
      <Text size="sm">{advice}</Text>
    </InfoPopover>
  );
}
