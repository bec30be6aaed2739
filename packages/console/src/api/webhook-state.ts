// Whether a webhook gets its events.

import type { Webhook } from '@postrider/client';

type WebhookState = 'active' | 'disabled' | 'failing' | 'unverified';

export function stateOfWebhook({ status, verified_at: verifiedAt, progress }: Webhook): WebhookState {
  if (status === 'disabled') return 'disabled';
  if (verifiedAt === null) return 'unverified';
  return progress.some(({ failing_since: since }) => since !== null) ? 'failing' : 'active';
}

/** The longest-lasting failure of its kinds of events; undefined where none fails. */
export function findFailingSince({ progress }: Webhook): string | undefined {
  return progress
    .flatMap(({ failing_since: since }) => (since === null ? [] : [since]))
    .sort()
    .at(0);
}
