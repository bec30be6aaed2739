import { Alert, Group } from '@mantine/core';
import type { Preview } from '@postrider/client';
import type { ReactElement } from 'react';
import { Button } from '../../parts/controls/button.js';
import { type Say, sayValue, useWords } from '../../words/say.js';
import styles from './compose.module.css';

/** A number of the list, and what is to stand there in its place. */
export interface Correction {
  readonly phone: string;
  readonly meant: string;
}

interface RejectionsProps {
  readonly preview: Preview;
  readonly onCorrect: (corrections: readonly Correction[]) => void;
}

function sayRejection(say: Say, { code, description }: Preview['rejections'][number]): string {
  const text = sayValue(say, 'reason', code);
  return text === code ? description : text;
}

/** Why numbers will not be sent to, with the likely correction if there is one. */
export function Rejections({ preview, onCorrect }: RejectionsProps): ReactElement | null {
  const say = useWords();
  const { rejections, rejected } = preview;
  if (rejections.length === 0) return null;
  const corrections = rejections.flatMap(({ phone, suggested_phone: meant }) => (meant ? [{ phone, meant }] : []));
  return (
    <Alert color="orange" title={say('compose.rejections', { count: rejected })}>
      <ul className={styles.rejections} aria-label={say('compose.rejections', { count: rejected })}>
        {rejections.map((rejection) => (
          <li key={rejection.seq}>
            {say('compose.row', { row: rejection.seq })} <code>{rejection.phone}</code> · {sayRejection(say, rejection)}
            {rejection.suggested_phone && (
              <>
                {' '}
                <Button
                  look="words"
                  size="tiny"
                  onClick={() => onCorrect([{ phone: rejection.phone, meant: rejection.suggested_phone ?? '' }])}
                >
                  {say('compose.useInstead', { phone: rejection.suggested_phone })}
                </Button>
              </>
            )}
          </li>
        ))}
      </ul>
      {rejected > rejections.length && <p>{say('compose.firstRejections', { count: rejections.length })}</p>}
      {corrections.length > 1 && (
        <Group mt="xs">
          <Button look="bordered" size="small" onClick={() => onCorrect(corrections)}>
            {say('compose.useAll', { count: corrections.length })}
          </Button>
        </Group>
      )}
    </Alert>
  );
}
