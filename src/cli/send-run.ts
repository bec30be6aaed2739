import { isFinished, type PostriderClient, PostriderError, type Task } from '@postrider/client';
import { createProgressLine } from './progress-line.js';
import type { NumberedRequest } from './send-requests.js';
import { formatSummary } from './send-summary.js';
import { paint, type Terminal } from './terminal.js';

export interface SendRun {
  readonly client: PostriderClient;
  readonly terminal: Terminal;
  readonly requests: AsyncIterable<NumberedRequest>;
  /** Tells how to go on after a failure or Ctrl-C. */
  readonly repeatHint: string;
  /** How long to wait for receipts after all is accepted; null: not at all. */
  readonly waitMs: number | null;
}

export interface SendResult {
  /** In the order of the input, as last seen. */
  readonly tasks: readonly Task[];
  readonly interrupted: boolean;
}

/** Requests under way at once. A few hide the round trip; more would only queue at the service. */
const sendersAtOnce = 4;
const firstPauseMs = 150;
const maxPauseMs = 2_000;

function sleep(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, delayMs);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}

/** A task that waits for money goes on when somebody tops up, which is not for this command to wait for. */
function isAtRest(task: Task): boolean {
  return isFinished(task) || task.accounting_state === 'insufficient_funds';
}

/**
 * Sends all requests and follows their tasks meanwhile. What it throws is a failure to send; Ctrl-C and running out of
 * patience while waiting for receipts are results.
 */
export async function runSend(run: SendRun): Promise<SendResult> {
  const { client, terminal } = run;
  const { err } = terminal;
  const tasks = new Map<number, Task>();
  const line = createProgressLine(err, Date.now);
  const stop = new AbortController();
  const signal = AbortSignal.any([terminal.signal, stop.signal]);
  let replayed = 0;
  let allAccepted = false;

  const listTasks = () => [...tasks].sort(([one], [other]) => one - other).map(([, task]) => task);
  const showProgress = async () => {
    if (tasks.size === 0) return;
    const requests = allAccepted ? '' : `${tasks.size} accepted · `;
    await line.show(requests + formatSummary(listTasks()));
  };

  async function sendSome(queue: AsyncIterator<NumberedRequest>): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const next = await queue.next();
      if (next.done) return;
      const sent = await client.sendOrReplay(next.value.request, { signal });
      tasks.set(next.value.index, sent.task);
      if (sent.replayed) replayed += 1;
      await showProgress();
    }
  }

  async function sendEverything(): Promise<void> {
    const queue = run.requests[Symbol.asyncIterator]();
    try {
      await Promise.all(Array.from({ length: sendersAtOnce }, () => sendSome(queue)));
    } finally {
      allAccepted = true;
    }
  }

  async function refresh(): Promise<boolean> {
    const open = [...tasks].filter(([, task]) => !isAtRest(task));
    let changed = false;
    const pollSome = async () => {
      for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
        const [index, before] = entry;
        const {
          timeline: _timeline,
          verification: _verification,
          ...task
        } = await client.task(before.task_no, { signal });
        changed ||= JSON.stringify(task) !== JSON.stringify(before);
        tasks.set(index, task);
      }
    };
    await Promise.all(Array.from({ length: sendersAtOnce }, pollSome));
    return changed;
  }

  async function follow(waitMs: number): Promise<void> {
    let pauseMs = firstPauseMs;
    let deadlineMs = Number.POSITIVE_INFINITY;
    for (;;) {
      if (allAccepted) deadlineMs = Math.min(deadlineMs, Date.now() + waitMs);
      const changed = await refresh();
      await showProgress();
      if (allAccepted && listTasks().every(isAtRest)) return;
      if (Date.now() >= deadlineMs || signal.aborted) return;
      pauseMs = changed ? firstPauseMs : Math.min(maxPauseMs, pauseMs * 1.5);
      await sleep(pauseMs, signal);
    }
  }

  try {
    const following = run.waitMs === null ? null : follow(run.waitMs);
    // Its failure is awaited below; until then it must not count as unhandled.
    following?.catch(() => {});
    await sendEverything();
    await following;
  } catch (error) {
    stop.abort();
    if (!terminal.signal.aborted) {
      await line.finish(formatSummary(listTasks()));
      // After a refusal the same command would be refused again; what to change is said with the problem.
      const refused = error instanceof PostriderError && error.status < 500 && error.status !== 429;
      if (!refused) await err.write(`${run.repeatHint}\n`);
      throw error;
    }
  }
  await line.finish(formatSummary(listTasks()));
  await explainOutcome(terminal, listTasks(), replayed, run.repeatHint);
  return { tasks: listTasks(), interrupted: terminal.signal.aborted };
}

async function explainOutcome(
  terminal: Terminal,
  tasks: readonly Task[],
  replayed: number,
  repeatHint: string,
): Promise<void> {
  const { err } = terminal;
  const say = (text: string) => err.write(`${paint(err, 'yellow', text)}\n`);
  if (terminal.signal.aborted) {
    await say(`Interrupted. What was accepted goes on by itself. ${repeatHint}`);
  }
  if (replayed > 0) {
    const which = replayed === tasks.length ? 'All of it' : `${replayed} of ${tasks.length} requests`;
    await say(`${which} had been accepted before; nothing was created for it. --again sends a file as a new message.`);
  }
  if (tasks.some((task) => task.accounting_state === 'insufficient_funds')) {
    await say('The balance does not cover it. After a top-up (postrider topup CUSTOMER AMOUNT) it goes on by itself.');
  }
  if (tasks.some((task) => task.stage === 'submit_unknown')) {
    await say(
      'For some numbers it is not known whether the upstream accepted them. They are verified, never sent again.',
    );
  }
}
