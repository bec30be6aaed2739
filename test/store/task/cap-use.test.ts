// Counting for caps against a simple model: a list of what was sent, when, by what.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asCustomerId, asTaskId } from '../../../src/domain/id.js';
import { type Cap, capRulesOf, createCapCounter, keptFor, parsePeriod } from '../../../src/domain/rules/caps.js';
import { MESSAGE_CLASSES } from '../../../src/domain/rules/message-class.js';
import {
  deleteCapUse,
  deleteExpiredCapUse,
  insertCapUse,
  readCapUse,
} from '../../../src/sending-rules/caps/cap-use.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

let database: TestDatabase;
const CUSTOMER = asCustomerId(1n);

beforeAll(async () => {
  database = await createTestDatabase();
  await database.sql`insert into account (bucket, customer_id) values (0, 1)`;
});
afterAll(() => database.drop());

const cap = fc.record({
  class: fc.constantFrom(null, ...MESSAGE_CLASSES),
  scope: fc.constantFrom('template', 'customer'),
  count: fc.integer({ min: 1, max: 3 }),
  per: fc.constantFrom('10s', '1m', '5m'),
});
const step = fc.record({
  waitSeconds: fc.integer({ min: 0, max: 40 }),
  phone: fc.constantFrom('8613800138000', '8613800138001'),
  template: fc.constantFrom(1n, 2n, 3n),
  isRejected: fc.boolean(),
});

test('a number is admitted exactly when the list of what was sent says so', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(cap, { minLength: 1, maxLength: 3 }),
      fc.array(step, { maxLength: 25 }),
      async (caps, steps) => {
        const { sql } = database;
        await sql`truncate cap_use`;
        const sent: { at: number; phone: string; template: bigint }[] = [];
        const classOf = (template: bigint) => MESSAGE_CLASSES[Number(template) - 1] ?? 'notice';
        let now = Date.parse('2026-11-17T08:00:00Z');
        for (const [at, { waitSeconds, phone, template, isRejected }] of steps.entries()) {
          now += waitSeconds * 1000;
          const [taskId, messageClass] = [asTaskId(BigInt(at + 1)), classOf(template)];
          const rules = capRulesOf(caps as Cap[], messageClass, template);
          const { used, exempt } = await readCapUse(sql, 0, CUSTOMER, rules, [phone], new Date(now));
          const isAdmitted = createCapCounter(used, (key) => exempt.has(key)).admit(rules, phone);
          const isWithin = caps.every((rule) => {
            if (rule.class !== null && rule.class !== messageClass) return true;
            const counted = sent.filter(
              (one) =>
                one.phone === phone &&
                one.at > now - (parsePeriod(rule.per) ?? 0) &&
                (rule.scope === 'customer' || one.template === template) &&
                (rule.class === null || classOf(one.template) === rule.class),
            );
            return counted.length < rule.count;
          });
          expect(isAdmitted).toBe(isWithin);
          if (!isAdmitted || rules.length === 0) continue;
          const expiresAt = new Date(now + keptFor(rules));
          const key = { customerId: CUSTOMER, taskId, phoneKey: phone };
          await insertCapUse(sql, 0, [
            { ...key, templateId: template, class: messageClass, at: new Date(now), expiresAt },
          ]);
          if (isRejected) await deleteCapUse(sql, 0, [key]);
          else sent.push({ at: now, phone, template });
        }
      },
    ),
    { numRuns: 25 },
  );
});

test('what was sent to a number before it was erased counts, and so does its exemption', async () => {
  const { sql } = database;
  await sql`truncate cap_use`;
  const [phone, erased] = ['8613800138000', '-77'];
  const at = new Date();
  const use = { customerId: CUSTOMER, taskId: asTaskId(1n), templateId: 1n, class: 'otp', at } as const;
  await insertCapUse(sql, 0, [{ ...use, phoneKey: erased, expiresAt: new Date(Date.now() + 60_000) }]);
  await sql`insert into cap_exemption (bucket, customer_id, phone_key, phone) values (0, 1, -78, 'erased-b')`;
  const rules = capRulesOf([{ class: null, scope: 'customer', count: 1, per: '1h' }], 'otp', 1n);
  const read = (phoneKey: string, key: string) => readCapUse(sql, 0, CUSTOMER, rules, [phoneKey], at, () => key);
  const { used } = await read(phone, erased);
  expect([...used]).toEqual([[expect.stringContaining(`/${phone}`), 1]]);
  expect([...(await read(phone, '-78')).exempt]).toEqual([phone]);
});

test('what no cap counts any more is deleted', async () => {
  const { sql } = database;
  await sql`truncate cap_use`;
  const use = {
    customerId: CUSTOMER,
    phoneKey: '8613800138000',
    templateId: 1n,
    class: 'otp',
    at: new Date(),
  } as const;
  const past = { ...use, taskId: asTaskId(1n), expiresAt: new Date(Date.now() - 60_000) };
  await insertCapUse(sql, 0, [past, { ...past, taskId: asTaskId(2n), expiresAt: new Date(Date.now() + 60_000) }]);
  expect(await deleteExpiredCapUse(sql, 0, 10)).toBe(false);
  expect((await sql`select task_id from cap_use`).map((row) => row.task_id)).toEqual([2n]);
});
