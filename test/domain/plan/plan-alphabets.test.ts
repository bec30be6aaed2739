// A number is priced by the alphabet of the channel it is planned for.
import { expect, test } from 'vitest';
import { asCustomerId, asTaskId } from '../../../src/domain/id.js';
import type { Alphabet } from '../../../src/domain/message/parts.js';
import { moneyFromMillionths } from '../../../src/domain/money/money.js';
import { normalisePayload } from '../../../src/domain/plan/normalise-payload.js';
import { planTask } from '../../../src/domain/plan/plan.js';
import { previewPlan } from '../../../src/domain/plan/preview.js';
import { createRouter } from '../../../src/domain/plan/routing.js';
import { finishSteps } from '../../../src/domain/steps.js';

const ALPHABETS = new Map<bigint, Alphabet>([
  [1n, 'gsm7'],
  [2n, 'ascii'],
]);
const alphabetOf = (channelId: bigint) => ALPHABETS.get(channelId) ?? 'gsm7';
const channels = [...ALPHABETS].map(([channelId, alphabet]) => ({ channelId, firms: ['cmcc'], alphabet }));

function plan(body: string, count: number, usable = channels) {
  const phones = Array.from({ length: count }, (_, index) => String(8613800138000 + index));
  const numbers = finishSteps(normalisePayload({ body, phones, variables: {} }, 'CN'));
  const steps = planTask(numbers, {
    bucket: 0,
    customerId: asCustomerId(1n),
    taskId: asTaskId(1n),
    serviceAccountId: 1n,
    expiresAt: null,
    route: createRouter([{ firm: 'cmcc', prefixes: [] }], usable, () => true, { targetFirms: [], approvedFirms: null }),
    checks: [],
    unitPriceAt: () => () => moneyFromMillionths(10n),
    traitsOf: (channelId) => ({ alphabet: alphabetOf(channelId) }),
    templateId: 1n,
    channelOffset: 0,
  });
  return finishSteps(steps);
}

test('150 plain characters are one part where the GSM alphabet is carried and two where ASCII is', () => {
  const { chunks, price } = plan('a'.repeat(150), 40);
  expect(chunks.map(({ channelId, numbers }) => [channelId, new Set(numbers.parts)])).toEqual([
    [1n, new Set([1])],
    [2n, new Set([2])],
  ]);
  expect(price).toBe(20n * 10n + 20n * 2n * 10n);
});

test('Greek is the GSM alphabet or UCS-2, a backtick ASCII or UCS-2, as the preview shows', () => {
  const shown = (body: string, channel: number) =>
    previewPlan(plan(body, 1, channels.slice(channel, channel + 1)), alphabetOf).samples.map(
      ({ encoding, parts }) => `${encoding} ${parts}`,
    );
  expect([shown('Δ'.repeat(80), 0), shown('Δ'.repeat(80), 1)]).toEqual([['gsm7 1'], ['ucs2 2']]);
  expect([shown('`'.repeat(80), 0), shown('`'.repeat(80), 1)]).toEqual([['ucs2 2'], ['ascii 1']]);
  expect([shown('测试', 0), shown('测试', 1)]).toEqual([['ucs2 1'], ['ucs2 1']]);
});

test('a text that is too long for one of the channels of its firm is rejected, whichever has the turn', () => {
  const text = 'a'.repeat(255 * 134 + 1);
  expect(plan(text, 2).rejected.map(({ code }) => code)).toEqual(['text_too_long', 'text_too_long']);
  expect(plan(text, 2, channels.slice(0, 1)).rejected).toEqual([]);
});
