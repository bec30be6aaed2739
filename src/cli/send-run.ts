import { type PostriderClient, PostriderError, type Task } from '@postrider/client';
import { type AcceptedTasks, createAcceptedTasks, isAtRest } from './accepted-tasks.js';
import type { NumberedRequest } from './send-requests.js';
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

/** Requests under way at once. */
const sendersAtOnce = 4;
const firstPauseMs = 150;
const maxPauseMs = 2_000;

/** Resolves early, and does not reject, when the signal aborts: the loop looks for itself. */
function pause(delayMs: number, signal: AbortSignal): Promise<void> {
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

async function sendAll(run: SendRun, accepted: AcceptedTasks, signal: AbortSignal): Promise<void> {
  const queue = run.requests[Symbol.asyncIterator]();
  async function sendSome(): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const next = await queue.next();
      if (next.done) return;
      const sent = await run.client.sendOrReplay(next.value.request, { signal });
      await accepted.add(next.value.index, sent.task, sent.replayed);
    }
  }
  try {
    await Promise.all(Array.from({ length: sendersAtOnce }, sendSome));
  } finally {
    accepted.close();
  }
}

/** Until all is accepted and at rest, or patience ends. */
async function follow(
  client: PostriderClient,
  accepted: AcceptedTasks,
  waitMs: number,
  signal: AbortSignal,
): Promise<void> {
  let pauseMs = firstPauseMs;
  let deadlineMs = Number.POSITIVE_INFINITY;
  for (;;) {
    if (accepted.isClosed) deadlineMs = Math.min(deadlineMs, Date.now() + waitMs);
    const changed = await accepted.refresh(client, signal);
    await accepted.show();
    if (accepted.isClosed && accepted.list().every(isAtRest)) return;
    if (Date.now() >= deadlineMs || signal.aborted) return;
    pauseMs = changed ? firstPauseMs : Math.min(maxPauseMs, pauseMs * 1.5);
    await pause(pauseMs, signal);
  }
}

/**
 * Sends all requests and follows their tasks meanwhile. What it throws is a failure to send; Ctrl-C and running out of
 * patience while waiting for receipts are results.
 */
export async function runSend(run: SendRun): Promise<SendResult> {
  const { client, terminal } = run;
  const accepted = createAcceptedTasks(terminal.err, Date.now);
  const stop = new AbortController();
  const signal = AbortSignal.any([terminal.signal, stop.signal]);
  try {
    const following = run.waitMs === null ? null : follow(client, accepted, run.waitMs, signal);
    // Its failure is awaited below; until then it must not count as unhandled.
    following?.catch(() => {});
    await sendAll(run, accepted, signal);
    await following;
  } catch (error) {
    stop.abort();
    if (!terminal.signal.aborted) {
      await accepted.finish();
      // After a refusal the same command would be refused again; what to change is said with the problem.
      const refused = error instanceof PostriderError && error.status < 500 && error.status !== 429;
      if (!refused) await terminal.err.write(`${run.repeatHint}\n`);
      throw error;
    }
  }
  await accepted.finish();
  await explainOutcome(terminal, accepted, run.repeatHint);
  return { tasks: accepted.list(), interrupted: terminal.signal.aborted };
}

async function explainOutcome(terminal: Terminal, accepted: AcceptedTasks, repeatHint: string): Promise<void> {
  const { err } = terminal;
  const tasks = accepted.list();
  const say = (text: string) => err.write(`${paint(err, 'yellow', text)}\n`);
  if (terminal.signal.aborted) {
    await say(`Interrupted. What was accepted goes on by itself. ${repeatHint}`);
  }
  if (accepted.replayed > 0) {
    const which = accepted.replayed === tasks.length ? 'All of it' : `${accepted.replayed} of ${tasks.length} requests`;
    await say(`${which} had been accepted before; nothing was created for it. --again sends a file as a new message.`);
  }
  if (tasks.some((task) => task.accounting_state === 'insufficient_funds')) {
    await say('The balance does not cover it. After a top-up (postrider topup CUSTOMER AMOUNT) it goes on by itself.');
  }
  if (tasks.some((task) => task.stage === 'submit_unknown')) {
    await say(
      'For some numbers it is not known whether the upstream accepted them. They are never sent again by themselves.',
    );
  }
}
