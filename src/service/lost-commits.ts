// The alarm that the database has lost commits: an upstream answered or reported a part that the database shows as never sent.

import type { Log } from '../domain/log.js';
import type { DeliveryEvent } from '../domain/outcome/delivery-event.js';
import { formatReference } from '../domain/record/part-reference.js';

const SHOWN = 10;

export function logLostCommits(log: Log, deliveryEvents: readonly DeliveryEvent[]): void {
  const references = deliveryEvents.slice(0, SHOWN).map(({ chunk, index, part }) => {
    const { customerId, taskId, numbers } = chunk;
    return formatReference({ customerId, taskId, seq: numbers.seq[index] ?? 0, part });
  });
  const channels = [...new Set(deliveryEvents.map(({ channelId }) => String(channelId)))];
  log.error(
    { parts: deliveryEvents.length, channels, references },
    'the database has lost commits: upstreams speak of parts that it shows as never sent; these are recorded and not sent again, ' +
      'others may be: pause what is under way and check the replication (docs/guides/production.md)',
  );
}
