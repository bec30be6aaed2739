// What caps count of tasks that are planned together.
import { expect, test } from 'vitest';
import { asCustomerId, asTaskId } from '../../../src/domain/id.js';
import { moneyFromMillionths } from '../../../src/domain/money/money.js';
import { normalisePayload } from '../../../src/domain/plan/normalise-payload.js';
import { type PlanCheck, planTask } from '../../../src/domain/plan/plan.js';
import { createRouter } from '../../../src/domain/plan/routing.js';
import { createWordFinder, normaliseForWords } from '../../../src/domain/rules/blocked-words.js';
import { capRulesOf, createCapCounter } from '../../../src/domain/rules/caps.js';
import { finishSteps } from '../../../src/domain/steps.js';
import { RULES } from '../../../src/sending-rules/rules.js';

test('a number whose text has a blocked word uses up no cap of the next task', () => {
  const caps = capRulesOf([{ class: null, scope: 'customer', count: 1, per: '1h' }], 'notice', 1n);
  const counter = createCapCounter(new Map(), () => false);
  const channels = [{ channelId: 1n, firms: ['cmcc'], alphabet: 'gsm7' as const }];
  const findWord = createWordFinder(['lottery']);
  const codesOf = (body: string) => {
    const numbers = finishSteps(normalisePayload({ body, phones: ['13800138000'], variables: {} }, 'CN'));
    const plan = planTask(numbers, {
      bucket: 0,
      customerId: asCustomerId(1n),
      taskId: asTaskId(1n),
      serviceAccountId: 1n,
      expiresAt: null,
      route: createRouter([{ firm: 'cmcc', prefixes: [] }], channels, () => true, {
        targetFirms: [],
        approvedFirms: null,
      }),
      checks: RULES.flatMap<PlanCheck>(({ code }) =>
        code === 'frequency_capped'
          ? [{ code, isBeforeRouting: false, rejects: (e164: string) => !counter.admit(caps, e164) }]
          : code === 'blocked_content'
            ? [{ code, isBeforeRouting: false, rejects: () => findWord?.(normaliseForWords(body)) ?? false }]
            : [],
      ),
      unitPriceAt: () => () => moneyFromMillionths(10n),
      traitsOf: () => ({ alphabet: 'gsm7' }),
      templateId: 1n,
      channelOffset: 0,
    });
    return finishSteps(plan).rejected.map(({ code }) => code);
  };
  expect([codesOf('A lottery'), codesOf('Hello'), codesOf('Hello')]).toEqual([
    ['blocked_content'],
    [],
    ['frequency_capped'],
  ]);
});
