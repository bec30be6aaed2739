// Why a webhook gets no events: what is wrong, since when, and what to do about it.

import { Alert } from '@mantine/core';
import type { Webhook, WebhookAttempt } from '@postrider/client';
import type { ReactElement } from 'react';
import { findFailingSince, stateOfWebhook } from '../../api/webhook-state.js';
import { Moment } from '../../parts/values/moment.js';
import { type Say, useWords } from '../../words/say.js';
import { sayPushError } from '../../words/say-push-error.js';

/** By what the service says of a call that failed without an answer. */
const ADVICE_BY_ERROR = [
  [/^no answer within/, 'slow'],
  [/^the connection was refused/, 'closed'],
  [/^the connection was closed/, 'broken'],
  [/^the host name/, 'host'],
  [/^the address is not public/, 'private'],
  [/^the TLS connection/, 'tls'],
  [/^redirects/, 'redirect'],
] as const;

const ADVICE_BY_STATUS: Readonly<Record<number, 'denied' | 'missing'>> = {
  401: 'denied',
  403: 'denied',
  404: 'missing',
  405: 'missing',
  410: 'missing',
};
const FIRST_SERVER_ERROR = 500;

type Advice = (typeof ADVICE_BY_ERROR)[number][1] | 'denied' | 'missing' | 'broken' | 'other';

function adviseOn({ error, status }: WebhookAttempt): Advice {
  const byError = ADVICE_BY_ERROR.find(([pattern]) => pattern.test(error ?? ''))?.[1];
  if (byError !== undefined) return byError;
  if (status === null) return 'other';
  return ADVICE_BY_STATUS[status] ?? (status >= FIRST_SERVER_ERROR ? 'broken' : 'other');
}

function sayReason(say: Say, attempt: WebhookAttempt): string {
  const reason = sayPushError(say, attempt.error ?? '');
  return attempt.status === null ? reason : `HTTP ${attempt.status}, ${reason}`;
}

interface WebhookTroubleProps {
  readonly webhook: Webhook;
  /** Newest first. */
  readonly attempts: readonly WebhookAttempt[];
}

export function WebhookTrouble({ webhook, attempts }: WebhookTroubleProps): ReactElement | null {
  const say = useWords();
  const state = stateOfWebhook(webhook);
  if (state === 'active') return null;
  const since = findFailingSince(webhook);
  const failed = attempts.find(({ error }) => error !== null);
  if (state === 'disabled' && failed === undefined) return null;
  return (
    <Alert color={state === 'unverified' ? 'yellow' : 'red'} title={say(`webhookState.${state}`)} role="status">
      <p>{say(`webhookState.${state}Hint`)}</p>
      {failed !== undefined && (
        <>
          <p>
            {say('webhooks.lastFailure', { reason: sayReason(say, failed) })} (<Moment at={failed.at} />)
          </p>
          <p>{say(`webhookAdvice.${adviseOn(failed)}`)}</p>
        </>
      )}
      {since !== undefined && (
        <p>
          {say('webhooks.since')} <Moment at={since} />
        </p>
      )}
    </Alert>
  );
}
