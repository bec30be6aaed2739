import { TextInput } from '@mantine/core';
import { type FormEvent, type ReactElement, useState } from 'react';
import { Icon } from '../design/icons.js';
import { useWords } from '../words/say.js';

interface FindFormProps {
  readonly placeholder: string;
  /** With what was written, without the space around it. */
  readonly onFind: (wanted: string) => void;
  readonly type?: 'tel' | 'text';
  readonly onFocus?: () => void;
}

/** The box of the header: empty again once it was sent. */
export function FindForm({ placeholder, onFind, type = 'text', onFocus }: FindFormProps): ReactElement {
  const say = useWords();
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted === '') return;
    setText('');
    onFind(wanted);
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        aria-label={say('find.label')}
        placeholder={placeholder}
        leftSection={<Icon name="search" size={16} />}
        type={type}
        autoComplete="off"
        value={text}
        {...(onFocus && { onFocus })}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </form>
  );
}
