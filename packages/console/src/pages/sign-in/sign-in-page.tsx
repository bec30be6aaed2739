// Signing in: people with email and password; behind a link, with an API key or operator token at hand.

import { Alert, Checkbox, PasswordInput } from '@mantine/core';
import { PostriderError } from '@postrider/client';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { type FormEvent, type ReactElement, useEffect, useState } from 'react';
import { createCustomerClient, createOperatorClient } from '../../api/clients.js';
import mark from '../../design/mark.svg';
import { Button, ButtonLink } from '../../parts/controls/button.js';
import { Segments } from '../../parts/controls/segments.js';
import { TextField } from '../../parts/forms/field.js';
import { ProblemText } from '../../parts/layout/states.js';
import { isUser, type Role, signIn, useSessions, wasEnded } from '../../session/session.js';
import { FIRST_PAGES } from '../../session/side.js';
import { useSignInMethods } from '../../session/sign-in-methods.js';
import { adoptSession, callAuth, type SecondFactorNeeded, type SessionAnswer } from '../../session/user-session.js';
import { useWords } from '../../words/say.js';
import { PasskeyButton } from './passkey-button.js';
import { SecondStep } from './second-step.js';
import styles from './sign-in-page.module.css';
import { FailedSingleSignOn, SingleSignOn } from './single-sign-on.js';

/** Whether the service takes the credentials. One that may not see this particular thing is valid all the same. */
async function proveCredentials(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (error instanceof PostriderError && error.code === 'not_permitted') return;
    throw error;
  });
}

const NOTHING = { email: '', password: '', apiKey: '', apiSecret: '', token: '' };
type Entry = keyof typeof NOTHING;

/** What the person signs in with. */
type Means = 'password' | 'credentials';

/** Who has signed in with a key is asked for one again, until the page is left. */
let lastMeans: Means = 'password';

/** No user with this email and password on the side that was asked for. */
function isWrong(error: unknown): boolean {
  return error instanceof PostriderError && error.status === 401;
}

