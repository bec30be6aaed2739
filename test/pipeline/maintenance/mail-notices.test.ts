// Mails of what is new with a customer: once each, to who chose it and may see it, and never of what was so before.

import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { traitsOf } from '../../../src/channels/registry.js';
import type { UserMail } from '../../../src/outbound/user-mail.js';
import { mailNotices, type NoticeDeps } from '../../../src/pipeline/maintenance/mail-notices.js';
import { type SnapshotSource, startSnapshot } from '../../../src/store/snapshot/source.js';
import { type HttpService, startHttpService, type TestCustomer } from '../../support/http-service.js';

let service: HttpService;
let snapshot: SnapshotSource;
let ann: TestCustomer;
let nowMs = Date.UTC(2026, 10, 19);
const mails: UserMail[] = [];

beforeAll(async () => {
  service = await startHttpService();
  ann = await service.addCustomer('ann');
  await service.change(async (sql, version) => {
    await sql`update customer set low_balance = 5000000, version = ${version}`;
  });
  const { sql, sealer } = service;
  snapshot = await startSnapshot({ sql, sealer, traitsOf, log: pino({ level: 'silent' }) });
  await service.sql`update account set available = 10000000`;
  for (const [id, email, role, topics] of [
    [1, 'all@example.com', 'admin', ['balance', 'webhooks', 'reviews', 'statements']],
    [2, 'some@example.com', 'admin', ['reviews']],
    [3, 'viewer@example.com', 'viewer', ['balance', 'reviews']],
    [4, 'none@example.com', 'admin', []],
  ] as const) {
    await service.sql`
      insert into console_user (user_id, user_no, side, customer_id, email, name, role, accepted_at, notice_topics)
      values (${id}, ${`P${id}`}, 'customer', ${ann.customerId}, ${email}, 'X', ${role}, now(), ${[...topics]})`;
  }
});
afterAll(async () => {
  await snapshot.stop();
  await service.stop();
});

/** Who was told what by one look. */
async function look(): Promise<Record<string, readonly string[]>> {
  mails.length = 0;
  const deps: NoticeDeps = {
    sql: service.sql,
    snapshot: () => snapshot.current(),
    sendUserMail: async (mail) => void mails.push(mail),
    publicOrigin: 'https://sms.example.com',
    now: () => nowMs,
  };
  await mailNotices(deps);
  return Object.fromEntries(mails.map((mail) => [mail.email, mail.kind === 'notice' ? mail.topics : []]));
}

it('says nothing of what was so before, and nothing twice', async () => {
  expect(await look()).toEqual({});
  expect(await look()).toEqual({});
});

it('tells of a balance below its mark, once, and again after it had recovered', async () => {
  await service.sql`update account set available = 4000000`;
  // A viewer may not see money.
  expect(await look()).toEqual({ 'all@example.com': ['balance'] });
  expect(mails[0]).toMatchObject({ kind: 'notice', url: 'https://sms.example.com/console/' });
  expect(await look()).toEqual({});
  await service.sql`update account set available = 6000000`;
  expect(await look()).toEqual({});
  await service.sql`update account set available = 1`;
  expect(await look()).toEqual({ 'all@example.com': ['balance'] });
});

it('tells of a review, a webhook that fails for long and a month that is over, in one mail', async () => {
  const id = BigInt(nowMs) << 20n;
  await service.sql`
    insert into template_review (customer_id, review_id, template_id, template_no, name, body, revision, decision, actor)
    values (${ann.customerId}, ${id}, 1, 'M_ann', 'Hello', 'Hello', 1, 'approved', 'root')`;
  await service.sql`
    insert into webhook (customer_id, webhook_id, url, events, status, secret_sealed)
    values (${ann.customerId}, 9, 'https://example.com/', '{receipts}', 'active', '\\x00')`;
  await service.sql`
    insert into webhook_cursor (customer_id, webhook_id, event, position, failures, failing_since)
    values (${ann.customerId}, 9, 'receipts', 0, 1, ${new Date(nowMs - 60_000)})`;
  expect(await look()).toEqual({
    'all@example.com': ['reviews'],
    'some@example.com': ['reviews'],
    'viewer@example.com': ['reviews'],
  });
  nowMs += 10 * 60_000;
  expect(await look()).toEqual({ 'all@example.com': ['webhooks'] });
  nowMs = Date.UTC(2026, 11, 1, 1);
  expect(await look()).toEqual({ 'all@example.com': ['statements'] });
});

it('is sent by one process alone', async () => {
  await service.sql`update account set available = 6000000`;
  await look();
  await service.sql`update account set available = 1`;
  mails.length = 0;
  const looks = await Promise.all([look(), look(), look()]);
  expect(looks).toHaveLength(3);
  expect(mails).toHaveLength(1);
});
