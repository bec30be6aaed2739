import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { type ReactElement, useEffect, useMemo } from 'react';
import { makeCustomerClient } from '../api/clients.js';
import { numberStoryQuery } from '../api/number-story.js';
import { useSessions } from '../session/session.js';
import { useWords } from '../words/say.js';
import { FindForm } from './find-form.js';
import styles from './shell.module.css';
import { whenIdle } from './when-idle.js';

/** Any number does: it is the code of the page that is wanted. */
const FIND_PAGE = { to: '/numbers/$phone', params: { phone: '0' } } as const;
/** One box, any spelling of a number; leads to everything that ever happened to it. */
export function FindBox(): ReactElement {
  const say = useWords();
  const navigate = useNavigate();
  const router = useRouter();
  const queryClient = useQueryClient();
  const { customer } = useSessions();
  const client = useMemo(() => customer && makeCustomerClient(customer), [customer]);
  // An answer within a tenth of a second leaves no time to fetch the page that shows it.
  const prepare = () => void router.preloadRoute(FIND_PAGE).catch(() => {});
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, soon after the first page.
  useEffect(() => whenIdle(prepare), []);
  const find = (phone: string) => {
    // The service is asked at once, not only when the page that shows its answer is drawn.
    if (client !== undefined) void queryClient.prefetchQuery(numberStoryQuery(client, phone));
    void navigate({ to: '/numbers/$phone', params: { phone } });
  };
  return (
    <search className={styles.find}>
      <FindForm placeholder={say('find.placeholder')} type="tel" onFocus={prepare} onFind={find} />
    </search>
  );
}
