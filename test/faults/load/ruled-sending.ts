// The customer with every sending rule sends.

import { type Action, API, type LoadContext } from './action.js';
import { RULED_PREFIX } from './ruled.js';

const BLOCKED_SPELLINGS = ['forbidden', 'FOR BIDDEN', 'ｆｏｒｂｉｄｄｅｎ'] as const;
/** Numbers that are in use at a time, and sends after which the next one takes the place of the oldest. */
const NUMBERS_AT_ONCE = 12;
const SENDS_A_NUMBER = 3;

/** A few tasks at once, each with the same numbers, at any node: of those that a cap has no room for, none may slip through. */
export const sendRuled: Action = {
  name: 'send-ruled',
  weight: 1,
  async run(context) {
    const { dice, ruled } = context;
    const ofClass = dice.weigh([
      { weight: 1, ofClass: 'otp' },
      { weight: 1, ofClass: 'notice' },
      { weight: 2, ofClass: 'promotion' },
    ] as const).ofClass;
    const templateNo = dice.pick(ruled.templates[ofClass]);
    const phones = choosePhones(context);
    const count = dice.between(1, 4);
    await Promise.all(Array.from({ length: count }, () => sendOne(context, templateNo, phones)));
  },
};

async function sendOne(context: LoadContext, templateNo: string, phones: readonly string[]): Promise<void> {
  const { dice, ruled, createRequestId } = context;
  const id = createRequestId();
  const request = {
    template_no: templateNo,
    phones,
    variable_values: { p1: dice.isLuck(0.15) ? `${id} ${dice.pick(BLOCKED_SPELLINGS)}` : id },
    client_request_id: id,
    auto_freeze: true,
    auto_submit: true,
  };
  const wish = { action: 'send-ruled', method: 'POST', target: `${API}/messages/send/`, request } as const;
  await context.call(context.pickNode(), ruled, wish);
}

/** Some of the numbers that are in use. Each is asked for more often than its caps allow. */
function choosePhones({ dice, history }: LoadContext): string[] {
  const first = Math.floor(history.calls('send-ruled').length / SENDS_A_NUMBER);
  const chosen = new Set(
    Array.from({ length: dice.between(1, 5) }, () => first + dice.between(0, NUMBERS_AT_ONCE - 1)),
  );
  return [...chosen].map(
    (at) => `${RULED_PREFIX}${String(at % 2).padStart(4, '0')}${String(at % 9000).padStart(4, '0')}`,
  );
}
