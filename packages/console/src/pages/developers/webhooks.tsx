import { Button, Group, Stack } from '@mantine/core';
import type { Webhook, WebhookAttempt } from '@postrider/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useCustomer } from '../../api/clients.js';
import { Moment } from '../../parts/moment.js';
import { Card, Facts } from '../../parts/page.js';
import { type PlainRow, PlainTable } from '../../parts/plain-table.js';
import { SecretOnce } from '../../parts/secret-once.js';
import { FailureState, LoadingState, ProblemText, State } from '../../parts/states.js';
import { StatusLabel } from '../../parts/status-label.js';
import { useReadOnly } from '../../session/session.js';
import { type Say, useWords } from '../../words/say.js';
import { WebhookForm } from './webhook-form.js';

export function Webhooks(): ReactElement {
  const say = useWords();
  const isReadOnly = useReadOnly();
  const client = useCustomer();
  const { data, error } = useQuery({
    queryKey: ['webhooks'],
    queryFn: async ({ signal }) => (await client.webhooks({ signal }).page()).items,
    refetchInterval: 5_000,
  });
  if (data === undefined) {
    return <Card>{error === null ? <LoadingState /> : <FailureState error={error} mayBeMissing />}</Card>;
  }
  return (
    <Stack>
      {!isReadOnly && <WebhookForm />}
      {data.length === 0 && (
        <Card>
          <State icon="developers" title={say('webhooks.empty')} hint={say('webhooks.emptyHint')} />
        </Card>
      )}
      {data.map((webhook) => (
        <WebhookCard key={webhook.webhook_no} webhook={webhook} />
      ))}
    </Stack>
  );
}

const DAY_MS = 86_400_000;

function showAttempt(say: Say, attempt: WebhookAttempt): PlainRow {
  return {
    [say('record.time')]: <Moment key="at" at={attempt.at} />,
    [say('webhooks.event')]: attempt.event,
    [say('webhooks.items')]: attempt.items,
    [say('record.status')]: attempt.status,
    [say('webhooks.latency')]: `${attempt.latency_ms} ms`,
    [say('webhooks.error')]: attempt.error,
  };
}

function WebhookCard({ webhook }: { readonly webhook: Webhook }): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const queryClient = useQueryClient();
  const isReadOnly = useReadOnly();
  const [secret, setSecret] = useState<string>();
  const no = webhook.webhook_no;
  const refresh = () => queryClient.invalidateQueries();
  const test = useMutation({ mutationFn: () => client.testWebhook(no), onSettled: refresh });
  const remove = useMutation({ mutationFn: () => client.deleteWebhook(no), onSettled: refresh });
  const enable = useMutation({
    mutationFn: () => client.updateWebhook(no, { status: 'active' }),
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
  const attempts = useQuery({
    queryKey: ['attempts', no],
    queryFn: async ({ signal }) => (await client.webhookAttempts(no, { signal }).page()).items,
    refetchInterval: 5_000,
  });
  const failure = [test, remove, enable, replay, rotate].find((one) => one.error !== null)?.error;
  return (
    <Card title={<code>{webhook.url}</code>} side={<StatusLabel status={webhook.status} />}>
      <Stack>
        <Facts
          facts={[
            [say('webhooks.number'), <code key="no">{no}</code>],
            [say('webhooks.events'), webhook.events.join(', ')],
            [say('record.description'), webhook.description],
            [say('webhooks.disabled'), webhook.disabled_reason],
          ]}
        />
        <Group gap="xs" hidden={isReadOnly}>
          {webhook.status === 'disabled' && (
            <Button loading={enable.isPending} onClick={() => enable.mutate()}>
              {say('webhooks.enable')}
            </Button>
          )}
          <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
            {say('webhooks.test')}
          </Button>
          <Button variant="default" loading={replay.isPending} onClick={() => replay.mutate()}>
            {say('webhooks.replay')}
          </Button>
          <Button variant="default" loading={rotate.isPending} onClick={() => rotate.mutate()}>
            {say('webhooks.rotate')}
          </Button>
          <Button variant="default" color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            {say('webhooks.delete')}
          </Button>
        </Group>
        {failure && <ProblemText error={failure} />}
        {secret !== undefined && <SecretOnce name={say('webhooks.secret')} value={secret} />}
        <h3>{say('webhooks.attempts')}</h3>
        <PlainTable
          rows={(attempts.data ?? []).map((attempt) => showAttempt(say, attempt))}
          label={say('webhooks.attempts')}
        />
      </Stack>
    </Card>
  );
}
