import { path } from './api-calls.js';
import { CustomerCalls } from './customer-calls.generated.js';
import type { SendAllNumber, SendAllRequest } from './send/cut-requests.js';
import { previewAll } from './send/preview-all.js';
import { type SentTask, sendSafely } from './send/send.js';
import { type SendAllOptions, type SendAllSummary, sendAll } from './send/send-all.js';
import { signRequest } from './signing.js';
import {
  type CallOptions,
  createTransport,
  requireOption,
  type Transport,
  type TransportOptions,
} from './transport.js';
import { type WaitedTask, type WaitOptions, waitForTask } from './wait-for-task.js';
import type { MovedBatch, Preview, Task } from './wire/wire.generated.js';
import type { SendRequest, TaskMove } from './wire/wire.js';

export interface PostriderClientOptions extends TransportOptions {
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** For an operator who sees what a customer sees: calls that read work, all others are refused. */
export interface ViewerOptions extends TransportOptions {
  /** From `OperatorClient.viewCustomer`. */
  readonly viewToken: string;
}

/** For a page of the console: the browser sends the session cookie, and changes need the token that goes with it. */
export interface SessionOptions extends TransportOptions {
  /** From `GET /auth/session`. */
  readonly csrfToken: string;
}

function createCustomerTransport(options: PostriderClientOptions | ViewerOptions | SessionOptions): Transport {
  if ('csrfToken' in options) {
    const { csrfToken } = options;
    requireOption('csrfToken', csrfToken);
    return createTransport(options, async () => ({ 'x-csrf-token': csrfToken }));
  }
  if ('viewToken' in options) {
    const { viewToken } = options;
    requireOption('viewToken', viewToken);
    return createTransport(options, async () => ({ authorization: `Bearer ${viewToken}` }));
  }
  const { apiKey, apiSecret } = options;
  requireOption('apiKey', apiKey);
  requireOption('apiSecret', apiSecret);
  return createTransport(options, async (method, target, body, nowMs) => ({
    'x-api-key': apiKey,
    'x-timestamp': String(nowMs),
    'x-sign': await signRequest(apiSecret, { method, target, timestampMs: nowMs, body }),
  }));
}

/** What a customer may do: send, follow tasks, query all records of them. Methods that only call are `CustomerCalls`. */
export class PostriderClient extends CustomerCalls {
  /**
   * Nothing is sent yet; a missing option is refused at once.
   *
   * @example
   * const client = new PostriderClient({ baseUrl: 'https://sms.example.com', apiKey, apiSecret });
   */
  constructor(options: PostriderClientOptions | ViewerOptions | SessionOptions) {
    super(createCustomerTransport(options));
  }

  /**
   * Creates a task. The answer is an acceptance only: see `waitForTask` and `receipts` for its outcome. Without
   * `auto_freeze` and `auto_submit` the task is prepared and then waits for `freezeTask` and `submitTask`.
   *
   * @example
   * const task = await client.send({
   *   template_no: 'M1…',
   *   phones: ['13800139001'],
   *   variable_values: { p1: 'Ann' },
   *   client_request_id: 'order-1',
   *   auto_freeze: true,
   *   auto_submit: true,
   * });
   */
  async send(request: SendRequest, options: CallOptions = {}): Promise<Task> {
    return (await this.sendOrReplay(request, options)).task;
  }

  /**
   * Like `send`, and says whether the request had been accepted before.
   *
   * @example
   * const { task, replayed } = await client.sendOrReplay({ template_no, phones, client_request_id: 'order-1' });
   * if (replayed) console.log('nothing new was sent', task.task_no);
   */
  sendOrReplay(request: SendRequest, options: CallOptions = {}): Promise<SentTask> {
    const idIsOurs = request.client_request_id === undefined;
    const named = idIsOurs ? { ...request, client_request_id: crypto.randomUUID() } : request;
    return sendSafely(this.transport, named, idIsOurs, options);
  }

  /**
   * Sends to any number of numbers, also from a stream: cut into tasks of up to 5,000, all under one `batch_id`. The ids of
   * the requests follow from the batch and their position, so a run that broke off is repeated as it was: what had been
   * accepted is not sent again, and other numbers under the same `batch_id` are refused with `idempotency_conflict`. The input
   * is read no further ahead than a few requests; each is retried like `send`.
   *
   * @example
   * const lines = createInterface({ input: createReadStream('numbers.txt') });
   * const { tasks, numbers } = await client.sendAll(
   *   { template_no: 'M1…', batch_id: 'may-campaign', auto_freeze: true, auto_submit: true },
   *   lines,
   *   { onProgress: ({ numbers }) => console.log(numbers, 'accepted') },
   * );
   * const { counts, amounts } = await client.batch('may-campaign');
   */
  sendAll(
    request: SendAllRequest,
    numbers: Iterable<SendAllNumber> | AsyncIterable<SendAllNumber>,
    options: SendAllOptions = {},
  ): Promise<SendAllSummary> {
    return sendAll((one, callOptions) => this.sendOrReplay(one, callOptions), request, numbers, options);
  }

