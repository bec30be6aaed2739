// A text as a handset would show it while it is still being written: with sample values, cut into its parts.

import { useDebouncedValue } from '@mantine/hooks';
import { PostriderError } from '@postrider/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useOperator } from '../../../api/clients.js';
import { TextField } from '../../../parts/forms/field.js';
import { ProblemText } from '../../../parts/layout/states.js';
import { useWords } from '../../../words/say.js';
import { useFaultWords } from '../../../words/use-error-words.js';
import styles from '../operator.module.css';

/** Waits for a pause in typing: every letter would be a request. */
const PAUSE_MS = 300;

export function TemplatePreview({ body }: { readonly body: string }): ReactElement | null {
  const say = useWords();
  const operator = useOperator();
  const [samples, setSamples] = useState<Readonly<Record<string, string>>>({});
  const [draft] = useDebouncedValue({ body, samples }, PAUSE_MS);
  const filled = Object.entries(draft.samples).filter(([, value]) => value !== '');
  const { data, error } = useQuery({
    queryKey: ['template-preview', draft.body, filled],
    enabled: draft.body !== '',
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      operator.previewTemplate({ body: draft.body, variable_values: Object.fromEntries(filled) }, { signal }),
  });
  const sayFault = useFaultWords();
  const fault = error instanceof PostriderError ? error.errors[0] : undefined;
  if (body === '') return null;
  return (
    <section className={styles.preview} aria-label={say('sending.preview')}>
      <h3>{say('sending.preview')}</h3>
      {error !== null && (fault === undefined ? <ProblemText error={error} /> : sayFault(fault))}
      {data !== undefined && error === null && (
        <>
          {data.variables.length > 0 && (
            <div className={styles.samples}>
              {data.variables.map((name) => (
                <TextField
                  key={name}
                  isSmall
                  label={say('sending.sample', { name })}
                  value={samples[name] ?? ''}
                  onChange={(event) => setSamples({ ...samples, [name]: event.currentTarget.value })}
                />
              ))}
            </div>
          )}
          <ol className={styles.parts}>
            {data.parts.map((text, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a part is what it is by its place.
              <li key={index}>{text}</li>
            ))}
          </ol>
          <p className="soft">
            {say('overview.parts', { count: data.parts.length })} · {say(`sending.alphabet.${data.encoding}`)}
          </p>
        </>
      )}
    </section>
  );
}
