// Moves by hand on any task, whether they apply or not.

import { type Action, API, type LoadContext, type SentRequest } from './action.js';

export const moveTask: Action = {
  name: 'move',
  weight: 5,
  async run(context) {
    const sent = pickKnown(context);
    if (sent === undefined) return;
    const move = context.dice.weigh([
      { weight: 3, move: 'freeze' },
      { weight: 3, move: 'submit' },
      { weight: 2, move: 'prepare' },
      { weight: 1, move: 'cancel' },
    ]).move;
    const target = `${API}/messages/tasks/${sent.taskNo}/${move}/`;
    await context.call(context.pickNode(), sent.customer, { action: 'move', method: 'POST', target });
  },
};

/** A task that the load has heard of, rather a new one than an old one. */
export function pickKnown({ dice, sent }: LoadContext): SentRequest | undefined {
  const known = sent.filter(({ taskNo }) => taskNo !== undefined).slice(-40);
  return known.length === 0 ? undefined : dice.pick(known);
}
