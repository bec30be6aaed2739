import type { Action } from './action.js';
import { moveBatch, readBatch } from './batching.js';
import { crowdSends } from './crowd-sending.js';
import { moveTask } from './moving.js';
import { raiseLimit } from './raising-limits.js';
import { listTasks, readAccount, readTask } from './reading.js';
import { revokeAndGrant } from './revoking.js';
import { reschedule } from './scheduling.js';
import { repeatSend, reuseId, send, sendAndPause } from './sending.js';
import { topUp } from './topping-up.js';

/** Everything that customers do in a campaign. */
export const ACTIONS: readonly Action[] = [
  send,
  sendAndPause,
  repeatSend,
  reuseId,
  crowdSends,
  moveTask,
  reschedule,
  readTask,
  listTasks,
  readAccount,
  topUp,
  raiseLimit,
  revokeAndGrant,
  readBatch,
  moveBatch,
];
