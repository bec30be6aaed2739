// Accepting an invitation: the person chooses a password and is signed in.

import { Alert, PasswordInput } from '@mantine/core';
import { PostriderError } from '@postrider/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, type ReactElement, useEffect, useState } from 'react';
import mark from '../../design/mark.svg';
import { Button, ButtonLink } from '../../parts/controls/button.js';
import { TextField } from '../../parts/forms/field.js';
import { FailureState, LoadingState, ProblemText, State } from '../../parts/layout/states.js';
import { Moment } from '../../parts/values/moment.js';
import type { Role } from '../../session/session.js';
import { FIRST_PAGES } from '../../session/side.js';
import { adoptSession, callAuth, type SessionAnswer } from '../../session/user-session.js';
import { useWords } from '../../words/say.js';
import { useFaultWords } from '../../words/use-error-words.js';
import styles from './sign-in-page.module.css';

interface Invitation {
  readonly email: string;
  readonly name: string;
  readonly side: Role;
  readonly expires_at: string;
}

export function InvitationPage(): ReactElement {
  const say = useWords();
  const { token = '' } = useParams({ strict: false });
  const path = `/auth/invitations/${encodeURIComponent(token)}`;
  const { data, error } = useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => callAuth<Invitation>({ method: 'GET', path, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  useEffect(() => {
    document.title = `${say('invitation.title')} · Postrider`;
  }, [say]);
  return (
    <div className={styles.place}>
      <div className={styles.box}>
        <img className={styles.mark} src={mark} alt="" width={36} height={36} />
        {data !== undefined ? (
          <PasswordForm invitation={data} path={path} />
        ) : error === null ? (
          <LoadingState />
        ) : error instanceof PostriderError && error.status === 404 ? (
          <UnusableInvitation />
        ) : (
          <FailureState error={error} />
        )}
      </div>
    </div>
  );
}

function UnusableInvitation(): ReactElement {
  const say = useWords();
  return (
    <State icon="lock" title={say('invitation.unusable')} hint={say('invitation.unusableHint')}>
      <ButtonLink to="/overview">{say('session.signIn')}</ButtonLink>
    </State>
  );
}

interface PasswordFormProps {
  readonly invitation: Invitation;
  readonly path: string;
}

function PasswordForm({ invitation, path }: PasswordFormProps): ReactElement {
  const say = useWords();
  const sayFault = useFaultWords();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [password, setPassword] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const fault =
    error instanceof PostriderError ? error.errors.find(({ pointer }) => pointer === '/password') : undefined;

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const answer = await callAuth<SessionAnswer>({ method: 'POST', path, body: { password } });
      queryClient.clear();
      await navigate({ to: FIRST_PAGES[adoptSession(answer)], replace: true });
    } catch (refusal) {
      setError(refusal);
      setBusy(false);
    }
  }

  return (
    <form onSubmit={submit}>
      <h1 className={styles.title}>{say('invitation.title')}</h1>
      <p className="soft">
        {say('invitation.for', { name: invitation.name })} {say('invitation.until')}{' '}
        <Moment at={invitation.expires_at} />
      </p>
      <div className={styles.fields}>
        <TextField
          label={say('session.email')}
          type="email"
          autoComplete="username"
          value={invitation.email}
          readOnly
        />
        <PasswordInput
          label={say('invitation.password')}
          description={say('invitation.passwordHint')}
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={fault && sayFault(fault)}
          aria-invalid={fault !== undefined}
        />
        {error !== undefined && fault === undefined && (
          <Alert color="red" role="alert">
            <ProblemText error={error} />
          </Alert>
        )}
        <Button type="submit" isBusy={isBusy} disabled={password === ''}>
          {say('invitation.accept')}
        </Button>
      </div>
    </form>
  );
}
