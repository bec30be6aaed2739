import { randomBytes } from 'node:crypto';
import { NOTHING_ALLOWED } from '../../src/domain/access/public-address.js';
import { createIdSource } from '../../src/domain/id.js';
import { createCallGate } from '../../src/http/limits/call-gate.js';
import type { WebhookDeps } from '../../src/http/resources/webhook-actions.js';
import { createAddressGuard } from '../../src/outbound/address-guard.js';
import { createCustomerMutex } from '../../src/pipeline/fairness/customer-mutex.js';
import { createPoster } from '../../src/pipeline/push/post.js';
import type { Sealer } from '../../src/store/secrets/seal.js';
import type { Sql } from '../../src/store/sql.js';

/** As the service has them, for an API without the rest of it. */
export function createWebhookDeps(sql: Sql, sealer: Sealer): WebhookDeps {
  // Names are known to the tests alone: no query leaves this machine.
  const guard = createAddressGuard(NOTHING_ALLOWED, async () => {
    throw Object.assign(new Error('there is no such name'), { code: 'ENOTFOUND' });
  });
  const nextId = createIdSource({ now: Date.now, randomBytes });
  const { signal } = new AbortController();
  const gate = createCallGate(signal);
  const mutex = createCustomerMutex(signal);
  const poster = createPoster({ guard });
  // These tests resend nothing but tests.
  const sources = {} as WebhookDeps['sources'];
  return { sources, sql, sealer, guard, poster, gate, mutex, now: Date.now, nextId, randomBytes, onChanged: () => {} };
}
