// A forgotten password: ask for a link by email, and choose a new password with it.

import { Alert, PasswordInput } from '@mantine/core';
import { PostriderError } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type FormEvent, type ReactElement, type ReactNode, useEffect, useState } from 'react';
import mark from '../../design/mark.svg';
import { Button, ButtonLink } from '../../parts/controls/button.js';
import { TextField } from '../../parts/forms/field.js';
import { FailureState, LoadingState, ProblemText, State } from '../../parts/layout/states.js';
import { Moment } from '../../parts/values/moment.js';
import { callAuth } from '../../session/user-session.js';
import { useWords } from '../../words/say.js';
import { useFaultWords } from '../../words/use-error-words.js';
import styles from './sign-in-page.module.css';

export function ForgottenPasswordPage(): ReactElement {
  const say = useWords();
  const [email, setEmail] = useState('');
  const { isBusy, isDone, error, submit } = useSubmission(() =>
    callAuth({ method: 'POST', path: '/auth/password-reset', body: { email: email.trim() } }),
  );
  return (
    <ResetBox>
      {isDone ? (
        <State icon="check" title={say('passwordReset.asked')} hint={say('passwordReset.askedHint')}>
          <ButtonLink to="/overview">{say('session.signIn')}</ButtonLink>
        </State>
      ) : (
        <form onSubmit={submit}>
          <h1 className={styles.title}>{say('passwordReset.title')}</h1>
          <p className="soft">{say('passwordReset.hint')}</p>
          <div className={styles.fields}>
            <TextField
              label={say('session.email')}
              type="email"
              autoComplete="username"
              spellCheck={false}
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <Refusal error={error} />
            <Button type="submit" isBusy={isBusy} disabled={email.trim() === ''}>
              {say('passwordReset.ask')}
            </Button>
            <ButtonLink look="words" to="/overview">
              {say('action.back')}
            </ButtonLink>
          </div>
        </form>
      )}
    </ResetBox>
  );
}

interface OpenReset {
  readonly email: string;
  readonly expires_at: string;
}

export function PasswordResetPage(): ReactElement {
  const say = useWords();
  const { token = '' } = useParams({ strict: false });
  const path = `/auth/password-reset/${encodeURIComponent(token)}`;
  const { data, error } = useQuery({
    queryKey: ['password-reset', token],
    queryFn: ({ signal }) => callAuth<OpenReset>({ method: 'GET', path, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return (
    <ResetBox>
      {data !== undefined ? (
        <NewPasswordForm open={data} path={path} />
      ) : error === null ? (
        <LoadingState />
      ) : error instanceof PostriderError && error.status === 404 ? (
        <State icon="lock" title={say('invitation.unusable')} hint={say('passwordReset.unusableHint')}>
          <ButtonLink to="/password-reset">{say('passwordReset.title')}</ButtonLink>
        </State>
      ) : (
        <FailureState error={error} />
      )}
    </ResetBox>
  );
}

function NewPasswordForm({ open, path }: { readonly open: OpenReset; readonly path: string }): ReactElement {
  const say = useWords();
  const sayFault = useFaultWords();
  const [password, setPassword] = useState('');
  const { isBusy, isDone, error, submit } = useSubmission(() => callAuth({ method: 'POST', path, body: { password } }));
  const fault =
    error instanceof PostriderError ? error.errors.find(({ pointer }) => pointer === '/password') : undefined;
  if (isDone) {
    return (
      <State icon="check" title={say('passwordReset.done')} hint={say('passwordReset.doneHint')}>
        <ButtonLink to="/overview">{say('session.signIn')}</ButtonLink>
      </State>
    );
  }
  return (
    <form onSubmit={submit}>
      <h1 className={styles.title}>{say('invitation.title')}</h1>
      <p className="soft">
        {say('invitation.until')} <Moment at={open.expires_at} />
      </p>
      <div className={styles.fields}>
        <TextField label={say('session.email')} type="email" autoComplete="username" value={open.email} readOnly />
        <PasswordInput
          label={say('invitation.password')}
          description={say('invitation.passwordHint')}
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={fault && sayFault(fault)}
          aria-invalid={fault !== undefined}
        />
        {fault === undefined && <Refusal error={error} />}
        <Button type="submit" isBusy={isBusy} disabled={password === ''}>
          {say('passwordReset.set')}
        </Button>
      </div>
    </form>
  );
}

function ResetBox({ children }: { readonly children: ReactNode }): ReactElement {
  const say = useWords();
  useEffect(() => {
    document.title = `${say('passwordReset.title')} · Postrider`;
  }, [say]);
  return (
    <div className={styles.place}>
      <div className={styles.box}>
        <img className={styles.mark} src={mark} alt="" width={36} height={36} />
        {children}
      </div>
    </div>
  );
}

function Refusal({ error }: { readonly error: unknown }): ReactElement | null {
  if (error === undefined) return null;
  return (
    <Alert color="red" role="alert">
      <ProblemText error={error} />
    </Alert>
  );
}

function useSubmission(call: () => Promise<unknown>) {
  const [isBusy, setBusy] = useState(false);
  const [isDone, setDone] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await call();
      setDone(true);
    } catch (refusal) {
      setError(refusal);
    }
    setBusy(false);
  };
  return { isBusy, isDone, error, submit };
}
