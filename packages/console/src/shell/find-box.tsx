import { useNavigate, useRouter } from '@tanstack/react-router';
import { type ReactElement, useEffect } from 'react';
import { isPhone } from '../pages/search/find-place.js';
import { useWords } from '../words/say.js';
import { FindForm } from './find-form.js';
import styles from './shell.module.css';
import { whenIdle } from './when-idle.js';

/** As many digits as the shortest numbers have with their code. */
const WHOLE_DIGITS = 8;

function isWhole(phone: string): boolean {
  return phone.replace(/\D/g, '').length >= WHOLE_DIGITS;
}

/** One box: any spelling of a phone leads to all that happened to it, everything else to what is found for it. */
export function FindBox(): ReactElement {
  const say = useWords();
  const navigate = useNavigate();
  const router = useRouter();
  // An answer within a tenth of a second leaves no time to fetch the page that shows it.
  const prepare = () => void router.preloadRoute({ to: '/numbers' }).catch(() => {});
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, soon after the first page.
  useEffect(() => whenIdle(prepare), []);
  // What was typed is most likely what will be asked for: it is read before Enter is pressed.
  const readAhead = (phone: string) => {
    if (isWhole(phone)) void router.preloadRoute({ to: '/numbers/$phone', params: { phone } }).catch(() => {});
  };
  const find = (wanted: string) => {
    if (isPhone(wanted)) void navigate({ to: '/numbers/$phone', params: { phone: wanted } });
    else void navigate({ to: '/search', search: { q: wanted } });
  };
  return (
    <search className={styles.find}>
      <FindForm placeholder={say('find.placeholder')} onFocus={prepare} onRest={readAhead} onFind={find} />
    </search>
  );
}
