import type { Task, TaskMove } from '@postrider/client';

/** The move that takes a task on from where it has stopped; null when it goes on by itself or has ended. */
export function findNextMove(task: Pick<Task, 'stage' | 'accounting_state'>): TaskMove | null {
  if (task.stage === 'queued') return 'prepare';
  if (task.stage !== 'prepared' || task.accounting_state === 'insufficient_funds') return null;
  return task.accounting_state === 'none' ? 'freeze' : 'submit';
}

/** Task numbers that are written out; more of them would be a wall. */
const namedUpTo = 5;

/** The commands that take stopped tasks on, one line for each kind of move. */
export function explainNextMoves(tasks: readonly Task[]): string {
  const byMove = new Map<TaskMove, string[]>();
  for (const task of tasks) {
    const move = findNextMove(task);
    if (move !== null) byMove.set(move, [...(byMove.get(move) ?? []), task.task_no]);
  }
  return [...byMove].map(([move, taskNos]) => `${explainMove(move, taskNos)}\n`).join('');
}

function explainMove(move: TaskMove, taskNos: readonly string[]): string {
  if (taskNos.length === 1) return `Go on: postrider task ${move} ${taskNos[0]}`;
  const named = taskNos.slice(0, namedUpTo).join(' ');
  const more = taskNos.length > namedUpTo ? ` and ${taskNos.length - namedUpTo} more, see postrider tasks` : '';
  return `Go on, with each: postrider task ${move} TASK (${named}${more})`;
}
