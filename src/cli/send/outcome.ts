import { isFinished, type PostriderClient, type Task } from '@postrider/client';
import { quoteForShell } from '../../service/checkout.js';
import { wrapProse } from '../display-width.js';
import { formatSpan } from '../output/pace.js';
import { spellCommand } from '../spell-command.js';
import { paint, type Terminal } from '../terminal.js';
import type { AcceptedTasks } from './accepted-tasks.js';
import { addCounts } from './summary.js';

interface Remarks {
  /** How to go on after Ctrl-C where not everything was accepted. */
  readonly repeatHint: string;
  /** How long the command waited before it gave up; null if it did not give up. */
  readonly waitedMs: number | null;
}

/** Explains the line of counts: why the task is in this state, and what comes next. */
export async function explainOutcome(terminal: Terminal, accepted: AcceptedTasks, remarks: Remarks): Promise<void> {
  const { err } = terminal;
  const tasks = accepted.list();
  const say = (text: string) => err.write(`${paint(err, 'yellow', wrapProse(text, err))}\n`);
  if (terminal.signal.aborted) await say(explainInterruption(terminal, accepted, remarks.repeatHint));
  if (remarks.waitedMs !== null) await say(explainTimeout(terminal, tasks, remarks.waitedMs));
  if (accepted.replayed > 0) await say(explainReplay(accepted));
  if (tasks.some((task) => task.waits_for === 'limit')) {
    await say(
      'It is over the daily limit. It continues automatically on the next day (UTC), or when the operator raises the limit.',
    );
  }
  if (tasks.some((task) => task.accounting_state === 'insufficient_funds' && task.waits_for !== 'limit')) {
    await say(
      `The balance does not cover it. It continues automatically after a top-up: ${spellCommand(terminal, 'topup CUSTOMER AMOUNT')}`,
    );
  }
  const unknown = tasks.find((task) => task.stage === 'submit_unknown');
  if (unknown !== undefined) await say(explainUnknown(terminal, unknown, accepted.verificationDeadline));
}

function explainInterruption(terminal: Terminal, accepted: AcceptedTasks, repeatHint: string): string {
  if (!accepted.isComplete) return `Interrupted. What was accepted continues automatically. ${repeatHint}`;
  return `Interrupted. Everything was accepted and continues automatically. ${explainWatching(terminal, accepted.list())}`;
}

function explainTimeout(terminal: Terminal, tasks: readonly Task[], waitedMs: number): string {
  const { total, unsent, awaiting, unknown } = addCounts(tasks);
  const open = (unsent + awaiting + unknown).toLocaleString('en');
  return `Waited ${formatSpan(waitedMs)}, and ${open} of ${total.toLocaleString('en')} have no result yet. Sending continues. ${explainWatching(terminal, tasks)}`;
}

function explainWatching(terminal: Terminal, tasks: readonly Task[]): string {
  const open = tasks.filter((task) => !isFinished(task));
  const [first] = open;
  if (first === undefined) return `See: ${spellCommand(terminal, 'receipts')}`;
  const what =
    tasks.length === 1 || first.batch_id === null ? `task ${first.task_no}` : `batch ${quoteForShell(first.batch_id)}`;
  return `Go on watching: ${spellCommand(terminal, `${what} --follow`)}`;
}

/** Explains a repeat: nothing was sent, although the command succeeded. */
function explainReplay({ replayed, list }: AcceptedTasks): string {
  const tasks = list();
  const when = tasks[0]?.created_at.slice(0, 19).replace('T', ' ');
  const again = 'To send the same again as a new message, add --again (or another --id).';
  return replayed === tasks.length
    ? `Nothing was sent: all of it had been accepted before (${when} UTC). ${again}`
    : `${replayed} of ${tasks.length} requests had been accepted before; nothing was sent for them. ${again}`;
}

function explainUnknown(terminal: Terminal, { task_no }: Task, deadline: string | null): string {
  const until = deadline === null ? 'At its deadline' : `At ${deadline.slice(0, 19).replace('T', ' ')} UTC`;
  return [
    'For some numbers it is not known whether the upstream accepted them. They are never sent again automatically.',
    `${until} they count as not accepted and their money is released, unless a late report or the operator settles it before:`,
    `  ${spellCommand(terminal, `task resolve ${task_no} --outcome not_accepted`)}      (or accepted)`,
    'What it means: docs/guides/submit-unknown.md',
  ].join('\n');
}

/** More receipts than this are not fetched only to count them. */
const receiptsCountedUpTo = 2_000;
const badResults = ['rejected', 'undelivered', 'expired'] as const;

/** Why numbers were not delivered, as a count for each code, where there are too many receipts to show. */
export async function explainBadResults(
  terminal: Terminal,
  client: PostriderClient,
  tasks: readonly Task[],
): Promise<void> {
  for (const result of badResults) {
    // Cancelled numbers are among the rejected ones and have a count of their own.
    const countOf = ({ counts, cancelled }: Task) => counts[result] - (result === 'rejected' ? cancelled : 0);
    const affected = tasks.filter((task) => countOf(task) > 0);
    if (affected.length === 0) continue;
    const byCode = new Map<string, number>();
    let counted = 0;
    for (const { task_no: taskNo } of affected) {
      if (counted >= receiptsCountedUpTo) break;
      const bad = result === 'rejected' ? ({ result, cancelled: 'false' } as const) : { result };
      for await (const receipt of client.receipts({ taskNo, ...bad, pageSize: 100, signal: terminal.signal })) {
        const code = receipt.code ?? 'no code';
        byCode.set(code, (byCode.get(code) ?? 0) + 1);
        counted += 1;
        if (counted >= receiptsCountedUpTo) break;
      }
    }
    const total = affected.reduce((sum, task) => sum + countOf(task), 0);
    const sorted = [...byCode].sort(([, one], [, other]) => other - one);
    const codes =
      sorted.length === 1 && counted === total
        ? sorted[0]?.[0]
        : sorted.map(([code, count]) => `${count.toLocaleString('en')} ${code}`).join(', ');
    const share = counted < total ? ` (of the ${counted.toLocaleString('en')} looked at)` : '';
    const look = spellCommand(terminal, `receipts ${selectTasks(tasks, affected)} --result ${result}`);
    const text = `${total.toLocaleString('en')} ${result}: ${codes}${share}. See: ${look}`;
    await terminal.err.write(`${wrapProse(text, terminal.err)}\n`);
  }
}

/** The option that selects the receipts of a send: of its one task, or of its batch. */
function selectTasks(tasks: readonly Task[], affected: readonly Task[]): string {
  const [task] = affected;
  const batchId = task?.batch_id ?? null;
  return tasks.length === 1 || batchId === null ? `--task ${task?.task_no}` : `--batch ${quoteForShell(batchId)}`;
}
