import { randomBytes } from 'node:crypto';
import { makeIdSource } from '../../src/domain/id.js';
import { NOTHING_ALLOWED } from '../../src/domain/public-address.js';
import type { WebhookDeps } from '../../src/http/webhook-actions.js';
import { makeAddressGuard } from '../../src/pipeline/push/address-guard.js';
import { makePoster } from '../../src/pipeline/push/post.js';
import type { Sql } from '../../src/store/connect.js';
import type { Sealer } from '../../src/store/seal.js';

/** As the service has them, for an API without the rest of it. */
export function makeWebhookDeps(sql: Sql, sealer: Sealer): WebhookDeps {
  const guard = makeAddressGuard(NOTHING_ALLOWED);
  const nextId = makeIdSource({ now: Date.now, randomBytes });
  return { sql, sealer, guard, poster: makePoster({ guard }), now: Date.now, nextId, randomBytes, onChanged: () => {} };
}
