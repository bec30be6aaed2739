import { Alert } from '@mantine/core';
import type { ReactElement } from 'react';
import { useWords } from '../../words/say.js';
import { Copyable } from '../values/copyable.js';

/** A secret that the service shows this once. It is on this page and nowhere else. */
export function SecretOnce({ name, value }: { readonly name: string; readonly value: string }): ReactElement {
  const say = useWords();
  return (
    <Alert color="yellow" title={say('secret.once', { name })} role="status">
      <Copyable value={value} name={name} />
    </Alert>
  );
}