  /**
   * What a send would come to: who would be rejected and why, what it would cost, whether the balance covers it, and the
   * first texts. Nothing is stored or sent.
   *
   * @example
   * const { price, currency, affordable } = await client.preview(request);
   * if (affordable) await client.send(request);
   */
  preview(request: SendRequest, options: CallOptions = {}): Promise<Preview> {
    return this.call(
      { ...options, method: 'POST', path: '/openapi/v1/messages/preview/', body: request },
      'repeatable',
    );
  }

  /**
   * What several requests would come to together, such as those that `cutRequests` makes of a long list: prices added up,
   * positions counted on from request to request, and what the balance covers judged by the sum. Null where there are none.
   *
   * @example
   * const list = [first, second];
   * const { price, affordable, waits_for } = (await client.previewAll(list)) ?? {};
   */
  previewAll(
    requests: Iterable<SendRequest> | AsyncIterable<SendRequest>,
    options: CallOptions = {},
  ): Promise<Preview | null> {
    const asked = {
      preview: (request: SendRequest, callOptions: CallOptions) => this.preview(request, callOptions),
      account: (callOptions: CallOptions) => this.account(callOptions),
    };
    return previewAll(asked, requests, options);
  }

  /**
   * The task of one business request of yours; null when it was never accepted.
   *
   * @example
   * const task = await client.findTask('order-1');
   * if (task === null) await client.send(request);
   */
  async findTask(clientRequestId: string, options: CallOptions = {}): Promise<Task | null> {
    const page = await this.tasks({ ...options, clientRequestId, pageSize: 1 }).page();
    return page.items[0] ?? null;
  }

  /**
   * Follows a task until it has finished, or waits for its caller: `waits_for` then says for what, `prepare`, `freeze`,
   * `submit` or `funds`. `timeoutMs` bounds the whole wait; when it is over, a `WaitTimeoutError` carries the task.
   *
   * @example
   * const task = await client.waitForTask(taskNo, { timeoutMs: 60_000 });
   * if (task.waits_for === 'freeze') await client.freezeTask(taskNo);
   */
  waitForTask(taskNo: string, options: WaitOptions = {}): Promise<WaitedTask> {
    return waitForTask((callOptions) => this.task(taskNo, callOptions), this.transport.clock, options);
  }

  /**
   * Checks, routes and prices a queued task.
   *
   * @example
   * await client.prepareTask(taskNo);
   */
  prepareTask(taskNo: string, options: CallOptions = {}): Promise<Task> {
    return this.moveTask(taskNo, 'prepare', options);
  }

  /**
   * Reserves the price of a prepared task. When it answers, the money is reserved or it was refused.
   *
   * @example
   * const { amounts } = await client.freezeTask(taskNo);
   */
  freezeTask(taskNo: string, options: CallOptions = {}): Promise<Task> {
    return this.moveTask(taskNo, 'freeze', options);
  }

  /**
   * Hands a task with reserved money to the upstream.
   *
   * @example
   * await client.submitTask(taskNo);
   * await client.waitForTask(taskNo);
   */
  submitTask(taskNo: string, options: CallOptions = {}): Promise<Task> {
    return this.moveTask(taskNo, 'submit', options);
  }

  /**
   * Cancels a task before its end: what is unsent is not sent and its money is released, what is on the wire finishes.
   *
   * @example
   * await client.cancelTask(taskNo);
   */
  cancelTask(taskNo: string, options: CallOptions = {}): Promise<Task> {
    return this.moveTask(taskNo, 'cancel', options);
  }

  /**
   * Hands nothing new of a task over until it is resumed.
   *
   * @example
   * await client.pauseTask(taskNo);
   */
  pauseTask(taskNo: string, options: CallOptions = {}): Promise<Task> {
    return this.moveTask(taskNo, 'pause', options);
  }

  /**
   * Goes on with a paused task.
   *
   * @example
   * await client.resumeTask(taskNo);
   */
  resumeTask(taskNo: string, options: CallOptions = {}): Promise<Task> {
    return this.moveTask(taskNo, 'resume', options);
  }

  /**
   * Any of the moves by its name. Harmless when repeated, and therefore retried like a query.
   *
   * @example
   * await client.moveTask(taskNo, 'freeze');
   */
  moveTask(taskNo: string, move: TaskMove, options: CallOptions = {}): Promise<Task> {
    const target = path`/openapi/v1/messages/tasks/${taskNo}/${move}/`;
    return this.call({ ...options, method: 'POST', path: target }, 'repeatable');
  }

  /**
   * Moves every task of a batch that the move applies to. Harmless when repeated, and therefore retried like a query.
   *
   * @example
   * const { applied, amounts } = await client.moveBatch('may-campaign', 'cancel');
   */
  moveBatch(batchId: string, move: TaskMove, options: CallOptions = {}): Promise<MovedBatch> {
    const target = path`/openapi/v1/messages/batches/${batchId}/${move}/`;
    return this.call({ ...options, method: 'POST', path: target }, 'repeatable');
  }
}
