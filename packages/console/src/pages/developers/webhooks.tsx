import { Group, Stack } from '@mantine/core';
import type { Webhook, WebhookAttempt } from '@postrider/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useCustomer } from '../../api/clients.js';
import { stateOfWebhook } from '../../api/webhook-state.js';
import { Button } from '../../parts/controls/button.js';
import { ConfirmDialog } from '../../parts/forms/confirm-dialog.js';
import type { Field } from '../../parts/forms/entity-form.js';
import { FormDialog } from '../../parts/forms/form-dialog.js';
import { SecretOnce } from '../../parts/forms/secret-once.js';
import { Card } from '../../parts/layout/page.js';
import { FailureState, LoadingState, ProblemText, State } from '../../parts/layout/states.js';
import { StatusLabel } from '../../parts/values/status-label.js';
import { useReadOnly } from '../../session/session.js';
import { type Say, sayValue, useWords } from '../../words/say.js';
import { WEBHOOK_EVENTS } from '../../words/tables/event-words.js';
import { WebhookFacts } from './webhook-facts.js';
import { WebhookForm } from './webhook-form.js';
import { WebhookLog } from './webhook-log.js';
import { WebhookTrouble } from './webhook-trouble.js';

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

function fieldsOf(say: Say): readonly Field[] {
  return [
    { name: 'url', label: say('webhooks.url'), kind: 'text', isRequired: true },
    {
      name: 'events',
      label: say('webhooks.events'),
      kind: 'choices',
      isRequired: true,
      choices: WEBHOOK_EVENTS.map((value) => ({ value, label: `${sayValue(say, 'webhookEvent', value)} (${value})` })),
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
  const replay = useMutation({
    mutationFn: () => client.replayWebhook(no, new Date(Date.now() - DAY_MS)),
    onSettled: refresh,
  });
  const rotate = useMutation({
    mutationFn: () => client.rotateWebhook(no),
    onSuccess: (answer) => setSecret(answer.secret),
    onSettled: refresh,
  });
  const failure = [test, remove, enable, disable, replay, rotate].find((one) => one.error !== null)?.error;
  return (
    <Card title={<code>{webhook.url}</code>} side={<StatusLabel status={stateOfWebhook(webhook)} />}>
      <Stack>
        <WebhookTrouble webhook={webhook} attempts={attempts} />
        <WebhookFacts webhook={webhook} />
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
        <WebhookLog webhook={webhook} newest={attempts} />
      </Stack>
    </Card>
  );
}
