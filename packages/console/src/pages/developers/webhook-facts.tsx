import type { Webhook, WebhookAttempt } from '@postrider/client';
import type { ReactElement } from 'react';
import { Facts } from '../../parts/layout/page.js';
import { Moment } from '../../parts/values/moment.js';
import { type Say, sayValue, useWords } from '../../words/say.js';

/** What it gets, and since when it does not. */
export function WebhookFacts({ webhook }: { readonly webhook: Webhook }): ReactElement {
  const say = useWords();
  const sayEvent = (event: string) => sayValue(say, 'webhookEvent', event);
  return (
    <Facts
      facts={[
        [say('webhooks.number'), <code key="no">{webhook.webhook_no}</code>],
        [say('webhooks.events'), webhook.events.map(sayEvent).join(', ')],
        [say('record.description'), webhook.description],
        [say('webhooks.disabled'), webhook.disabled_reason],
        ...webhook.progress.flatMap(({ event, failing_since: since, next_try_at: next }) =>
          since === null || next === null
            ? []
            : [
                [say('webhooks.failingSince', { event: sayEvent(event) }), <Moment key="since" at={since} />] as const,
                [say('webhooks.nextTry', { event: sayEvent(event) }), <Moment key="next" at={next} />] as const,
              ],
        ),
      ]}
    />
  );
}

/** A test that an event waits for is named after it in the id of the message. */
const WAITING_EVENT = /_test_([a-z_]*[a-z])_\d+$/;

export function sayEvent(say: Say, { event, message_id: messageId }: WebhookAttempt): ReactElement {
  if (event !== 'test') {
    return (
      <span>
        {sayValue(say, 'webhookEvent', event)} <code>{event}</code>
      </span>
    );
  }
  const waiting = WAITING_EVENT.exec(messageId)?.[1];
  if (waiting === undefined) return <span>{say('webhooks.testEvent')}</span>;
  const name = waiting.replace('_', '.');
  return <span>{say('webhooks.testBefore', { event: sayValue(say, 'webhookEvent', name) })}</span>;
}
