import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { type ReactElement, useEffect, useMemo } from 'react';
import { makeOperatorClient } from '../api/clients.js';
import { whoseQuery } from '../api/whose.js';
import { useSessions } from '../session/session.js';
import { useWords } from '../words/say.js';
import { FindForm } from './find-form.js';
import styles from './shell.module.css';
import { whenIdle } from './when-idle.js';

/** The numbers that we give to things begin with a letter that says what it is, and no phone does. */
const GIVEN = /^([TCH])[0-9A-Z]{6,}$/i;

/** Any number does: it is the code of the page that is wanted. */
const FIND_PAGE = { to: '/operator/numbers/$phone', params: { phone: '0' } } as const;

function letterOf(wanted: string): string | undefined {
  return GIVEN.exec(wanted)?.[1]?.toUpperCase();
}

/** Where an operator is led by a number of any kind. */
function placeOf(wanted: string): string {
  const letter = letterOf(wanted);
  const page = letter === 'T' ? 'tasks' : letter === 'C' ? 'customers' : letter === 'H' ? 'channels' : 'numbers';
  return `/operator/${page}/${encodeURIComponent(letter === undefined ? wanted : wanted.toUpperCase())}`;
}

/** One box: a phone in any spelling leads to whose it is, the number of a task, a customer or a channel to its page. */
export function OperatorFindBox(): ReactElement {
  const say = useWords();
  const navigate = useNavigate();
  const router = useRouter();
  const queryClient = useQueryClient();
  const { operator } = useSessions();
  const client = useMemo(() => operator && makeOperatorClient(operator), [operator]);
  // An answer within a tenth of a second leaves no time to fetch the page that shows it.
  const prepare = () => void router.preloadRoute(FIND_PAGE).catch(() => {});
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, soon after the first page.
  useEffect(() => whenIdle(prepare), []);
  const find = (wanted: string) => {
    // The service is asked at once, not only when the page that shows its answer is drawn.
    if (client !== undefined && letterOf(wanted) === undefined)
      void queryClient.prefetchQuery(whoseQuery(client, wanted));
    void navigate({ to: placeOf(wanted) });
  };
  return (
    <search className={`${styles.find} ${styles.wideOnly}`}>
      <FindForm placeholder={say('find.anything')} onFocus={prepare} onFind={find} />
    </search>
  );
}
