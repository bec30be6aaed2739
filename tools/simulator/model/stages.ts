// Stages, as sections 5 and 14 of the contract describe them.

import type { CountsRow, TaskRow } from './facts.js';
import { hold } from './promise.js';

const RANK: Readonly<Record<string, number>> = {
  queued: 0,
  prepared: 1,
  submitting: 2,
  submit_unknown: 3,
  waiting_receipt: 4,
  completed: 5,
  failed: 5,
  cancelled: 5,
};
const FINAL = 5;

export function isFinal(stage: string): boolean {
  return RANK[stage] === FINAL;
}

export function checkStage(row: TaskRow, before: TaskRow | undefined): void {
  const { stage, counts, timeline } = row;
  const rank = RANK[stage];
  hold('stage', rank !== undefined, () => `task ${row.task} is ${stage}`);
  if (before !== undefined && before.stage !== stage) {
    const was = RANK[before.stage] ?? FINAL;
    hold('stage', was < (rank ?? 0), () => `task ${row.task} goes from ${before.stage} to ${stage}`);
  }
  hold('stage', timeline.at(-1) === stage, () => `the timeline of task ${row.task} ends with ${timeline.at(-1)}`);
  for (let at = 1; at < timeline.length; at++) {
    const [one = '', other = ''] = [timeline[at - 1], timeline[at]];
    hold('stage', (RANK[one] ?? FINAL) < (RANK[other] ?? 0), () => `a timeline goes from ${one} to ${other}`);
  }
  const expected = stageOf(counts, stage);
  hold('stage', expected === stage, () => `task ${row.task} is ${stage} with ${JSON.stringify(counts)}`);
  hold('stage', row.isCompleted === isFinal(stage), () => `task ${row.task} is ${stage}: completed ${row.isCompleted}`);
}

/** What the stage must be, by the counts, once something may be handed over. */
function stageOf(counts: CountsRow, stage: string): string {
  if (stage === 'queued' || stage === 'prepared' || stage === 'failed') return stage;
  if (stage === 'cancelled') return counts.rejected === counts.total ? stage : 'completed';
  if (counts.unsent > 0) return 'submitting';
  if (counts.unknown > 0) return 'submit_unknown';
  return counts.awaiting > 0 ? 'waiting_receipt' : 'completed';
}

export function checkReceiptState({ task, receiptState, counts }: TaskRow): void {
  const receipts = counts.rejected + counts.delivered + counts.undelivered + counts.expired;
  const isPending = counts.awaiting + counts.unknown > 0;
  const some = receipts === counts.total ? 'complete' : 'partial';
  const expected = receipts > 0 ? some : isPending ? 'pending' : 'none';
  hold('counts', receiptState === expected, () => `the receipts of task ${task} are ${receiptState}, not ${expected}`);
}

/** What a task waits for, where its stage and its pause say it. */
export function checkWaitsFor({
  task,
  stage,
  waitsFor,
  isPaused,
  accounting,
  sendAt,
}: TaskRow & { sendAt: number | null }): void {
  const say = () => `task ${task} is ${stage} and waits for ${waitsFor}`;
  const only = isFinal(stage) ? null : (WAITS_IN[stage] ?? (isPaused ? 'resume' : undefined));
  if (only !== undefined) {
    hold('stage', waitsFor === only, say);
    return;
  }
  const isPoor = waitsFor === 'funds' || waitsFor === 'limit';
  hold('stage', isPoor === (accounting === 'insufficient_funds'), say);
  if (waitsFor === 'send_at') hold('stage', sendAt !== null, say);
  if (stage === 'submitting') hold('stage', waitsFor === 'channel' || waitsFor === 'send_at', say);
}

const WAITS_IN: Readonly<Record<string, string>> = { submit_unknown: 'verification', waiting_receipt: 'receipts' };
