import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useCustomer } from '../../api/clients.js';
import {
  deleteWebhook,
  listAttempts,
  listWebhooks,
  replayWebhook,
  rotateWebhook,
  testWebhook,
  type Webhook,
} from '../../api/webhooks.js';
import { Card, Facts } from '../../parts/page.js';
import { PlainTable } from '../../parts/plain-table.js';
import { SecretOnce } from '../../parts/secret-once.js';
import { FailureState, LoadingState, ProblemText, State } from '../../parts/states.js';
import { useWords } from '../../words/say.js';
import { WebhookForm } from './webhook-form.js';

export function Webhooks(): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const { data, error } = useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => listWebhooks(client, signal),
    refetchInterval: 5_000,
  });
  if (data === undefined) {
    return <Card>{error === null ? <LoadingState /> : <FailureState error={error} mayBeMissing />}</Card>;
  }
  return (
    <Stack>
      <WebhookForm />
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

function WebhookCard({ webhook }: { readonly webhook: Webhook }): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const queryClient = useQueryClient();
  const [secret, setSecret] = useState<string>();
  const no = webhook.webhook_no;
  const refresh = () => queryClient.invalidateQueries();
  const test = useMutation({ mutationFn: () => testWebhook(client, no), onSettled: refresh });
  const remove = useMutation({ mutationFn: () => deleteWebhook(client, no), onSettled: refresh });
  const replay = useMutation({
    mutationFn: () => replayWebhook(client, no, new Date(Date.now() - DAY_MS).toISOString()),
    onSettled: refresh,
  });
  const rotate = useMutation({
    mutationFn: () => rotateWebhook(client, no),
    onSuccess: (answer) => setSecret(answer.secret),
    onSettled: refresh,
  });
  const attempts = useQuery({
    queryKey: ['attempts', no],
    queryFn: ({ signal }) => listAttempts(client, no, signal),
    refetchInterval: 5_000,
  });
  const failure = [test, remove, replay, rotate].find((one) => one.error !== null)?.error;
  return (
    <Card title={<code>{webhook.url}</code>} side={<Text size="sm">{webhook.status}</Text>}>
      <Stack>
        <Facts
          facts={[
            [say('webhooks.number'), <code key="no">{no}</code>],
            [say('webhooks.events'), webhook.events.join(', ')],
            [say('record.description'), webhook.description],
          ]}
        />
        <Group gap="xs">
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
        <PlainTable rows={attempts.data ?? []} label={say('webhooks.attempts')} />
      </Stack>
    </Card>
  );
}
