// The second step of a sign-in: a code of the authenticator app, or a recovery code.

import { Alert } from '@mantine/core';
import { type FormEvent, type ReactElement, useState } from 'react';
import mark from '../design/mark.svg';
import { Button } from '../parts/forms/button.js';
import { TextField } from '../parts/forms/field.js';
import { ProblemText } from '../parts/layout/states.js';
import { useWords } from '../words/say.js';
import styles from './sign-in-page.module.css';
import { callAuth, type SessionAnswer } from './user-session.js';

interface SecondStepProps {
  readonly onSignedIn: (answer: SessionAnswer) => Promise<void>;
  readonly onBack: () => void;
}

export function SecondStep({ onSignedIn, onBack }: SecondStepProps): ReactElement {
  const say = useWords();
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
          <TextField
            label={say('totp.code')}
            description={say('totp.codeHint')}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            autoComplete="one-time-code"
            spellCheck={false}
            autoFocus
          />
          {error !== undefined && (
            <Alert color="red" role="alert">
              <ProblemText error={error} />
            </Alert>
          )}
          <Button type="submit" isBusy={isBusy} disabled={code.trim().length < 6}>
            {say('totp.verify')}
          </Button>
          <Button look="words" onClick={onBack}>
            {say('action.back')}
          </Button>
        </div>
      </form>
    </div>
  );
}
