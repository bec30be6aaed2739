import type { Task } from '@postrider/client';
import { formatSpan } from '../output/pace.js';
import { addCounts, formatSummaryPieces } from './summary.js';

/** With few numbers a percentage says little; the counts suffice. */
const shareFrom = 20;

/** The numbers that have their outcome. */
export function countDone(tasks: readonly Task[]): number {
  const { delivered, undelivered, expired, rejected } = addCounts(tasks);
  return delivered + undelivered + expired + rejected;
}

/** The state of a send, the most important piece first: a narrow terminal shows as many as fit. */
export function formatProgress(
  tasks: readonly Task[],
  { isWhole, perSecond }: { readonly isWhole: boolean; readonly perSecond: number | null },
): string[] {
  const { total, unsent } = addCounts(tasks);
  if (total <= shareFrom) return formatSummaryPieces(tasks);
  const done = countDone(tasks);
  // How many there will be is not known while the input is read.
  const share = isWhole ? [`${Math.floor((done * 100) / total)}%`] : [];
  const pace = perSecond === null ? [] : [`${formatRate(perSecond)}/s`];
  // After everything is submitted, the time depends on carriers and handsets and cannot be estimated.
  const left =
    isWhole && perSecond !== null && unsent > 0 ? [`${formatSpan(((total - done) * 1000) / perSecond)} left`] : [];
  return [...share, ...pace, ...left, ...formatSummaryPieces(tasks)];
}

function formatRate(perSecond: number): string {
  return perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond).toLocaleString('en');
}
