import { Alert, Checkbox, Group, Stack } from '@mantine/core';
import { PostriderError, type WebhookEvent } from '@postrider/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, useState } from 'react';
import { useCustomer } from '../../api/clients.js';
import { Button } from '../../parts/controls/button.js';
import { TextField } from '../../parts/forms/field.js';
import { SecretOnce } from '../../parts/forms/secret-once.js';
import { Card } from '../../parts/layout/page.js';
import { ProblemText } from '../../parts/layout/states.js';
import { sayValue, useWords } from '../../words/say.js';
import { WEBHOOK_EVENTS } from '../../words/tables/event-words.js';
import { useFaultWords } from '../../words/use-error-words.js';

export function WebhookForm(): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const queryClient = useQueryClient();
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [events, setEvents] = useState<string[]>(['receipts', 'uplinks']);
  const create = useMutation({
    mutationFn: () =>
      client.createWebhook({
        url: url.trim(),
        events: events as WebhookEvent[],
        ...(description.trim() === '' ? {} : { description: description.trim() }),
      }),
    onSuccess: () => {
      setUrl('');
      setDescription('');
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['webhooks'] }),
  });
  const faults = create.error instanceof PostriderError ? create.error.errors : [];
  const sayFault = useFaultWords();
  const faultAt = (pointer: string) => {
    const fault = faults.find((one) => one.pointer.startsWith(pointer));
    return fault && sayFault(fault);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Card title={say('webhooks.add')}>
      <form onSubmit={submit}>
        <Stack>
          <TextField
            label={say('webhooks.url')}
            placeholder="https://example.com/postrider"
            value={url}
            error={faultAt('/url')}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <Checkbox.Group label={say('webhooks.events')} value={events} onChange={setEvents} error={faultAt('/events')}>
            <Stack gap="xs" mt="xs">
              {WEBHOOK_EVENTS.map((name) => (
                <Checkbox
                  key={name}
                  value={name}
                  label={
                    <>
                      {sayValue(say, 'webhookEvent', name)} <code>{name}</code>
                    </>
                  }
                  description={sayValue(say, 'webhookEventHint', name)}
                />
              ))}
            </Stack>
          </Checkbox.Group>
          <TextField
            label={say('record.description')}
            value={description}
            error={faultAt('/description')}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          {create.error !== null && faults.length === 0 && (
            <Alert color="red">
              <ProblemText error={create.error} />
            </Alert>
          )}
          <Group justify="flex-end">
            <Button type="submit" isBusy={create.isPending} disabled={url.trim() === '' || events.length === 0}>
              {say('webhooks.add')}
            </Button>
          </Group>
          {create.data !== undefined && <SecretOnce name={say('webhooks.secret')} value={create.data.secret} />}
        </Stack>
      </form>
    </Card>
  );
}
