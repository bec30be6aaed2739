// Requests that belong together: looked at and moved as one, at any moment.

import { type Action, API, type LoadContext } from './action.js';

const BATCHES = 6;

/** Some sends belong to one of a few batches of their customer. */
export function chooseBatch({ dice }: Pick<LoadContext, 'dice'>): { readonly batch_id?: string } {
  return dice.isLuck(0.4) ? { batch_id: `batch-${dice.between(1, BATCHES)}` } : {};
}

/** A batch that has a task for certain: one that has none is not found. */
function pickBatch({ dice, sent }: LoadContext) {
  const known = sent.filter(({ taskNo, request }) => taskNo !== undefined && request.batch_id !== undefined).slice(-40);
  if (known.length === 0) return undefined;
  const { customer, request } = dice.pick(known);
  return { customer, target: `${API}/messages/batches/${request.batch_id}/` };
}

export const readBatch: Action = {
  name: 'read-batch',
  weight: 2,
  async run(context) {
    const batch = pickBatch(context);
    if (batch === undefined) return;
    const { customer, target } = batch;
    await context.call(context.pickNode(), customer, { action: 'read-batch', method: 'GET', target });
  },
};

export const moveBatch: Action = {
  name: 'move-batch',
  weight: 1.5,
  async run(context) {
    const batch = pickBatch(context);
    if (batch === undefined) return;
    const move = context.dice.pick(['prepare', 'freeze', 'submit', 'submit', 'cancel', 'pause', 'resume', 'resume']);
    const wish = { action: 'move-batch', method: 'POST', target: `${batch.target}${move}/` } as const;
    await context.call(context.pickNode(), batch.customer, wish);
  },
};
