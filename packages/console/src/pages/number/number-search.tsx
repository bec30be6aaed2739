import { type FormEvent, type ReactElement, useEffect, useState } from 'react';
import { Button } from '../../parts/controls/button.js';
import { TextField } from '../../parts/forms/field.js';
import { useWords } from '../../words/say.js';
import styles from './number.module.css';

interface NumberSearchProps {
  readonly phone: string;
  readonly onFind: (phone: string) => void;
}

/** One box for a number in any spelling. */
export function NumberSearch({ phone, onFind }: NumberSearchProps): ReactElement {
  const say = useWords();
  const [text, setText] = useState(phone);
  useEffect(() => setText(phone), [phone]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') onFind(text.trim());
  };
  return (
    <form className={styles.search} onSubmit={submit}>
      <TextField
        className={styles.field}
        label={say('record.phone')}
        type="tel"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" disabled={text.trim() === ''}>
        {say('number.find')}
      </Button>
    </form>
  );
}