export function SignInPage({ askedFor }: { readonly askedFor: Role }): ReactElement {
  const say = useWords();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const sessions = useSessions();
  const isHome = useRouterState({ select: ({ location }) => location.pathname === '/overview' });
  const [chosen, setChosen] = useState<Role>();
  const role = chosen ?? askedFor;
  const [entries, setEntries] = useState(NOTHING);
  const [isKept, setKept] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [means, setMeans] = useState<Means>(lastMeans);
  const [secondStep, setSecondStep] = useState<{
    readonly factors: readonly string[];
    readonly side?: Role | undefined;
  }>();
  const [failure, setFailure] = useState<{ readonly error: unknown; readonly means: Means }>();
  useEffect(() => {
    document.title = `${say('session.signIn')} · Postrider`;
  }, [say]);

  const other: Role = role === 'customer' ? 'operator' : 'customer';
  // Without a side, either is found; with one, a session on the other side stays open.
  const side = chosen !== undefined || isUser(sessions[other]) ? role : undefined;
  const hasPasskeys = useSignInMethods()?.passkey === true;
  const { email, password, apiKey, apiSecret, token } = entries;
  const hasPassword = email.trim() !== '' && password !== '';
  const hasCredentials = role === 'customer' ? apiKey.trim() !== '' && apiSecret.trim() !== '' : token.trim() !== '';

  async function signInUser(): Promise<void> {
    try {
      await signInOn(side);
    } catch (error) {
      // A person who chose the wrong side is led to the right one.
      if (side === undefined || !isWrong(error)) throw error;
      await signInOn(other).catch((second: unknown) => {
        throw isWrong(second) ? error : second;
      });
    }
  }

  async function signInOn(wanted: Role | undefined): Promise<void> {
    const body = { email: email.trim(), password, ...(wanted !== undefined && { side: wanted }) };
    const answer = await callAuth<SessionAnswer | SecondFactorNeeded>({ method: 'POST', path: '/auth/sign-in', body });
    if ('second_factor' in answer) {
      setSecondStep({ factors: answer.second_factor, side: wanted });
      setBusy(false);
    } else await enter(answer);
  }

  async function enter(answer: SessionAnswer): Promise<void> {
    queryClient.clear();
    if (answer.user.side !== askedFor) await navigate({ to: FIRST_PAGES[answer.user.side] });
    adoptSession(answer);
  }

  async function signInWithCredentials(): Promise<void> {
    // Pasted credentials bring spaces and line ends along.
    const customer = { apiKey: apiKey.trim(), apiSecret: apiSecret.trim() };
    const operator = { token: token.trim() };
    if (role === 'customer') await proveCredentials(createCustomerClient(customer).account());
    else await proveCredentials(createOperatorClient(operator).firms({ pageSize: 1 }).page());
    // What was loaded may belong to a session that was ended by the service.
    queryClient.clear();
    if (role !== askedFor) await navigate({ to: FIRST_PAGES[role] });
    lastMeans = 'credentials';
    signIn(role === 'customer' ? { customer } : { operator }, isKept);
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setFailure(undefined);
    try {
      await (means === 'password' ? signInUser() : signInWithCredentials());
    } catch (error) {
      setFailure({ error, means });
      setBusy(false);
    }
  }

  if (secondStep !== undefined) {
    const back = () => setSecondStep(undefined);
    return <SecondStep {...secondStep} onSignedIn={enter} onBack={back} />;
  }
  const fieldOf = (name: Entry) => ({
    value: entries[name],
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      setEntries({ ...entries, [name]: event.currentTarget.value }),
  });
  const refusal = failure?.means === means && (
    <Alert color="red" role="alert">
      <Refusal error={failure.error} means={means} role={role} />
    </Alert>
  );
  const change = (next: Means) => {
    setMeans(next);
    setFailure(undefined);
  };
  return (
    <div className={styles.place}>
      <form className={styles.box} onSubmit={submit}>
        <img className={styles.mark} src={mark} alt="" width={36} height={36} />
        <h1 className={styles.title}>{say('session.title')}</h1>
        {!isHome && <p className="soft">{say('session.then')}</p>}
        <div className={styles.fields}>
          <Segments
            label={say('session.as')}
            isWide
            value={role}
            onChange={(value) => setChosen(value === 'operator' ? 'operator' : 'customer')}
            choices={[
              { value: 'customer', label: say('app.customer') },
              { value: 'operator', label: say('app.operator') },
            ]}
          />
          {wasEnded(role) && failure === undefined && <Alert color="orange">{say('session.ended')}</Alert>}
          {means === 'password' ? (
            <>
              <TextField
                label={say('session.email')}
                type="email"
                autoComplete="username"
                spellCheck={false}
                {...fieldOf('email')}
              />
              <PasswordInput label={say('session.password')} autoComplete="current-password" {...fieldOf('password')} />
              {failure === undefined && <FailedSingleSignOn />}
              {refusal}
              <Button type="submit" isBusy={isBusy} disabled={!hasPassword}>
                {say('session.signIn')}
              </Button>
              <ButtonLink look="words" to="/password-reset">
                {say('session.forgot')}
              </ButtonLink>
              {hasPasskeys && (
                <PasskeyButton
                  side={side}
                  onSignedIn={enter}
                  onStart={() => setFailure(undefined)}
                  onFailure={(error) => setFailure({ error, means: 'password' })}
                />
              )}
              <SingleSignOn role={role} isChosen={chosen !== undefined} />
              <Button look="words" onClick={() => change('credentials')}>
                {say(role === 'customer' ? 'session.orKey' : 'session.orToken')}
              </Button>
            </>
          ) : (
            <>
              {!isSecureContext && <Alert color="orange">{say('session.insecure')}</Alert>}
              {role === 'customer' ? (
                <>
                  <TextField
                    label={say('session.apiKey')}
                    autoComplete="off"
                    spellCheck={false}
                    {...fieldOf('apiKey')}
                  />
                  <PasswordInput label={say('session.apiSecret')} autoComplete="off" {...fieldOf('apiSecret')} />
                </>
              ) : (
                <PasswordInput label={say('session.token')} autoComplete="off" {...fieldOf('token')} />
              )}
              <Checkbox
                label={say('session.keep')}
                description={say('session.keepHint')}
                checked={isKept}
                onChange={(event) => setKept(event.currentTarget.checked)}
              />
              {refusal}
              <Button type="submit" isBusy={isBusy} disabled={!hasCredentials}>
                {say('session.signIn')}
              </Button>
              <Button look="words" onClick={() => change('password')}>
                {say('session.orPassword')}
              </Button>
            </>
          )}
          {sessions[other] !== undefined && (
            <p className={styles.elsewhere}>
              {say(other === 'customer' ? 'session.isCustomer' : 'session.isOperator')}{' '}
              <Link to={FIRST_PAGES[other]}>{say(other === 'customer' ? 'app.toCustomer' : 'app.toOperator')}</Link>
            </p>
          )}
        </div>
      </form>
    </div>
  );
}

interface RefusalProps {
  readonly error: unknown;
  readonly means: Means;
  readonly role: Role;
}

function Refusal({ error, means, role }: RefusalProps): ReactElement {
  const say = useWords();
  const isRefused = error instanceof PostriderError && error.status === 401 && error.code !== 'timestamp_out_of_range';
  if (!isRefused || means === 'password') return <ProblemText error={error} />;
  return <>{say(role === 'customer' ? 'session.refused' : 'session.tokenRefused')}</>;
}
