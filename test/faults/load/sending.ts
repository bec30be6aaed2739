// Sends: of all sizes and with all flags, the same again after no answer came, and another under an id that is taken.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Action, API, type LoadContext, noteTask, type SentRequest } from './action.js';
import { chooseBatch } from './batching.js';
import { askToMove } from './moving.js';
import { chooseTimes } from './scheduling.js';

const SEND = { method: 'POST', target: `${API}/messages/send/` } as const;

const FLAGS = [
  { weight: 8, flags: { auto_freeze: true, auto_submit: true } },
  { weight: 2, flags: { auto_freeze: true } },
  { weight: 1, flags: {} },
  { weight: 1, flags: { auto_prepare: false } },
] as const;

export const send: Action = {
  name: 'send',
  weight: 8,
  async run(context) {
    const sent = createRequest(context);
    context.sent.push(sent);
    await ask(context, sent, 'send');
  },
};

/** A large task that is paused while it is being handed over: what is left of it rests until it is resumed. */
export const sendAndPause: Action = {
  name: 'send-and-pause',
  weight: 0.4,
  async run(context) {
    const { dice, phones, customers, createRequestId } = context;
    const customer = dice.pick(customers);
    const request = {
      template_no: dice.pick(customer.templateNos),
      phones: Array.from({ length: dice.between(300, 500) }, () => phones.next()),
      variable_values: { p1: createRequestId() },
      client_request_id: createRequestId(),
      auto_freeze: true,
      auto_submit: true,
    };
    const sent: SentRequest = { customer, request };
    context.sent.push(sent);
    await ask(context, sent, 'send');
    await sleep(dice.between(50, 500));
    if (sent.taskNo !== undefined) await askToMove(context, sent, 'pause');
  },
};

/** What a careful customer does when no answer came, and a careless one at any time: the same request again. */
export const repeatSend: Action = {
  name: 'repeat',
  weight: 3,
  async run(context) {
    const open = context.sent.filter(({ taskNo }) => taskNo === undefined);
    const from = open.length > 0 && context.dice.isLuck(0.8) ? open : context.sent;
    if (from.length > 0) await ask(context, context.dice.pick(from), 'send');
  },
};

/** Another payload under an id that is taken: refused, or the first of the two where the original never arrived. */
export const reuseId: Action = {
  name: 'reuse-id',
  weight: 0.5,
  async run(context) {
    const known = context.sent.filter(({ taskNo }) => taskNo !== undefined);
    if (known.length === 0) return;
    const { customer, request } = context.dice.pick(known);
    const other = { ...request, phones: [...request.phones, context.phones.next()] };
    await context.call(context.pickNode(), customer, { ...SEND, action: 'reuse-id', request: other });
  },
};

async function ask(context: LoadContext, sent: SentRequest, action: string): Promise<void> {
  const wish = { ...SEND, action, request: sent.request };
  const { status, body } = await context.call(context.pickNode(), sent.customer, wish);
  noteTask(sent, status, body);
}

function createRequest(context: LoadContext): SentRequest {
  const { dice, customers, phones, createRequestId } = context;
  const customer = dice.pick(customers);
  const count = dice.weigh([
    { weight: 5, count: 1 },
    { weight: 4, count: dice.between(2, 20) },
    { weight: 1, count: dice.between(60, 250) },
  ]).count;
  const numbers = Array.from({ length: count }, () => phones.next());
  // Data fails the number: a repetition and a number that is none get receipts of their own.
  if (dice.isLuck(0.1)) numbers.push(numbers[0] ?? '', '123');
  const request = {
    template_no: dice.pick(customer.templateNos),
    phones: numbers,
    variable_values: { p1: createRequestId() },
    client_request_id: createRequestId(),
    ...dice.weigh(FLAGS).flags,
    ...chooseBatch(context),
    ...chooseTimes(dice),
  };
  return { customer, request };
}
