// What caps count, against a simple model: a list of what was sent.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asCustomerId, asTaskId } from '../../../src/domain/id.js';
import { type Cap, capRulesOf, createCapCounter, keptFor } from '../../../src/domain/rules/caps.js';
import { MESSAGE_CLASSES, type MessageClass } from '../../../src/domain/rules/message-class.js';
import { deleteCapUse, insertCapUse, readCapUse } from '../../../src/sending-rules/caps/cap-use.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const BUCKET = 0;
const START_MS = Date.parse('2026-11-17T00:00:00Z');
const PERIODS: Readonly<Record<string, number>> = { '60s': 60_000, '1h': 3_600_000, '24h': 86_400_000 };

let database: TestDatabase;
let customers = 0;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

interface Sent {
  readonly phone: string;
  readonly class: MessageClass;
  readonly templateId: bigint;
  readonly atMs: number;
  isRejected: boolean;
}

/** By the words of the rule: fewer than `count` such messages to this number within the time before now. */
function isAllowedByModel(caps: readonly Cap[], sent: readonly Sent[], next: Sent): boolean {
  return caps
    .filter((cap) => cap.class === null || cap.class === next.class)
    .every((cap) => {
      const counted = sent.filter(
        (one) =>
          !one.isRejected &&
          one.phone === next.phone &&
          (cap.class === null || one.class === cap.class) &&
          (cap.scope === 'customer' || one.templateId === next.templateId) &&
          one.atMs > next.atMs - (PERIODS[cap.per] ?? 0),
      );
      return counted.length < cap.count;
    });
}

const cap = fc.record({
  class: fc.constantFrom(null, ...MESSAGE_CLASSES),
  scope: fc.constantFrom('template', 'customer'),
  count: fc.integer({ min: 1, max: 3 }),
  per: fc.constantFrom(...Object.keys(PERIODS)),
}) as fc.Arbitrary<Cap>;

/** A task: a template, after a pause, to some of a few numbers. Now and then its numbers are rejected later. */
const task = fc.record({
  template: fc.integer({ min: 0, max: 3 }),
  pauseMs: fc.constantFrom(0, 1000, 30_000, 59_999, 60_000, 1_800_000, 3_600_000, 43_200_000),
  phones: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { minLength: 1 }),
  isRejectedLater: fc.boolean(),
});

test('a number is sent to exactly as often as the caps allow', async () => {
  const { sql } = database;
  const classes: readonly MessageClass[] = ['otp', 'notice', 'notice', 'promotion'];
  await fc.assert(
    fc.asyncProperty(
      fc.array(cap, { minLength: 1, maxLength: 4 }),
      fc.array(task, { maxLength: 25 }),
      async (caps, tasks) => {
        customers += 1;
        const customerId = asCustomerId(BigInt(1_000_000 + customers));
        await sql`insert into account (bucket, customer_id) values (${BUCKET}, ${customerId})`;
        const sent: Sent[] = [];
        let atMs = START_MS;
        for (const [at, { template, pauseMs, phones, isRejectedLater }] of tasks.entries()) {
          atMs += pauseMs;
          const [now, taskId, templateId] = [new Date(atMs), asTaskId(BigInt(at + 1)), BigInt(template)];
          const ofClass = classes[template] ?? 'notice';
          const rules = capRulesOf(caps, ofClass, templateId);
          const keys = phones.map((phone) => `861391000000${phone}`);
          const { used, exempt } = await readCapUse(sql, BUCKET, customerId, rules, keys, now);
          const counter = createCapCounter(used, (phone) => exempt.has(phone));
          const admitted = keys.filter((phone) => counter.admit(rules, phone));
          const wishes = keys.map((phone): Sent => ({ phone, class: ofClass, templateId, atMs, isRejected: false }));
          expect(admitted).toEqual(
            wishes.filter((wish) => isAllowedByModel(caps, sent, wish)).map(({ phone }) => phone),
          );
          const taken = wishes.filter(({ phone }) => admitted.includes(phone));
          sent.push(...taken);
          const expiresAt = new Date(atMs + keptFor(rules));
          const uses = admitted.map((phoneKey) => ({
            customerId,
            taskId,
            templateId,
            class: ofClass,
            at: now,
            phoneKey,
            expiresAt,
          }));
          if (uses.length > 0 && rules.length > 0) await insertCapUse(sql, BUCKET, uses);
          if (!isRejectedLater || uses.length === 0) continue;
          await deleteCapUse(sql, BUCKET, uses);
          for (const one of taken) one.isRejected = true;
        }
      },
    ),
    { numRuns: 25 },
  );
});
