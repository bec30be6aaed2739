// What was refused went another way, as often as it may and no oftener; what may have arrived stayed where it was.

import type { SubmitRecord } from '@postrider/client';
import { groupBy } from '../../../src/domain/group-by.js';
import { REFUSALS, RESPONSE_TIMEOUT_MS } from '../world/carriers.js';
import { type FinalRule, isRefusal } from './rule.js';

/** The first channel, and two more. */
const MAX_TRIES = 3;

/** Whether its answer came when it was unknown already: what is unknown stays where it is, whatever is heard of it later. */
function wasGivenUp({ submitted_at, answered_at }: SubmitRecord): boolean {
  return answered_at === null || Date.parse(answered_at) - Date.parse(submitted_at) > RESPONSE_TIMEOUT_MS / 2;
}

const partKey = ({ task_no, seq, part }: SubmitRecord) => `${task_no}/${seq}#${part}`;

const triesAreRefusals: FinalRule = {
  name: 'a part has one submit record, beside those of channels that refused it before',
  check({ views }) {
    for (const [key, tries] of groupBy(
      views.flatMap(({ submits }) => submits),
      partKey,
    )) {
      const open = tries.filter((row) => !isRefusal(row));
      const goneOn = tries.filter(({ code }) => REFUSALS.has(code ?? ''));
      const isSound = open.length <= 1 && tries.length <= MAX_TRIES && goneOn.length >= tries.length - 1;
      if (!isSound) return `${key}: ${tries.map(({ status, code }) => `${status} ${code}`).join(', ')}`;
    }
    return undefined;
  },
};

const everyWayAsked: FinalRule = {
  name: 'a number that is refused for good has asked every channel that it may',
  check({ views, ended }) {
    for (const { customer, receipts, submits } of views) {
      const refusals = groupBy(submits.filter(isRefusal), ({ task_no, seq }) => `${task_no}/${seq}`);
      for (const { task_no, seq, code, parts } of receipts) {
        // A message of several parts stays on the channel that has one of them, a task that has ended tries nothing more, and a grant may be away.
        if (!REFUSALS.has(code ?? '') || parts > 1 || ended.has(task_no) || customer.revocable !== undefined) continue;
        const asked = refusals.get(`${task_no}/${seq}`) ?? [];
        if (asked.some(wasGivenUp)) continue;
        if (asked.length !== Math.min(MAX_TRIES, customer.channels)) {
          return `${task_no}/${seq} has asked ${asked.length} channels`;
        }
      }
    }
    return undefined;
  },
};

export const SECOND_WAY_RULES = { running: [], final: [triesAreRefusals, everyWayAsked] };
