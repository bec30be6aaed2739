// The way to the OpenID provider, where one is set up, and what is said when it leads back without a sign-in.

import { Alert } from '@mantine/core';
import type { ReactElement } from 'react';
import { Button } from '../../parts/controls/button.js';
import type { Role } from '../../session/session.js';
import { useSignInMethods } from '../../session/sign-in-methods.js';
import { useWords } from '../../words/say.js';

interface SingleSignOnProps {
  readonly role: Role;
  /** Whether the person chose the side; else either is found. */
  readonly isChosen: boolean;
}

export function SingleSignOn({ role, isChosen }: SingleSignOnProps): ReactElement | null {
  const say = useWords();
  if (useSignInMethods()?.oidc !== true) return null;
  const leave = () => {
    const page = location.pathname + location.search;
    const query = new URLSearchParams({ return_to: page, ...(isChosen && { side: role }) });
    location.assign(`/auth/oidc/start?${query}`);
  };
  return (
    <Button look="bordered" onClick={leave}>
      {say('session.singleSignOn')}
    </Button>
  );
}

const FAILED = '#sign-in-failed=';

/** Taken when the code is loaded, so that a reload does not say it again. */
const failure = takeFailure();

function takeFailure(): 'failed' | 'refused' | undefined {
  const { hash, pathname, search } = location;
  if (!hash.startsWith(FAILED)) return undefined;
  history.replaceState(null, '', pathname + search);
  return hash === `${FAILED}refused` ? 'refused' : 'failed';
}

export function FailedSingleSignOn(): ReactElement | null {
  const say = useWords();
  if (failure === undefined) return null;
  return (
    <Alert color="red" role="alert">
      {say(failure === 'refused' ? 'session.ssoRefused' : 'session.ssoFailed')}
    </Alert>
  );
}
