import type { Task, TaskMove } from '@postrider/client';
import { quoteForShell } from '../service/checkout.js';
import { wrapProse } from './display-width.js';
import { spellCommand } from './spell-command.js';
import type { Terminal } from './terminal.js';

/** The move that takes a task on from where it has stopped; null when it continues automatically or has ended. */
export function findNextMove(
  task: Pick<Task, 'stage' | 'accounting_state'> & { readonly waits_for?: Task['waits_for'] },
): TaskMove | null {
  if (task.waits_for === 'resume') return 'resume';
  if (task.waits_for === 'send_at') return null;
  if (task.stage === 'queued') return 'prepare';
  if (task.stage !== 'prepared' || task.accounting_state === 'insufficient_funds') return null;
  return task.accounting_state === 'none' ? 'freeze' : 'submit';
}

/** The commands that take stopped tasks of one send on, one line for each kind of move. */
export function explainNextMoves(terminal: Terminal, tasks: readonly Task[]): string {
  const byMove = new Map<TaskMove, Task[]>();
  for (const task of tasks) {
    const move = findNextMove(task);
    if (move !== null) byMove.set(move, [...(byMove.get(move) ?? []), task]);
  }
  return [...byMove]
    .map(([move, open]) => `Go on: ${spellCommand(terminal, nameMove(move, open))}`)
    .map((line) => `${wrapProse(line, terminal.err)}\n`)
    .join('');
}

function nameMove(move: TaskMove, [task, ...others]: readonly Task[]): string {
  const batchId = task?.batch_id ?? null;
  return others.length === 0 || batchId === null
    ? `task ${move} ${task?.task_no}`
    : `batch ${move} ${quoteForShell(batchId)}`;
}
