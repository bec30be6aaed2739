// Reads at any moment: whatever a reader sees must add up.

import { type Action, API } from './action.js';
import { pickKnown } from './moving.js';

export const readTask: Action = {
  name: 'read-task',
  weight: 7,
  async run(context) {
    const sent = pickKnown(context);
    if (sent === undefined) return;
    const target = `${API}/messages/tasks/${sent.taskNo}/`;
    await context.call(context.pickNode(), sent.customer, { action: 'read-task', method: 'GET', target });
  },
};

export const listTasks: Action = {
  name: 'list-tasks',
  weight: 2,
  async run({ call, pickNode, dice, customers }) {
    const target = `${API}/messages/tasks/?page_size=50`;
    await call(pickNode(), dice.pick(customers), { action: 'list-tasks', method: 'GET', target });
  },
};

export const readAccount: Action = {
  name: 'read-account',
  weight: 3,
  async run({ call, pickNode, dice, customers }) {
    const target = `${API}/finance/account/`;
    await call(pickNode(), dice.pick(customers), { action: 'read-account', method: 'GET', target });
  },
};
