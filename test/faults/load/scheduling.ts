// Sends at a time and until a time, and other times for what was sent.

import type { Dice } from '../dice.js';
import { type Action, API } from './action.js';
import { pickKnown } from './moving.js';

const MAX_AHEAD_MS = 9000;

export interface Times {
  readonly send_at?: string;
  readonly expires_at?: string;
}

const later = (ms: number): string => new Date(Date.now() + ms).toISOString();

/** Soon enough that a campaign sees what becomes of it. */
export function chooseTimes(dice: Dice): Times {
  const waitMs = dice.between(-500, MAX_AHEAD_MS);
  const sendAt = dice.isLuck(0.25) ? { send_at: later(waitMs) } : {};
  const lastsMs = Math.max(0, waitMs) + dice.between(300, MAX_AHEAD_MS);
  return dice.isLuck(0.15) ? { ...sendAt, expires_at: later(lastsMs) } : sendAt;
}

/** Whether it applies or not. */
export const reschedule: Action = {
  name: 'reschedule',
  weight: 2,
  async run(context) {
    const sent = pickKnown(context);
    if (sent === undefined) return;
    const request = { send_at: later(context.dice.between(-1000, MAX_AHEAD_MS)) };
    const target = `${API}/messages/tasks/${sent.taskNo}/`;
    await context.call(context.pickNode(), sent.customer, { action: 'reschedule', method: 'PATCH', target, request });
  },
};
