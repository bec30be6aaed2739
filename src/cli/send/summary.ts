import {
  type Batch,
  type Decimal,
  OUTCOME_LOOKS,
  type Outcome,
  type Stage,
  type Task,
  type TaskCounts,
} from '@postrider/client';
import { formatMoney, type Money, moneyFromMillionths, parseMoney, ZERO } from '../../domain/money/money.js';
import { paintOutcome } from '../output/outcome-signs.js';
import type { Output } from '../terminal.js';

const outcomes = ['unsent', 'awaiting', 'unknown', 'delivered', 'undelivered', 'expired', 'rejected'] as const;

export function addCounts(tasks: Iterable<Task>): TaskCounts {
  const sum: TaskCounts = {
    total: 0,
    unsent: 0,
    rejected: 0,
    unknown: 0,
    awaiting: 0,
    delivered: 0,
    undelivered: 0,
    expired: 0,
  };
  for (const { counts } of tasks) {
    for (const name of ['total', ...outcomes] as const) sum[name] += counts[name];
  }
  return sum;
}

function addCancelled(tasks: Iterable<Task>): number {
  let sum = 0;
  for (const { cancelled } of tasks) sum += cancelled;
  return sum;
}

function addAmounts(tasks: Iterable<Task>, pick: (task: Task) => Decimal): Money {
  let sum: bigint = ZERO;
  for (const task of tasks) sum += parseMoney(pick(task), 'signed') ?? ZERO;
  return moneyFromMillionths(sum);
}

/** Two digits at least, more only where they say something. */
function formatAmountForEyes(amount: Money): string {
  return formatMoney(amount).replace(/(\.\d\d)(\d*?)0+$/, '$1$2');
}

function formatStages(tasks: readonly Task[]): string {
  const byStage = new Map<Stage, number>();
  for (const { stage } of tasks) byStage.set(stage, (byStage.get(stage) ?? 0) + 1);
  if (tasks.length === 1) return tasks[0]?.stage ?? '';
  return [...byStage].map(([stage, count]) => `${stage} ${count}`).join(', ');
}

/** The state of all tasks of one send, in one line. */
export function formatSummary(tasks: readonly Task[], output: Output): string {
  return formatSummaryPieces(tasks, output).join(' · ');
}

/** The same, piece by piece: the stage, the numbers, the money. */
export function formatSummaryPieces(tasks: readonly Task[], output?: Output): string[] {
  const currency = tasks[0]?.amounts.currency;
  if (currency === undefined) return ['nothing accepted yet'];
  const [held, charged, refunded] = (['held', 'charged', 'refunded'] as const).map((name) =>
    addAmounts(tasks, (task) => task.amounts[name]),
  );
  const money = { currency, held: held ?? ZERO, charged: charged ?? ZERO, refunded: refunded ?? ZERO };
  const numbers = { counts: addCounts(tasks), cancelled: addCancelled(tasks) };
  return [formatStages(tasks), ...formatNumbersAndMoney(numbers, money, output)];
}

/** The state of a batch, in the same words. */
export function formatBatchPieces({ stages, counts, cancelled, amounts }: Batch, output?: Output): string[] {
  const [held, charged, refunded] = (['held', 'charged', 'refunded'] as const).map((name) => parseMoney(amounts[name]));
  const money = {
    currency: amounts.currency,
    held: held ?? ZERO,
    charged: charged ?? ZERO,
    refunded: refunded ?? ZERO,
  };
  const inStages = Object.entries(stages).map(([stage, count]) => `${stage} ${count}`);
  return [inStages.join(', '), ...formatNumbersAndMoney({ counts, cancelled }, money, output)];
}

interface MoneyShown {
  readonly currency: string;
  readonly held: Money;
  readonly charged: Money;
  readonly refunded: Money;
}

interface NumbersShown {
  readonly counts: TaskCounts;
  /** Of the rejected ones. */
  readonly cancelled: number;
}

/** What people call a number whose acceptance is not known. */
const WORDS: Partial<Record<Outcome, string>> = { unknown: 'unconfirmed' };

/** With the signs and colours of outcomes where there is a terminal to show them on. */
function formatNumbersAndMoney(
  { counts, cancelled }: NumbersShown,
  { currency, held, charged, refunded }: MoneyShown,
  output: Output | undefined,
): string[] {
  const show = (count: number, word: string, look: Outcome) => {
    if (count === 0) return [];
    const text = `${count.toLocaleString('en')} ${word}`;
    return [output?.isTty === true ? paintOutcome(output, look, `${OUTCOME_LOOKS[look].sign} ${text}`) : text];
  };
  const shown = { ...counts, rejected: counts.rejected - cancelled };
  const parts = [
    ...outcomes.flatMap((name) => show(shown[name], WORDS[name] ?? name, name)),
    // In the look of what was not sent, as in the console.
    ...show(cancelled, 'cancelled', 'unsent'),
  ];
  const money = [
    `charged ${formatAmountForEyes(charged)}`,
    ...(held === ZERO ? [] : [`reserved ${formatAmountForEyes(held)}`]),
    ...(refunded === ZERO ? [] : [`refunded ${formatAmountForEyes(refunded)}`]),
  ];
  const numbers = `${counts.total.toLocaleString('en')} ${counts.total === 1 ? 'number' : 'numbers'}`;
  return [`${numbers}: ${parts.join(', ')}`, `${money.join(', ')} ${currency}`];
}
