import { useNavigate, useRouter } from '@tanstack/react-router';
import { type ReactElement, useEffect } from 'react';
import { prefetchCustomerNames, prefetchNumberOwners } from '../api/read-ahead.js';
import { isPhone, letterOf } from '../pages/search/find-place.js';
import { useWords } from '../words/say.js';
import { FindForm } from './find-form.js';
import styles from './shell.module.css';
import { whenIdle } from './when-idle.js';

const PAGES = { T: 'tasks', C: 'customers', H: 'channels' } as const;

/** One box: a phone in any spelling leads to whose it is, the number of a task, a customer or a channel to its page, all else to what is found for it. */
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
        void prefetchCustomerNames();
      }),
    [],
  );
  const find = (wanted: string) => {
    const letter = letterOf(wanted);
    if (letter !== undefined) {
      void navigate({ to: `/operator/${PAGES[letter]}/${encodeURIComponent(wanted.toUpperCase())}` });
    } else if (isPhone(wanted)) {
      // Prefetched before the page renders; its query uses this response.
      void prefetchNumberOwners(wanted);
      void navigate({ to: '/operator/numbers/$phone', params: { phone: wanted } });
    } else {
      void navigate({ to: '/operator/search', search: { q: wanted } });
    }
  };
  return (
    <search className={styles.find}>
      <FindForm placeholder={say('find.anything')} onFocus={prepare} onFind={find} />
    </search>
  );
}
