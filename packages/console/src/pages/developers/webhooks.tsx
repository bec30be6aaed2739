import { Group, Stack } from '@mantine/core';
import type { Webhook, WebhookAttempt } from '@postrider/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useCustomer } from '../../api/clients.js';
import { Button } from '../../parts/controls/button.js';
import { ConfirmDialog } from '../../parts/forms/confirm-dialog.js';
import type { Field } from '../../parts/forms/entity-form.js';
import { FormDialog } from '../../parts/forms/form-dialog.js';
import { SecretOnce } from '../../parts/forms/secret-once.js';
import { Card, Facts } from '../../parts/layout/page.js';
import { FailureState, LoadingState, ProblemText, State } from '../../parts/layout/states.js';
import { type PlainRow, PlainTable } from '../../parts/tables/plain-table.js';
import { AttemptStatus } from '../../parts/values/attempt-status.js';
import { Moment } from '../../parts/values/moment.js';
import { StatusLabel } from '../../parts/values/status-label.js';
import { useReadOnly } from '../../session/session.js';
import { type Say, useWords } from '../../words/say.js';
import { sayPushError } from '../../words/say-push-error.js';
import styles from './developers.module.css';
import { WEBHOOK_EVENTS, WebhookForm } from './webhook-form.js';

export function Webhooks(): ReactElement {
  const say = useWords();
  const isReadOnly = useReadOnly();
  const client = useCustomer();
  const { data, error } = useQuery({
    queryKey: ['webhooks'],
    // With their attempts, so that the page is drawn once.
    queryFn: async ({ signal }) => {
      const { items } = await client.webhooks({ signal }).page();
      const attempts = await Promise.all(items.map((one) => client.webhookAttempts(one.webhook_no, { signal }).page()));
      return items.map((webhook, index) => ({ webhook, attempts: attempts[index]?.items ?? [] }));
    },
    refetchInterval: 5_000,
  });
  if (data === undefined) {
    return <Card>{error === null ? <LoadingState /> : <FailureState error={error} mayBeMissing />}</Card>;
  }
  return (
    <Stack>
      {data.length === 0 && (
        <Card>
          <State icon="developers" title={say('webhooks.empty')} hint={say('webhooks.emptyHint')} />
        </Card>
      )}
      {data.map(({ webhook, attempts }) => (
        <WebhookCard key={webhook.webhook_no} webhook={webhook} attempts={attempts} />
      ))}
      {!isReadOnly && <WebhookForm />}
    </Stack>
  );
}

const DAY_MS = 86_400_000;
/** Enough to see whether it works; the rest on demand. */
const SHOWN_ATTEMPTS = 6;

function showAttempt(say: Say, attempt: WebhookAttempt): PlainRow {
  return {
    [say('record.time')]: <Moment key="at" at={attempt.at} />,
    [say('webhooks.event')]: attempt.event,
    [say('webhooks.items')]: attempt.items,
    [say('record.status')]: <AttemptStatus key="status" attempt={attempt} />,
    [say('webhooks.latency')]: say('duration.ms', { value: attempt.latency_ms }),
    [say('webhooks.error')]: attempt.error && sayPushError(say, attempt.error),
  };
}

function fieldsOf(say: Say): readonly Field[] {
  return [
    { name: 'url', label: say('webhooks.url'), kind: 'text', isRequired: true },
    {
      name: 'events',
      label: say('webhooks.events'),
      kind: 'choices',
      isRequired: true,
      choices: WEBHOOK_EVENTS.map((value) => ({ value, label: value })),
    },
    { name: 'description', label: say('record.description'), kind: 'text', emptyIs: null },
    { name: 'masked', label: say('webhooks.masked'), kind: 'switch' },
  ];
}

interface WebhookCardProps {
  readonly webhook: Webhook;
  readonly attempts: readonly WebhookAttempt[];
}

