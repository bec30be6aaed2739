import type { Webhook } from '@postrider/client';
import type { ReactElement } from 'react';
import { Facts } from '../../parts/layout/page.js';
import { Moment } from '../../parts/values/moment.js';
import { sayValue, useWords } from '../../words/say.js';

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
