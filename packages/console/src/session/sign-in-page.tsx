import { Alert, Checkbox, PasswordInput } from '@mantine/core';
import { PostriderError } from '@postrider/client';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { type FormEvent, type ReactElement, useEffect, useState } from 'react';
import { createCustomerClient, createOperatorClient } from '../api/clients.js';
import mark from '../design/mark.svg';
import { Button } from '../parts/forms/button.js';
import { TextField } from '../parts/forms/field.js';
import { Segments } from '../parts/forms/segments.js';
import { ProblemText } from '../parts/layout/states.js';
import { useWords } from '../words/say.js';
import { type Role, signIn, wasEnded } from './session.js';
import { FIRST_PAGES } from './side.js';
import styles from './sign-in-page.module.css';

/** Whether the service takes the credentials. One that may not see this particular thing is valid all the same. */
async function proveCredentials(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (error instanceof PostriderError && error.code === 'not_permitted') return;
    throw error;
  });
}

export function SignInPage({ askedFor }: { readonly askedFor: Role }): ReactElement {
  const say = useWords();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const isHome = useRouterState({ select: ({ location }) => location.pathname === '/overview' });
  const [role, setRole] = useState<Role>(askedFor);
  const [apiKey, setApiKey] = useState('');
  const [apiSecret, setApiSecret] = useState('');
  const [token, setToken] = useState('');
  const [isKept, setKept] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    document.title = `${say('session.signIn')} · Postrider`;
  }, [say]);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      // Pasted credentials bring spaces and line ends along.
      const customer = { apiKey: apiKey.trim(), apiSecret: apiSecret.trim() };
      const operator = { token: token.trim() };
      if (role === 'customer') await proveCredentials(createCustomerClient(customer).account());
      else await proveCredentials(createOperatorClient(operator).firms({ pageSize: 1 }).page());
      // What was loaded may belong to somebody whose session was ended by the service.
      queryClient.clear();
      if (role !== askedFor) await navigate({ to: FIRST_PAGES[role] });
      signIn(role === 'customer' ? { customer } : { operator }, isKept);
    } catch (refusal) {
      setError(refusal);
      setBusy(false);
    }
  }

  const isFilled = role === 'customer' ? apiKey.trim() !== '' && apiSecret.trim() !== '' : token.trim() !== '';
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
            onChange={(value) => setRole(value === 'operator' ? 'operator' : 'customer')}
            choices={[
              { value: 'customer', label: say('app.customer') },
              { value: 'operator', label: say('app.operator') },
            ]}
          />
          {wasEnded(role) && error === undefined && <Alert color="orange">{say('session.ended')}</Alert>}
          {!isSecureContext && <Alert color="orange">{say('session.insecure')}</Alert>}
          {role === 'customer' ? (
            <>
              <TextField
                label={say('session.apiKey')}
                value={apiKey}
                onChange={(event) => setApiKey(event.currentTarget.value)}
                autoComplete="username"
                spellCheck={false}
                data-autofocus
              />
              <PasswordInput
                label={say('session.apiSecret')}
                value={apiSecret}
                onChange={(event) => setApiSecret(event.currentTarget.value)}
                autoComplete="off"
              />
            </>
          ) : (
            <PasswordInput
              label={say('session.token')}
              value={token}
              onChange={(event) => setToken(event.currentTarget.value)}
              autoComplete="off"
            />
          )}
          <Checkbox
            label={say('session.keep')}
            description={say('session.keepHint')}
            checked={isKept}
            onChange={(event) => setKept(event.currentTarget.checked)}
          />
          {error !== undefined && (
            <Alert color="red" role="alert">
              <Refusal error={error} role={role} />
            </Alert>
          )}
          <Button type="submit" isBusy={isBusy} disabled={!isFilled}>
            {say('session.signIn')}
          </Button>
        </div>
      </form>
    </div>
  );
}

function Refusal({ error, role }: { readonly error: unknown; readonly role: Role }): ReactElement {
  const say = useWords();
  const isRefused = error instanceof PostriderError && error.status === 401 && error.code !== 'timestamp_out_of_range';
  if (!isRefused) return <ProblemText error={error} />;
  return <>{say(role === 'customer' ? 'session.refused' : 'session.tokenRefused')}</>;
}