function WebhookCard({ webhook, attempts }: WebhookCardProps): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const queryClient = useQueryClient();
  const isReadOnly = useReadOnly();
  const [secret, setSecret] = useState<string>();
  const [asked, setAsked] = useState<'delete' | 'rotate' | 'disable'>();
  const [isWhole, setWhole] = useState(false);
  const no = webhook.webhook_no;
  const refresh = () => queryClient.invalidateQueries();
  const test = useMutation({ mutationFn: () => client.testWebhook(no), onSettled: refresh });
  const remove = useMutation({ mutationFn: () => client.deleteWebhook(no), onSettled: refresh });
  const enable = useMutation({
    mutationFn: () => client.updateWebhook(no, { status: 'active' }),
    onSettled: refresh,
  });
  const disable = useMutation({
    mutationFn: () => client.updateWebhook(no, { status: 'disabled' }),
    onSettled: refresh,
  });
  const resend = useMutation({
    mutationFn: (id: number) => client.resendWebhookAttempt(no, id),
    onSettled: refresh,
  });
  const replay = useMutation({
    mutationFn: () => client.replayWebhook(no, new Date(Date.now() - DAY_MS)),
    onSettled: refresh,
  });
  const rotate = useMutation({
    mutationFn: () => client.rotateWebhook(no),
    onSuccess: (answer) => setSecret(answer.secret),
    onSettled: refresh,
  });
  const isFailing = webhook.status === 'active' && webhook.progress.some(({ failing_since: since }) => since !== null);
  const shownAttempts = isWhole ? attempts : attempts.slice(0, SHOWN_ATTEMPTS);
  const failure = [test, remove, enable, disable, resend, replay, rotate].find((one) => one.error !== null)?.error;
  return (
    <Card title={<code>{webhook.url}</code>} side={<StatusLabel status={isFailing ? 'failing' : webhook.status} />}>
      <Stack>
        <Facts
          facts={[
            [say('webhooks.number'), <code key="no">{no}</code>],
            [say('webhooks.events'), webhook.events.join(', ')],
            [say('record.description'), webhook.description],
            [say('webhooks.disabled'), webhook.disabled_reason],
            ...webhook.progress.flatMap(({ event, failing_since: since, next_try_at: next }) =>
              since === null || next === null
                ? []
                : [
                    [say('webhooks.failingSince', { event }), <Moment key="since" at={since} />] as const,
                    [say('webhooks.nextTry', { event }), <Moment key="next" at={next} />] as const,
                  ],
            ),
          ]}
        />
        <Group gap="xs" hidden={isReadOnly}>
          {webhook.status === 'disabled' && (
            <Button isBusy={enable.isPending} onClick={() => enable.mutate()}>
              {say('webhooks.enable')}
            </Button>
          )}
          {webhook.status === 'active' && (
            <Button look="bordered" isBusy={disable.isPending} onClick={() => setAsked('disable')}>
              {say('webhooks.disable')}
            </Button>
          )}
          <FormDialog
            label={say('webhooks.edit')}
            title={say('webhooks.editOf')}
            submit={say('form.save')}
            isChange
            fields={fieldsOf(say)}
            initial={{ ...webhook }}
            onSubmit={(body) => client.updateWebhook(no, body)}
          />
          <Button look="bordered" isBusy={test.isPending} onClick={() => test.mutate()}>
            {say('webhooks.test')}
          </Button>
          <Button look="bordered" isBusy={replay.isPending} onClick={() => replay.mutate()}>
            {say('webhooks.replay')}
          </Button>
          <Button look="bordered" isBusy={rotate.isPending} onClick={() => setAsked('rotate')}>
            {say('webhooks.rotate')}
          </Button>
          <Button look="bordered" isDangerous isBusy={remove.isPending} onClick={() => setAsked('delete')}>
            {say('webhooks.delete')}
          </Button>
        </Group>
        <ConfirmDialog
          title={asked && say(`webhooks.${asked}`)}
          hint={asked && say(`webhooks.${asked}Hint`)}
          isDangerous={asked === 'delete'}
          onClose={() => setAsked(undefined)}
          onConfirm={() => asked && { delete: remove, rotate, disable }[asked].mutate()}
        />
        {failure && <ProblemText error={failure} />}
        {secret !== undefined && <SecretOnce name={say('webhooks.secret')} value={secret} />}
        <h3 className={styles.subtitle}>{say('webhooks.attempts')}</h3>
        <PlainTable
          figures={[say('webhooks.latency')]}
          rows={shownAttempts.map((attempt) => ({
            ...showAttempt(say, attempt),
            [say('webhooks.message')]: <AttemptMessage key="message" attempt={attempt} />,
            ...(!isReadOnly && {
              [say('webhooks.resend')]: (
                <Button
                  key="resend"
                  look="bordered"
                  size="small"
                  isBusy={resend.isPending}
                  onClick={() => resend.mutate(attempt.id)}
                >
                  {say('webhooks.resend')}
                </Button>
              ),
            }),
          }))}
          label={say('webhooks.attempts')}
        />
        {shownAttempts.length < attempts.length && (
          <Button look="words" size="small" className={styles.all} onClick={() => setWhole(true)}>
            {say('webhooks.all', { count: attempts.length })}
          </Button>
        )}
      </Stack>
    </Card>
  );
}

/** What was sent and what was answered. */
function AttemptMessage({ attempt }: { readonly attempt: WebhookAttempt }): ReactElement {
  const say = useWords();
  return (
    <details>
      <summary>{say('webhooks.show')}</summary>
      <pre className={styles.message}>{attempt.request_body}</pre>
      <pre className={styles.message}>{attempt.response_body || '–'}</pre>
    </details>
  );
}
