// The webhooks of a customer and their last calls, to find out why nothing arrives.

import { Stack } from '@mantine/core';
import type { Webhook, WebhookAttempt } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import { stateOfWebhook } from '../../../api/webhook-state.js';
import { Card } from '../../../parts/layout/page.js';
import { FailureState, LoadingState, State } from '../../../parts/layout/states.js';
import { PlainTable } from '../../../parts/tables/plain-table.js';
import { AttemptStatus } from '../../../parts/values/attempt-status.js';
import { Moment } from '../../../parts/values/moment.js';
import { StatusLabel } from '../../../parts/values/status-label.js';
import { useWords } from '../../../words/say.js';
import { sayPushError } from '../../../words/say-push-error.js';
import { sayEvent, WebhookFacts } from '../../developers/webhook-facts.js';
import { WebhookTrouble } from '../../developers/webhook-trouble.js';
import styles from '../operator.module.css';

const SHOWN_ATTEMPTS = 6;

export function CustomerWebhooks({ customerNo }: { readonly customerNo: string }): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const { data, error } = useQuery({
    queryKey: ['customer-webhooks', customerNo],
    // With their attempts, so that the page is drawn once.
    queryFn: async ({ signal }) => {
      const { items } = await operator.customerWebhooks(customerNo, { signal }).page();
      const last = { pageSize: SHOWN_ATTEMPTS, signal };
      const attempts = await Promise.all(
        items.map(({ webhook_no: no }) => operator.customerWebhookAttempts(customerNo, no, last).page()),
      );
      return items.map((webhook, index) => ({ webhook, attempts: attempts[index]?.items ?? [] }));
    },
    refetchInterval: 5_000,
  });
  if (data === undefined) return <Card>{error === null ? <LoadingState /> : <FailureState error={error} />}</Card>;
  if (data.length === 0) {
    return (
      <Card>
        <State icon="developers" title={say('webhooks.empty')} hint={say('customers.webhooksHint')} />
      </Card>
    );
  }
  return (
    <Stack>
      {data.map(({ webhook, attempts }) => (
        <WebhookCard key={webhook.webhook_no} webhook={webhook} attempts={attempts} />
      ))}
    </Stack>
  );
}

interface WebhookCardProps {
  readonly webhook: Webhook;
  readonly attempts: readonly WebhookAttempt[];
}

function WebhookCard({ webhook, attempts }: WebhookCardProps): ReactElement {
  const say = useWords();
  return (
    <Card title={<code>{webhook.url}</code>} side={<StatusLabel status={stateOfWebhook(webhook)} />}>
      <Stack>
        <WebhookTrouble webhook={webhook} attempts={attempts} />
        <WebhookFacts webhook={webhook} />
        <PlainTable
          label={say('webhooks.attempts')}
          figures={[say('webhooks.latency')]}
          rows={attempts.map((attempt) => ({
            [say('record.time')]: <Moment at={attempt.at} />,
            [say('webhooks.event')]: sayEvent(say, attempt),
            [say('webhooks.items')]: attempt.items,
            [say('record.status')]: <AttemptStatus attempt={attempt} />,
            [say('webhooks.latency')]: say('duration.ms', { value: attempt.latency_ms }),
            [say('webhooks.error')]: attempt.error && (
              <span className={styles.text}>{sayPushError(say, attempt.error)}</span>
            ),
          }))}
        />
      </Stack>
    </Card>
  );
}
