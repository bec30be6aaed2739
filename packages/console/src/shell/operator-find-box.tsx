import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useWords } from '../words/say.js';
import { FindForm } from './find-form.js';
import styles from './shell.module.css';

/** The numbers that we give to things begin with a letter that says what it is, and no phone does. */
const GIVEN = /^([TCH])[0-9A-Z]{6,}$/i;

/** Where an operator is led by a number of any kind. */
function placeOf(wanted: string): string {
  const letter = GIVEN.exec(wanted)?.[1]?.toUpperCase();
  const page = letter === 'T' ? 'tasks' : letter === 'C' ? 'customers' : letter === 'H' ? 'channels' : 'numbers';
  return `/operator/${page}/${encodeURIComponent(letter === undefined ? wanted : wanted.toUpperCase())}`;
}

/** One box: a phone in any spelling leads to whose it is, the number of a task, a customer or a channel to its page. */
export function OperatorFindBox(): ReactElement {
  const say = useWords();
  const navigate = useNavigate();
  return (
    <search className={`${styles.find} ${styles.wideOnly}`}>
      <FindForm placeholder={say('find.anything')} onFind={(wanted) => void navigate({ to: placeOf(wanted) })} />
    </search>
  );
}
