import type { CallOptions } from '../transport.js';
import type { Task } from '../wire/wire.generated.js';
import type { SendRequest } from '../wire/wire.js';
import { type CutRequest, cutRequests, type SendAllNumber, type SendAllRequest } from './cut-requests.js';
import type { SentTask } from './send.js';

export interface SendAllOptions extends CallOptions {
  /** How many numbers go into one task; at most 5,000, and that many unless given. */
  readonly numbersPerTask?: number;
  /** Requests under way at once (4). The input is read no further ahead than these. */
  readonly concurrency?: number;
  /** Called for every accepted task; what it returns is awaited before that sender goes on. */
  readonly onProgress?: (progress: SendAllProgress) => void | Promise<void>;
}

export interface SendAllSummary {
  readonly batch_id: string | null;
  /** Accepted tasks, and the numbers in them. */
  readonly tasks: number;
  readonly numbers: number;
  /** How many of the tasks had been accepted before, by an earlier run. */
  readonly replayed: number;
}

export interface SendAllProgress extends SendAllSummary {
  /** The task that was just accepted, and the position of its request, from 1. */
  readonly task: Task;
  readonly index: number;
  readonly isReplay: boolean;
}

const defaultConcurrency = 4;

/** Sends requests as they are cut from the input, a few at once. */
export async function sendAll(
  send: (request: SendRequest, options: CallOptions) => Promise<SentTask>,
  request: SendAllRequest,
  numbers: Iterable<SendAllNumber> | AsyncIterable<SendAllNumber>,
  options: SendAllOptions,
): Promise<SendAllSummary> {
  const { numbersPerTask, concurrency = defaultConcurrency, onProgress, ...callOptions } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1) throw new RangeError('concurrency takes 1 or more');
  const queue = cutRequests(request, numbers, numbersPerTask);
  let summary: SendAllSummary = { batch_id: request.batch_id ?? null, tasks: 0, numbers: 0, replayed: 0 };
  let hasFailed = false;

  async function sendOne({ index, batchId, request: one }: CutRequest): Promise<void> {
    const { task, replayed: isReplay } = await send(one, callOptions);
    summary = {
      batch_id: batchId,
      tasks: summary.tasks + 1,
      numbers: summary.numbers + task.counts.total,
      replayed: summary.replayed + (isReplay ? 1 : 0),
    };
    await onProgress?.({ ...summary, task, index, isReplay });
  }

  async function sendSome(): Promise<void> {
    try {
      while (!hasFailed) {
        callOptions.signal?.throwIfAborted();
        const next = await queue.next();
        if (next.done) return;
        await sendOne(next.value);
      }
    } catch (error) {
      // The others finish what they have begun, so that nothing is left open that could be known.
      hasFailed = true;
      throw error;
    }
  }

  try {
    const senders = await Promise.allSettled(Array.from({ length: concurrency }, sendSome));
    const failed = senders.find((sender) => sender.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  } finally {
    // Closes an input that is not read to its end. Not awaited: it may be a terminal.
    void queue.return(undefined).catch(() => undefined);
  }
  return summary;
}
