// A campaign in which hardly anything was accepted or answered proves nothing: it fails, whatever the rules say.

import type { History } from './history.js';
import type { Violation } from './rules/rules.js';

/** What the customers of a campaign got. Status 0 is no answer; a refusal with 503 is one. */
export interface Got {
  /** Tasks that were acknowledged, each counted once. */
  readonly accepted: number;
  readonly calls: number;
  readonly answered: number;
}

/** A machine with nothing else to do accepts five to ten a second, one with four others at work on each processor two. */
const MIN_ACCEPTED_PER_SECOND = 0.5;
const MIN_ANSWERED_SHARE = 0.5;

export function countGot(history: Pick<History, 'calls'>): Got {
  const calls = history.calls();
  const sends = calls.filter(({ action, status }) => status === 200 && ['send', 'send-one'].includes(action));
  return {
    accepted: new Set(sends.map(({ answer }) => (answer as { task_no: string }).task_no)).size,
    calls: calls.length,
    answered: calls.filter(({ status }) => status !== 0).length,
  };
}

export function judgeEnough(got: Got, durationMs: number): Violation[] {
  const least = Math.ceil((durationMs / 1000) * MIN_ACCEPTED_PER_SECOND);
  const isEnough = got.accepted >= least && got.answered >= got.calls * MIN_ANSWERED_SHARE;
  if (isEnough) return [];
  const detail =
    `${got.accepted} tasks accepted (at least ${least} wanted), ${describeShare(got)} (at least half wanted): ` +
    'the machine was too slow, or the service was away for too long';
  return [{ rule: 'a campaign shows enough', detail }];
}

export function describeShare({ calls, answered }: Got): string {
  const percent = calls === 0 ? 0 : Math.floor((100 * answered) / calls);
  return `${answered} of ${calls} calls answered (${percent} %)`;
}
