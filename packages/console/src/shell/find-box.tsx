import { TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactElement, useState } from 'react';
import { Icon } from '../design/icons.js';
import { useWords } from '../words/say.js';
import styles from './shell.module.css';

/** One box, any spelling of a number; leads to everything that ever happened to it. */
export function FindBox(): ReactElement {
  const say = useWords();
  const navigate = useNavigate();
  const [phone, setPhone] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = phone.trim();
    if (wanted === '') return;
    setPhone('');
    void navigate({ to: '/numbers/$phone', params: { phone: wanted } });
  };
  return (
    <search className={styles.find}>
      <form onSubmit={submit}>
        <TextInput
          aria-label={say('find.label')}
          placeholder={say('find.placeholder')}
          leftSection={<Icon name="search" size={16} />}
          type="tel"
          autoComplete="off"
          value={phone}
          onChange={(event) => setPhone(event.currentTarget.value)}
        />
      </form>
    </search>
  );
}
