import { PostriderConnectionError, PostriderError } from '../errors.js';
import { certainlyNotDone, retryDelayMs } from '../retry.js';
import { type Answer, type CallOptions, requireField, type Transport } from '../transport.js';
import type { Task } from '../wire/wire.generated.js';
import type { Page, SendRequest } from '../wire/wire.js';

const sendPath = '/openapi/v1/messages/send/';
export const tasksPath = '/openapi/v1/messages/tasks/';

export interface SentTask {
  readonly task: Task;
  /** True when the task existed before this call: the same request had been accepted earlier. */
  readonly replayed: boolean;
}

/** Clocks of two machines of one service, and the whole seconds of an HTTP `Date`, differ by less than this. */
const clockToleranceMs = 5_000;

/** How long ago a task was made, by the clock of the service; null where it does not say what time it is. */
function readTaskAgeMs(answer: Answer, task: Task): number | null {
  const serverNowMs = Date.parse(answer.headers.get('date') ?? '');
  return Number.isNaN(serverNowMs) ? null : serverNowMs - Date.parse(task.created_at);
}

/**
 * Sends once, whatever the network does. After a failure that leaves open whether the request arrived, the task list is
 * asked for the request id before anything is sent again, and what is sent again is the same request under the same id.
 */
export async function sendSafely(
  transport: Transport,
  request: SendRequest,
  idIsOurs: boolean,
  options: CallOptions,
): Promise<SentTask> {
  const clientRequestId = request.client_request_id ?? null;
  const startedMs = transport.clock.now();
  let uncertain = false;

  async function findOriginal(): Promise<Task | null> {
    const query = { client_request_id: clientRequestId ?? undefined, page_size: 1 };
    const answer = await transport.exchange({ ...options, method: 'GET', path: tasksPath, query });
    const task = requireField<Page<Task>>(answer.value, 'items').items[0];
    if (task === undefined) return null;
    // An id that the caller chose may name an older task with another payload. Only the service can tell, so unless the
    // task was plainly made by this very call, the same request goes out again: it creates nothing, and is answered
    // with the original or with a conflict.
    const ageMs = readTaskAgeMs(answer, task);
    const spentMs = transport.clock.now() - startedMs;
    const madeByThisCall = idIsOurs || (ageMs !== null && ageMs <= spentMs + clockToleranceMs);
    return madeByThisCall ? task : null;
  }

  for (let count = 1; ; count += 1) {
    try {
      if (uncertain) {
        const original = await findOriginal();
        if (original !== null) return { task: original, replayed: false };
      }
      const answer = await transport.exchange({ ...options, method: 'POST', path: sendPath, body: request });
      const replayed = answer.headers.get('idempotent-replayed') === 'true';
      // A replay of our own lost attempt is news to the caller; a replay on the first attempt is not.
      return { task: requireField<Task>(answer.value, 'task_no'), replayed: replayed && !(uncertain && idIsOurs) };
    } catch (error) {
      uncertain ||= !certainlyNotDone(error) || (error instanceof PostriderError && error.status >= 500);
      const delayMs = retryDelayMs(error, count, 'repeatable', transport.retry, transport.random);
      if (delayMs === null) throw uncertain ? nameRequest(error, clientRequestId) : error;
      await transport.clock.sleep(delayMs, options.signal);
    }
  }
}

function nameRequest(error: unknown, clientRequestId: string | null): unknown {
  if (!(error instanceof PostriderConnectionError)) return error;
  return new PostriderConnectionError(error.reason, error.message, error.cause, clientRequestId);
}
