// Moves by hand on any task, whether they apply or not.

import { type Action, API, type LoadContext, type SentRequest } from './action.js';
import type { CampaignCustomer } from './customers.js';

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
      { weight: 1.5, move: 'cancel' },
      { weight: 2, move: 'pause' },
      { weight: 2, move: 'resume' },
    ]).move;
    await askToMove(context, sent, move);
  },
};

export async function askToMove(context: LoadContext, { customer, taskNo }: SentRequest, move: string): Promise<void> {
  const target = `${API}/messages/tasks/${taskNo}/${move}/`;
  await context.call(context.pickNode(), customer, { action: 'move', method: 'POST', target });
}

/** A task that stays paused would never come to rest. */
export async function resumeAll(url: string, customers: readonly CampaignCustomer[]): Promise<void> {
  for (const customer of customers) {
    const client = customer.at(url);
    const open: string[] = [];
    for await (const { task_no, waits_for } of client.tasks()) if (waits_for === 'resume') open.push(task_no);
    // One that has just ended cannot be resumed any more, and need not be.
    for (const taskNo of open) await client.resumeTask(taskNo).catch(() => undefined);
  }
}

/** A task that the load has heard of, rather a new one than an old one: most are done in no time. */
export function pickKnown({ dice, sent }: LoadContext): SentRequest | undefined {
  const known = sent.filter(({ taskNo }) => taskNo !== undefined).slice(dice.isLuck(0.5) ? -4 : -40);
  return known.length === 0 ? undefined : dice.pick(known);
}
