// The digest of operators: one mail a day to each who asked, by a real mail server, with the figures of the day that is over.

import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { traitsOf } from '../../../src/channels/registry.js';
import { createUserMailer } from '../../../src/outbound/user-mail.js';
import { mailDigest } from '../../../src/pipeline/maintenance/mail-digest.js';
import { type SnapshotSource, startSnapshot } from '../../../src/store/snapshot/source.js';
import { type HttpService, startHttpService, type TestCustomer } from '../../support/http-service.js';
import { type SmtpListener, startSmtpListener } from '../../support/network/smtp-listener.js';

const log = pino({ level: 'silent' });
/** 08:00 in Shanghai. */
const morningOf = (day: string) => Date.parse(`${day}T00:00:00Z`);
/** Noon in Shanghai. */
const noonOf = (day: string) => new Date(`${day}T04:00:00Z`);

let service: HttpService;
let snapshot: SnapshotSource;
let smtp: SmtpListener;
let ann: TestCustomer;

beforeAll(async () => {
  smtp = await startSmtpListener();
  service = await startHttpService();
  ann = await service.addCustomer('ann');
  await service.change(async (sql, version) => {
    await sql`update customer set billing_time_zone = 'Asia/Shanghai', version = ${version}`;
    await sql`update channel set status = 'disabled', version = ${version}`;
  });
  snapshot = await startSnapshot({ sql: service.sql, sealer: service.sealer, traitsOf, log });
  for (const [id, email, side, topics] of [
    [1, 'olga@example.com', 'operator', ['digest']],
    [2, 'otto@example.com', 'operator', []],
    [3, 'ann@example.com', 'customer', ['digest']],
  ] as const) {
    await service.sql`
      insert into console_user (user_id, user_no, side, customer_id, email, name, role, accepted_at, notice_topics)
      values (${id}, ${`P${id}`}, ${side}, ${side === 'customer' ? ann.customerId : null}, ${email}, 'X', 'admin', now(),
        ${[...topics]})`;
  }
});
afterAll(async () => {
  await snapshot.stop();
  await service.stop();
  await smtp.stop();
});

/** One process that looks: its mailer is its own. */
async function look(nowMs: number): Promise<void> {
  const sendUserMail = createUserMailer(`${smtp.url}?from=noreply@example.com`, log);
  const publicOrigin = 'https://sms.example.com';
  const { sql } = service;
  await mailDigest({ sql, snapshot: () => snapshot.current(), sendUserMail, publicOrigin, now: () => nowMs });
}

interface Sum {
  readonly code: string;
  readonly sent?: number;
  readonly delivered?: number;
  readonly rejected?: number;
}

async function sum(at: Date, { code, sent = 0, delivered = 0, rejected = 0 }: Sum): Promise<void> {
  await service.sql`
    insert into receipt_sum (customer_id, series, grain, at, key, delivered, undelivered, expired, rejected, parts, charged,
      cancelled, handed_over)
    values (${ann.customerId}, 'code', 'hour', ${at}, ${code}, ${delivered}, 0, 0, ${rejected}, 0, 0, 0, ${sent})`;
}

async function earn(day: string, [charged, refunded, cost]: readonly [number, number, number]): Promise<void> {
  await service.sql`
    insert into traffic_sum (customer_id, grain, at, channel_id, firm, class, unit_price, numbers, parts, delivered, charged,
      refunded, cost)
    values (${ann.customerId}, 'day', ${new Date(`${day}T00:00:00Z`)}, 1, 'cmcc', 'notice', 1, 1, 1, 1, ${charged},
      ${refunded}, ${cost})`;
}

/** The text as its reader sees it. */
function textOf({ data = '' }: { readonly data?: string } = {}): string {
  const [head = '', ...body] = data.split('\r\n\r\n');
  const encoded = body.join('\r\n\r\n');
  if (/base64/i.test(head)) return Buffer.from(encoded, 'base64').toString('utf8');
  const bytes = encoded
    .replaceAll('=\r\n', '')
    .replace(/=([\dA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('\r\n', '\n');
}

it('says nothing to who has just chosen it, and nothing of a day without anything', async () => {
  await look(morningOf('2026-11-17'));
  await look(morningOf('2026-11-18'));
  expect(smtp.messages).toEqual([]);
});

it('sends the figures of the day that is over, from eight in the morning on', async () => {
  await sum(noonOf('2026-11-17'), { code: 'DELIVRD', sent: 80, delivered: 60 });
  await sum(noonOf('2026-11-18'), { code: 'DELIVRD', sent: 100, delivered: 90 });
  await sum(noonOf('2026-11-18'), { code: 'no_route', rejected: 7 });
  await sum(noonOf('2026-11-18'), { code: '<b>evil</b>', rejected: 1 });
  // Of another day by the clock of the customers, and of the same by that of UTC.
  await sum(new Date('2026-11-18T16:00:00Z'), { code: 'DELIVRD', sent: 1000, delivered: 1000 });
  await earn('2026-11-17', [4_000_000, 0, 1_000_000]);
  await earn('2026-11-18', [5_000_000, 500_000, 1_500_000]);
  await service.sql`
    insert into unknown_part (bucket, customer_id, task_id, seq, part, chunk_no, channel_id, phone_key, since, deadline)
    values (0, ${ann.customerId}, 1, 1, 1, 0, 1, 8613800138000, now(), now())`;
  await service.sql`update channel set status = 'active'`;
  await look(morningOf('2026-11-19') - 1);
  expect(smtp.messages).toEqual([]);
  await look(morningOf('2026-11-19'));
  expect(smtp.messages.map(({ from, to }) => [from, to])).toEqual([['noreply@example.com', 'olga@example.com']]);
  const text = textOf(smtp.messages[0]);
  for (const line of [
    '2026-11-18 (Asia/Shanghai); in brackets the day before.',
    'Sent · 已发送: 100 (80)',
    'Delivered · 已送达: 90 (60)',
    'Delivery rate · 送达率: 90.0 % (75.0 %)',
    'Rejected · 已拒绝: 8 (0)\n  no_route: 7 (0)\n',
    'Charged · 已扣费: 5.000000 (4.000000) CNY',
    'Cost · 成本: 1.500000 (1.000000) CNY',
    'Margin · 毛利: 3.000000 (3.000000) CNY',
    'Unconfirmed now · 当前待核实: 1\nhttps://sms.example.com/console/operator/unknown',
    'Templates to review · 待审核模板: 0',
    'Channels down · 中断的通道: 1 (ann)',
  ])
    expect(text).toContain(line);
  expect(text).not.toContain('evil');
});

it('sends each once, over several processes and their restarts, also when one comes late', async () => {
  smtp.messages.length = 0;
  await look(morningOf('2026-11-19') + 60_000);
  expect(smtp.messages).toEqual([]);
  const late = morningOf('2026-11-20') + 5 * 3_600_000;
  await Promise.all([look(late), look(late), look(late)]);
  await look(late + 60_000);
  expect(smtp.messages).toHaveLength(1);
  expect(textOf(smtp.messages[0])).toContain('Sent · 已发送: 1000 (100)');
});

it('repeats no day when the billing time zone changes', async () => {
  smtp.messages.length = 0;
  await service.sql`update customer set billing_time_zone = 'America/Los_Angeles'`;
  await look(morningOf('2026-11-20') + 6 * 3_600_000);
  await service.sql`update customer set billing_time_zone = 'Asia/Shanghai'`;
  await look(morningOf('2026-11-20') + 7 * 3_600_000);
  expect(smtp.messages).toEqual([]);
});
