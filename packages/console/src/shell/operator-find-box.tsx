import { useNavigate, useRouter } from '@tanstack/react-router';
import { type ReactElement, useEffect } from 'react';
import { readNamesAhead, readWhoseAhead } from '../api/read-ahead.js';
import { useWords } from '../words/say.js';
import { FindForm } from './find-form.js';
import styles from './shell.module.css';
import { whenIdle } from './when-idle.js';

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
  const router = useRouter();
  // An answer within a tenth of a second leaves no time to fetch the page that shows it.
  const prepare = () => void router.preloadRoute({ to: '/operator/numbers' }).catch(() => {});
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, soon after the first page.
  useEffect(
    () =>
      whenIdle(() => {
        prepare();
        void readNamesAhead();
      }),
    [],
  );
  const find = (wanted: string) => {
    // Prefetched before the page renders; its query uses this response.
    if (!GIVEN.test(wanted)) void readWhoseAhead(wanted);
    void navigate({ to: placeOf(wanted) });
  };
  return (
    <search className={styles.find}>
      <FindForm placeholder={say('find.anything')} onFocus={prepare} onFind={find} />
    </search>
  );
}
