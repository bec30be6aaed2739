import {
  type PostriderClient,
  PostriderConnectionError,
  PostriderError,
  type SendAllNumber,
  type SendAllRequest,
  type Task,
} from '@postrider/client';
import { wrapProse } from '../display-width.js';
import { BrokenOffError } from '../failure.js';
import { pause } from '../pause.js';
import { spellCommand } from '../spell-command.js';
import type { Terminal } from '../terminal.js';
import { type AcceptedTasks, createAcceptedTasks, isAtRest } from './accepted-tasks.js';
import { explainOutcome } from './outcome.js';
import { addCounts } from './summary.js';

export interface SendRun {
  readonly client: PostriderClient;
  readonly terminal: Terminal;
  readonly request: SendAllRequest;
  readonly numbers: AsyncIterable<SendAllNumber>;
  readonly numbersPerTask?: number;
  /** Tells how to go on after a failure or Ctrl-C. */
  readonly repeatHint: string;
  /** How long to wait after all is accepted; null: not at all. */
  readonly waitMs: number | null;
  /** What is waited for, if not the end of the task. */
  readonly until?: (task: Task) => boolean;
  readonly now: () => number;
}

export interface SendResult {
  /** In the order of the input, as last seen. */
  readonly tasks: readonly Task[];
  /** Null when nothing was accepted. */
  readonly batchId: string | null;
  readonly interrupted: boolean;
}

const firstPauseMs = 150;
const maxPauseMs = 2_000;
/** A late report clears an unknown number within this time; otherwise it takes hours or a person. */
const unknownPatienceMs = 3_000;
/** After this long without a change, the command says that it still waits. */
const silenceMs = 30_000;

async function sendAll(run: SendRun, accepted: AcceptedTasks, signal: AbortSignal): Promise<void> {
  let isComplete = false;
  try {
    await run.client.sendAll(run.request, run.numbers, {
      signal,
      ...(run.numbersPerTask === undefined ? {} : { numbersPerTask: run.numbersPerTask }),
      onProgress: ({ index, task, isReplay }) => accepted.add(index, task, isReplay),
    });
    isComplete = true;
  } finally {
    accepted.close(isComplete);
  }
}

/** Only unknown numbers are left, and waiting does not clear them. */
function isStuck(task: Task): boolean {
  return isAtRest(task) || (task.stage === 'submit_unknown' && task.counts.awaiting === 0 && task.counts.unsent === 0);
}

/** Why nothing more is waited for. */
type WaitEnd = 'at rest' | 'out of time' | 'interrupted';

/** Until everything is accepted and as far along as asked for, or the time limit ends. */
async function follow(run: SendRun, accepted: AcceptedTasks, waitMs: number, signal: AbortSignal): Promise<WaitEnd> {
  const { client, now, until = isAtRest } = run;
  let pauseMs = firstPauseMs;
  let deadlineMs = Number.POSITIVE_INFINITY;
  let changedAtMs = now();
  let noted = false;
  for (;;) {
    if (accepted.isClosed) deadlineMs = Math.min(deadlineMs, now() + waitMs);
    const changed = await accepted.refresh(client, signal);
    if (changed || !accepted.isClosed) changedAtMs = now();
    await accepted.show();
    const tasks = accepted.list();
    if (accepted.isClosed && tasks.every(until)) return 'at rest';
    const quietMs = now() - changedAtMs;
    if (accepted.isClosed && tasks.every(isStuck) && quietMs >= unknownPatienceMs) return 'at rest';
    if (signal.aborted) return 'interrupted';
    if (now() >= deadlineMs) return 'out of time';
    const counts = addCounts(tasks);
    if (!noted && quietMs >= silenceMs && counts.awaiting > 0 && counts.unsent === 0) {
      noted = true;
      await accepted.note(wrapProse(explainSilence(run.terminal, tasks, counts.awaiting), run.terminal.err));
    }
    pauseMs = changed ? firstPauseMs : Math.min(maxPauseMs, pauseMs * 1.5);
    await pause(pauseMs, signal);
  }
}

function explainSilence(terminal: Terminal, tasks: readonly Task[], awaiting: number): string {
  const open = tasks.find((task) => task.counts.awaiting > 0);
  const who = awaiting === 1 ? '1 number was' : `${awaiting.toLocaleString('en')} numbers were`;
  return `${who} accepted and the receipt is outstanding; that may take days. Ctrl-C stops the waiting, not the messages. Look later: ${spellCommand(terminal, `task ${open?.task_no}`)}`;
}

/** Whether requests may have been accepted, so that continuing differs from starting again. */
function mayBePartial(accepted: AcceptedTasks, error: unknown): boolean {
  // After a refusal the same command would be refused again; what to change is said with the problem.
  if (error instanceof PostriderError && error.status < 500 && error.status !== 429) return false;
  const mayHaveArrived = error instanceof PostriderConnectionError && error.clientRequestId !== null;
  return error instanceof PostriderError || mayHaveArrived || accepted.size > 0;
}

/**
 * Sends all requests and follows their tasks meanwhile. What it throws is a failure to send; Ctrl-C and running out of
 * patience while waiting for receipts are results.
 */
export async function runSend(run: SendRun): Promise<SendResult> {
  const { terminal } = run;
  const accepted = createAcceptedTasks(terminal.err, run.now, run.until);
  const stop = new AbortController();
  const signal = AbortSignal.any([terminal.signal, stop.signal]);
  let end: WaitEnd | null = null;
  try {
    const following = run.waitMs === null ? null : follow(run, accepted, run.waitMs, signal);
    // Its failure is awaited below; until then it must not count as unhandled.
    following?.catch(() => {});
    await sendAll(run, accepted, signal);
    end = await following;
  } catch (error) {
    stop.abort();
    if (!terminal.signal.aborted) {
      await accepted.finish();
      throw mayBePartial(accepted, error) ? new BrokenOffError(error, run.repeatHint) : error;
    }
  }
  await accepted.finish();
  const waitedMs = end === 'out of time' ? run.waitMs : null;
  await explainOutcome(terminal, accepted, { repeatHint: run.repeatHint, waitedMs });
  const tasks = accepted.list();
  return { tasks, batchId: tasks[0]?.batch_id ?? null, interrupted: terminal.signal.aborted };
}
