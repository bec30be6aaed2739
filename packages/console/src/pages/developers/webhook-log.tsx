// The calls to a webhook: events and tests side by side, or only those of one kind.

import { Group } from '@mantine/core';
import type { Webhook, WebhookAttempt } from '@postrider/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useState } from 'react';
import { useCustomer } from '../../api/clients.js';
import { Button } from '../../parts/controls/button.js';
import { Segments } from '../../parts/controls/segments.js';
import { ProblemText } from '../../parts/layout/states.js';
import { ListTools, useShownColumns } from '../../parts/tables/list-tools.js';
import { PlainTable } from '../../parts/tables/plain-table.js';
import { AttemptStatus } from '../../parts/values/attempt-status.js';
import { Moment } from '../../parts/values/moment.js';
import { useReadOnly } from '../../session/session.js';
import { type Say, useWords } from '../../words/say.js';
import { sayPushError } from '../../words/say-push-error.js';
import styles from './developers.module.css';
import { sayEvent } from './webhook-facts.js';

/** Enough to see whether it works; the rest on demand. */
const SHOWN_ATTEMPTS = 6;
/** As many as the service keeps. */
const ALL_ATTEMPTS = 100;

const KINDS = ['all', 'events', 'tests'] as const;
type Kind = (typeof KINDS)[number];

function isOfKind({ event }: WebhookAttempt, kind: Kind): boolean {
  return kind === 'all' || (event === 'test') === (kind === 'tests');
}

interface LogColumn {
  readonly id: string;
  readonly title: string;
  readonly render: (attempt: WebhookAttempt) => ReactNode;
}

/** Under which the choice of its columns is kept, for all endpoints. */
const LIST = 'webhook-log';

function columnsOf(say: Say): readonly LogColumn[] {
  return [
    { id: 'at', title: say('record.time'), render: ({ at }) => <Moment at={at} /> },
    { id: 'event', title: say('webhooks.event'), render: (attempt) => sayEvent(say, attempt) },
    { id: 'items', title: say('webhooks.items'), render: ({ items }) => items },
    { id: 'status', title: say('record.status'), render: (attempt) => <AttemptStatus attempt={attempt} /> },
    {
      id: 'latency',
      title: say('webhooks.latency'),
      render: ({ latency_ms: value }) => say('duration.ms', { value }),
    },
    { id: 'error', title: say('webhooks.error'), render: ({ error }) => error && sayPushError(say, error) },
  ];
}

interface WebhookLogProps {
  readonly webhook: Webhook;
  /** The newest, newest first. */
  readonly newest: readonly WebhookAttempt[];
}

export function WebhookLog({ webhook: { webhook_no: no }, newest }: WebhookLogProps): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const queryClient = useQueryClient();
  const isReadOnly = useReadOnly();
  const [kind, setKind] = useState<Kind>('all');
  const [isWhole, setWhole] = useState(false);
  const isAsked = isWhole || kind !== 'all';
  const columns = columnsOf(say);
  const shownColumns = useShownColumns(LIST, columns);
  const { data: all } = useQuery({
    queryKey: ['webhook-attempts', no],
    queryFn: ({ signal }) => client.webhookAttempts(no, { pageSize: ALL_ATTEMPTS, signal }).page(),
    enabled: isAsked,
    refetchInterval: 5_000,
  });
  const resend = useMutation({
    mutationFn: (id: number) => client.resendWebhookAttempt(no, id),
    onSettled: () => queryClient.invalidateQueries(),
  });
  const found = ((isAsked ? all?.items : undefined) ?? newest).filter((attempt) => isOfKind(attempt, kind));
  const shown = isWhole ? found : found.slice(0, SHOWN_ATTEMPTS);
  const hasMore = shown.length < found.length || (!isAsked && newest.length > SHOWN_ATTEMPTS);
  return (
    <>
      <Group justify="space-between" gap="xs">
        <h3 className={styles.subtitle}>{say('webhooks.attempts')}</h3>
        <Segments
          label={say('webhooks.attempts')}
          value={kind}
          onChange={(value) => setKind(KINDS.find((one) => one === value) ?? 'all')}
          choices={KINDS.map((value) => ({ value, label: say(`webhooks.log.${value}`) }))}
        />
        <ListTools list={LIST} columns={columns} isCompact />
      </Group>
      {resend.error !== null && <ProblemText error={resend.error} />}
      <PlainTable
        label={say('webhooks.attempts')}
        none={say(kind === 'events' ? 'webhooks.noEvents' : 'webhooks.noAttempts')}
        figures={[say('webhooks.latency')]}
        rows={shown.map((attempt) => ({
          ...Object.fromEntries(shownColumns.map(({ title, render }) => [title, render(attempt)])),
          [say('webhooks.message')]: <AttemptMessage attempt={attempt} />,
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
      />
      {!isWhole && hasMore && (
        <Button look="words" size="small" className={styles.all} onClick={() => setWhole(true)}>
          {say('webhooks.showAll')}
        </Button>
      )}
    </>
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
