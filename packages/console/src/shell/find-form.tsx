import { useDebouncedCallback } from '@mantine/hooks';
import { type FormEvent, type ReactElement, useState } from 'react';
import { Icon } from '../design/icons.js';
import { TextField } from '../parts/forms/field.js';
import { useWords } from '../words/say.js';

interface FindFormProps {
  readonly placeholder: string;
  /** With what was written, without the space around it. */
  readonly onFind: (wanted: string) => void;
  readonly type?: 'tel' | 'text';
  readonly onFocus?: () => void;
  /** With what stands there when the typing rests, before it is sent. */
  readonly onRest?: (wanted: string) => void;
}

/** Longer than between two keys, shorter than to the Enter behind the last. */
const REST_MS = 150;

/** The box of the header: empty again once it was sent. */
export function FindForm({ placeholder, onFind, type = 'text', onFocus, onRest }: FindFormProps): ReactElement {
  const say = useWords();
  const [text, setText] = useState('');
  const rest = useDebouncedCallback((wanted: string) => onRest?.(wanted), REST_MS);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted === '') return;
    setText('');
    onFind(wanted);
  };
  return (
    <form onSubmit={submit}>
      <TextField
        aria-label={say('find.label')}
        placeholder={placeholder}
        icon={<Icon name="search" size={16} />}
        type={type}
        autoComplete="off"
        value={text}
        {...(onFocus && { onFocus })}
        onChange={(event) => {
          setText(event.currentTarget.value);
          rest(event.currentTarget.value.trim());
        }}
      />
    </form>
  );
}
