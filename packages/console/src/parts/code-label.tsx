import { Popover, Text } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { useWords } from '../words/say.js';
import { sayAdvice, sayCode } from '../words/say-reason.js';
import styles from './labels.module.css';

interface ExplainedCodeProps {
  readonly code: string;
  readonly meaning: string;
  readonly advice: string;
}

/** A code as it came; one that something can be done about explains itself at a press. */
export function CodeLabel({ code }: { readonly code: string | null }): ReactElement {
  const say = useWords();
  if (code === null) return <code>–</code>;
  const meaning = sayCode(say, code);
  const advice = sayAdvice(say, code);
  if (meaning === undefined || advice === undefined) return <code title={meaning ?? code}>{code}</code>;
  return <ExplainedCode code={code} meaning={meaning} advice={advice} />;
}

/** What explains it is made at the first press: a list has a code in every row, and nearly all of them are never asked. */
function ExplainedCode({ code, meaning, advice }: ExplainedCodeProps): ReactElement {
  const say = useWords();
  const [isAsked, setAsked] = useState(false);
  const button = {
    type: 'button' as const,
    className: styles.code,
    title: meaning,
    'aria-label': say('code.ask', { code }),
    children: <code>{code}</code>,
  };
  if (!isAsked) {
    return <button {...button} aria-haspopup="dialog" aria-expanded={false} onClick={() => setAsked(true)} />;
  }
  return (
    <Popover width={288} position="bottom-start" shadow="md" withinPortal defaultOpened>
      <Popover.Target>
        {/* biome-ignore lint/a11y/noAutofocus: it takes the place of the one that was pressed. */}
        <button {...button} autoFocus />
      </Popover.Target>
      <Popover.Dropdown>
        <code>{code}</code>
        <Text size="sm">{meaning}</Text>
        <Text size="sm" fw={600} mt="xs">
          {say('code.what')}
        </Text>
        <Text size="sm">{advice}</Text>
      </Popover.Dropdown>
    </Popover>
  );
}
