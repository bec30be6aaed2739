// The second step of a sign-in: a code of the authenticator app, a recovery code, or a passkey.

import { Alert } from '@mantine/core';
import { type FormEvent, type ReactElement, useState } from 'react';
import mark from '../../design/mark.svg';
import { Button } from '../../parts/controls/button.js';
import { TextField } from '../../parts/forms/field.js';
import { ProblemText } from '../../parts/layout/states.js';
import { callAuth, type SessionAnswer } from '../../session/user-session.js';
import { useWords } from '../../words/say.js';
import { PasskeyButton } from './passkey-button.js';
import styles from './sign-in-page.module.css';

interface SecondStepProps {
  /** What the user has set up. */
  readonly factors: readonly string[];
  readonly side?: string | undefined;
  readonly onSignedIn: (answer: SessionAnswer) => Promise<void>;
  readonly onBack: () => void;
}

export function SecondStep({ factors, side, onSignedIn, onBack }: SecondStepProps): ReactElement {
  const say = useWords();
  const hasCode = factors.includes('totp');
  const [code, setCode] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const body = { code: code.trim() };
      await onSignedIn(await callAuth<SessionAnswer>({ method: 'POST', path: '/auth/second-factor', body }));
    } catch (refusal) {
      setError(refusal);
      setBusy(false);
    }
  }

  return (
    <div className={styles.place}>
      <form className={styles.box} onSubmit={submit}>
        <img className={styles.mark} src={mark} alt="" width={36} height={36} />
        <h1 className={styles.title}>{say('totp.title')}</h1>
        <div className={styles.fields}>
          {hasCode && (
            <TextField
              label={say('totp.code')}
              description={say('totp.codeHint')}
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
              autoComplete="one-time-code"
              spellCheck={false}
              autoFocus
            />
          )}
          {!hasCode && <p className="soft">{say('passkey.secondStep')}</p>}
          {error !== undefined && (
            <Alert color="red" role="alert">
              <ProblemText error={error} />
            </Alert>
          )}
          {hasCode && (
            <Button type="submit" isBusy={isBusy} disabled={code.trim().length < 6}>
              {say('totp.verify')}
            </Button>
          )}
          {factors.includes('passkey') && (
            <PasskeyButton
              side={side}
              onSignedIn={onSignedIn}
              onStart={() => setError(undefined)}
              onFailure={setError}
            />
          )}
          <Button look="words" onClick={onBack}>
            {say('action.back')}
          </Button>
        </div>
      </form>
    </div>
  );
}
