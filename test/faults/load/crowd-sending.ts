// Customers of the crowd send one message each.

import { type Action, API, type LoadContext } from './action.js';
import { CROWD_PREFIX, type CrowdCustomer } from './crowd.js';

/** Below the test numbers of the message centre. */
const NUMBERS_IN_BLOCK = 9000;
const MAX_AT_ONCE = 60;

/** Some of them at once. What is refused or gets no answer is not repeated. */
export const crowdSends: Action = {
  name: 'send-one',
  weight: 1.5,
  async run(context) {
    const { dice, crowd } = context;
    const count = dice.between(5, MAX_AT_ONCE);
    const some = Array.from({ length: count }, () => ({ customer: dice.pick(crowd), phone: nextPhone(context) }));
    const node = context.pickNode();
    await Promise.all(some.map(({ customer, phone }) => sendOne(context, node, customer, phone)));
  },
};

type Node = ReturnType<LoadContext['pickNode']>;

async function sendOne(context: LoadContext, node: Node, customer: CrowdCustomer, phone: string): Promise<void> {
  const request = {
    template_no: customer.templateNo,
    phones: [phone],
    variable_values: { p1: phone },
    client_request_id: `faults-one-${phone}`,
    auto_freeze: true,
    auto_submit: true,
  };
  const wish = { action: 'send-one', method: 'POST', target: `${API}/messages/send/`, request } as const;
  await context.call(node, customer, wish);
}

/** Each number once in a campaign. */
function nextPhone({ crowdSent }: LoadContext): string {
  const at = crowdSent.count;
  crowdSent.count += 1;
  const [block, rest] = [Math.floor(at / NUMBERS_IN_BLOCK), at % NUMBERS_IN_BLOCK];
  return `${CROWD_PREFIX}${String(block).padStart(4, '0')}${String(rest).padStart(4, '0')}`;
}
