// The frame of the console: header, navigation, the page, and what is said when the service is away.

import { Alert, AppShell, Burger } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouter } from '@tanstack/react-router';
import { lazy, type ReactElement, Suspense, useEffect, useState } from 'react';
import { setAway, useAway, waitUntilBack } from '../api/away.js';
import { Icon } from '../design/icons.js';
import mark from '../design/mark.svg';
import { PaletteOpener } from '../palette/palette-opener.js';
import { usePreferences } from '../preferences.js';
import { isUser, useSessions } from '../session/session.js';
import { FIRST_PAGES, useSide } from '../session/side.js';
import { hasCode, signInByCode, takeCode } from '../session/sign-in-link.js';
import { useWords } from '../words/say.js';
import type { ErrorSentence } from '../words/say-error.js';
import { useErrorWords } from '../words/use-error-words.js';
import { FindBox } from './find-box.js';
import { Navigation } from './navigation.js';
import { OperatorFindBox } from './operator-find-box.js';
import { PreferencesMenu } from './preferences-menu.js';
import { SessionMenu } from './session-menu.js';
import styles from './shell.module.css';
import { ViewBanner } from './view-banner.js';

const CustomerBell = lazy(async () => ({ default: (await import('../notices/customer-bell.js')).CustomerBell }));
const OperatorBell = lazy(async () => ({ default: (await import('../notices/operator-bell.js')).OperatorBell }));

/** As in the style sheet: from here on there is room for the menu beside the widest list. Below it, it opens over the page. */
const MENU_BESIDE = '78em';

export function Shell(): ReactElement {
  const say = useWords();
  const { language } = usePreferences();
  const sessions = useSessions();
  const router = useRouter();
  const role = useSide();
  const isSignedIn = sessions[role] !== undefined;
  const [isOpen, setOpen] = useState(false);
  // Subscribes to the router: reading the location here would re-render the whole frame on every navigation.
  useEffect(() => router.subscribe('onBeforeNavigate', () => setOpen(false)), [router]);
  const link = useSignInLink();
  const sayError = useErrorWords();
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 224, breakpoint: MENU_BESIDE, collapsed: { mobile: !isOpen, desktop: !isSignedIn } }}
      padding={0}
    >
      <a className={styles.skip} href="#content">
        {say('app.skip')}
      </a>
      <AppShell.Header>
        <div className={styles.header}>
          {isSignedIn && (
            <Burger
              opened={isOpen}
              onClick={() => setOpen(!isOpen)}
              className={styles.burger}
              size="sm"
              aria-label={say('app.menu')}
            />
          )}
          <Link to={FIRST_PAGES[role]} className={styles.brand} aria-label={say('app.name')}>
            <img src={mark} alt="" width={26} height={26} />
            <span className={styles.name}>{say('app.name')}</span>
          </Link>
          {isSignedIn && (role === 'customer' ? <FindBox /> : <OperatorFindBox />)}
          {isSignedIn && <PaletteOpener side={role} />}
          <div className={styles.right}>
            <a
              className={styles.preferences}
              href={language === 'zh' ? '/docs/zh?lang=zh' : '/docs?lang=en'}
              target="_blank"
              rel="noreferrer"
              aria-label={say('app.reference')}
              title={say('app.reference')}
            >
              <Icon name="reports" />
              <span className={styles.zone}>{say('app.reference')}</span>
            </a>
            <Suspense>
              {role === 'operator' && sessions.operator !== undefined && <OperatorBell session={sessions.operator} />}
              {/* For people: what a key may ask for is not known before it is refused. */}
              {role === 'customer' && isUser(sessions.customer) && <CustomerBell session={sessions.customer} />}
            </Suspense>
            <PreferencesMenu />
            {isSignedIn && <SessionMenu role={role} />}
          </div>
        </div>
      </AppShell.Header>
      {isSignedIn && (
        <AppShell.Navbar aria-label={say('app.navigation')} className={styles.menu}>
          <Navigation role={role} />
        </AppShell.Navbar>
      )}
      <AppShell.Main id="content" tabIndex={-1}>
        {role === 'customer' && <ViewBanner />}
        <AwayLine />
        <div className={styles.main}>
          {link.refusal !== undefined && !isSignedIn && (
            <Alert color="orange" role="alert" className={styles.refusal}>
              {say('session.linkFailed', { reason: sayError(link.refusal) })}
            </Alert>
          )}
          {link.isBusy ? <p role="status">{say('session.byLink')}</p> : <Outlet />}
        </div>
      </AppShell.Main>
    </AppShell>
  );
}

/** Says that the service does not answer, looks until it does, and then brings every page up to date. */
function AwayLine(): ReactElement | null {
  const say = useWords();
  const isAway = useAway();
  const queryClient = useQueryClient();
  useEffect(() => {
    if (!isAway) return;
    const stopping = new AbortController();
    void waitUntilBack(stopping.signal).then(() => {
      if (stopping.signal.aborted) return;
      setAway(false);
      void queryClient.invalidateQueries();
    });
    return () => stopping.abort();
  }, [isAway, queryClient]);
  if (!isAway) return null;
  return (
    <div className={styles.away} role="status">
      <Icon name="away" />
      <span>
        {say('state.away')} {say('state.awayHint')}
      </span>
    </div>
  );
}

/** Taken when the code is loaded: the address is clean before anything is drawn, and a second look finds nothing. */
const codeOfLink = takeCode();
// Pasting a link into an open console changes only the fragment, which loads nothing.
addEventListener('hashchange', () => {
  if (hasCode()) location.reload();
});
let exchange: ReturnType<typeof signInByCode> | undefined;

function useSignInLink(): { readonly isBusy: boolean; readonly refusal: ErrorSentence | undefined } {
  const navigate = useNavigate();
  const [isBusy, setBusy] = useState(codeOfLink !== undefined);
  const [refusal, setRefusal] = useState<ErrorSentence>();
  useEffect(() => {
    if (codeOfLink === undefined) return;
    exchange ??= signInByCode(codeOfLink);
    let isGone = false;
    exchange
      .then(async (outcome) => {
        if (isGone) return;
        setRefusal(outcome.refusal);
        if (outcome.role !== undefined) {
          await navigate({ to: FIRST_PAGES[outcome.role], replace: true });
        }
      })
      .catch((error: unknown) => setRefusal({ key: '', params: {}, text: String(error) }))
      .finally(() => setBusy(false));
    return () => {
      isGone = true;
    };
  }, [navigate]);
  return { isBusy, refusal };
}
