// Two-step verification with an authenticator app: set up, confirm with a code, remove.

import { Alert, Modal, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { encode } from 'uqr';
import { EntityForm } from '../../parts/forms/entity-form.js';
import { FormDialog } from '../../parts/forms/form-dialog.js';
import { Card } from '../../parts/layout/page.js';
import { FailureState, LoadingState } from '../../parts/layout/states.js';
import { Copyable } from '../../parts/values/copyable.js';
import type { UserSession } from '../../session/session.js';
import { callAuth } from '../../session/user-session.js';
import { useWords } from '../../words/say.js';
import styles from './security.module.css';

interface Factors {
  readonly totp: boolean;
  readonly recovery_codes_left: number;
}

interface NewTotp {
  readonly secret: string;
  readonly otpauth_url: string;
}

export function TotpCard({ session }: { readonly session: UserSession }): ReactElement {
  const say = useWords();
  const [started, setStarted] = useState<NewTotp>();
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[]>();
  const { data, error } = useQuery({
    queryKey: ['second-factors', session.sessionId],
    queryFn: ({ signal }) => callAuth<Factors>({ method: 'GET', path: '/auth/second-factors', signal }, session),
  });
  if (data === undefined) return <Card>{error === null ? <LoadingState /> : <FailureState error={error} />}</Card>;
  const askPassword = [{ name: 'password', label: say('session.password'), kind: 'secret', isRequired: true }] as const;
  return (
    <Card
      title={say('totp.title')}
      side={
        data.totp ? (
          <FormDialog
            label={say('totp.remove')}
            isCompact
            fields={askPassword}
            onSubmit={(body) => callAuth({ method: 'POST', path: '/auth/totp/remove', body }, session)}
          />
        ) : (
          <FormDialog
            label={say('totp.setUp')}
            isCompact
            fields={askPassword}
            submit={say('totp.continue')}
            onSubmit={async (body) =>
              setStarted(await callAuth<NewTotp>({ method: 'POST', path: '/auth/totp', body }, session))
            }
          />
        )
      }
    >
      <Stack>
        <p className={styles.line}>
          {data.totp ? say('totp.on', { count: data.recovery_codes_left }) : say('totp.off')}
        </p>
        {recoveryCodes !== undefined && <RecoveryCodes codes={recoveryCodes} />}
      </Stack>
      <Modal
        opened={started !== undefined}
        onClose={() => setStarted(undefined)}
        title={say('totp.setUp')}
        closeButtonProps={{ 'aria-label': say('action.close') }}
      >
        {started !== undefined && (
          <Stack>
            <p className={styles.line}>{say('totp.scan')}</p>
            <QrCode text={started.otpauth_url} label={say('totp.qr')} />
            <Copyable value={started.secret} name={say('totp.secret')} />
            <EntityForm
              fields={[{ name: 'code', label: say('totp.code'), kind: 'text', isRequired: true }]}
              submit={say('totp.confirm')}
              onSubmit={async ({ code }) => {
                const body = { code: String(code).replaceAll(/\s/g, '') };
                const answer = await callAuth<{ readonly recovery_codes: readonly string[] }>(
                  { method: 'POST', path: '/auth/totp/confirm', body },
                  session,
                );
                setRecoveryCodes(answer.recovery_codes);
              }}
              onDone={() => setStarted(undefined)}
            />
          </Stack>
        )}
      </Modal>
    </Card>
  );
}

/** Dark on light in either scheme: cameras expect it. */
function QrCode({ text, label }: { readonly text: string; readonly label: string }): ReactElement {
  const { data, size } = encode(text, { border: 2 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg
      className={styles.qr}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={path} />
    </svg>
  );
}

function RecoveryCodes({ codes }: { readonly codes: readonly string[] }): ReactElement {
  const say = useWords();
  return (
    <Alert color="yellow" title={say('totp.recoveryOnce')} role="status">
      <p>{say('totp.recoveryHint')}</p>
      <Copyable value={codes.join('\n')} name={say('totp.recovery')}>
        <span className={styles.codes}>{codes.join(' ')}</span>
      </Copyable>
    </Alert>
  );
}
