import { createListing, type Listing } from './listing.js';
import { type SentTask, sendSafely, tasksPath } from './send.js';
import { signRequest } from './signing.js';
import {
  type CallOptions,
  createTransport,
  requireOption,
  type Transport,
  type TransportOptions,
} from './transport.js';
import { type WaitOptions, waitForTask } from './wait-for-task.js';
import type {
  Account,
  DeliveryRecord,
  DeliveryStatus,
  LedgerEntry,
  LedgerType,
  Receipt,
  ReceiptResult,
  SendRequest,
  Stage,
  SubmitRecord,
  SubmitStatus,
  Task,
  TaskDetail,
  Uplink,
} from './wire.js';

export interface PostriderClientOptions extends TransportOptions {
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** What every list of the customer accepts. */
export interface ListOptions extends CallOptions {
  /** At most 100. Without it a walk takes 100 and a single page 20. */
  readonly pageSize?: number;
  /** Inclusive. A Date, RFC 3339 with an offset, or epoch milliseconds. */
  readonly startAt?: Date | string | number;
  /** Exclusive. */
  readonly endAt?: Date | string | number;
}

export interface TaskFilters extends ListOptions {
  readonly clientRequestId?: string;
  readonly stage?: Stage;
  readonly templateNo?: string;
}

export interface ReceiptFilters extends ListOptions {
  readonly taskNo?: string;
  readonly clientRequestId?: string;
  /** In any spelling of the number. */
  readonly phone?: string;
  readonly result?: ReceiptResult;
}

export interface UplinkFilters extends ListOptions {
  readonly phone?: string;
  readonly serviceAccountNo?: string;
}

export interface LedgerFilters extends ListOptions {
  readonly taskNo?: string;
  readonly type?: LedgerType;
}

export interface SubmitFilters extends ListOptions {
  readonly taskNo?: string;
  readonly phone?: string;
  readonly status?: SubmitStatus;
}

export interface DeliveryFilters extends ListOptions {
  readonly taskNo?: string;
  readonly phone?: string;
  readonly status?: DeliveryStatus;
}

export type TaskMove = 'prepare' | 'freeze' | 'submit' | 'cancel';

/** What a customer may do: send, follow tasks, query everything that came of them. */
export class PostriderClient {
  readonly #transport: Transport;

  constructor(options: PostriderClientOptions) {
    const { apiKey, apiSecret } = options;
    requireOption('apiKey', apiKey);
    requireOption('apiSecret', apiSecret);
    this.#transport = createTransport(options, async (method, target, body, nowMs) => ({
      'x-api-key': apiKey,
      'x-timestamp': String(nowMs),
      'x-sign': await signRequest(apiSecret, { method, target, timestampMs: nowMs, body }),
    }));
  }

  /** Creates a task. The answer is an acceptance only: see `waitForTask` and `receipts` for what became of it. */
  async send(request: SendRequest, options: CallOptions = {}): Promise<Task> {
    return (await this.sendOrReplay(request, options)).task;
  }

  /** Like `send`, and says whether the request had been accepted before. */
  sendOrReplay(request: SendRequest, options: CallOptions = {}): Promise<SentTask> {
    const idIsOurs = request.client_request_id === undefined;
    const named = idIsOurs ? { ...request, client_request_id: crypto.randomUUID() } : request;
    return sendSafely(this.#transport, named, idIsOurs, options);
  }

  async task(taskNo: string, options: CallOptions = {}): Promise<TaskDetail> {
    const path = `${tasksPath}${encodeURIComponent(taskNo)}/`;
    return (await this.#transport.call({ ...options, method: 'GET', path }, 'repeatable')).value as TaskDetail;
  }

  /** The task of one business request of yours; null when it was never accepted. */
  async findTask(clientRequestId: string, options: CallOptions = {}): Promise<Task | null> {
    const page = await this.tasks({ ...options, clientRequestId, pageSize: 1 }).page();
    return page.items[0] ?? null;
  }

  waitForTask(taskNo: string, options: WaitOptions = {}): Promise<TaskDetail> {
    return waitForTask(() => this.task(taskNo, options), this.#transport.clock, options);
  }

  prepareTask(taskNo: string, options: CallOptions = {}): Promise<Task> {
    return this.moveTask(taskNo, 'prepare', options);
  }

  freezeTask(taskNo: string, options: CallOptions = {}): Promise<Task> {
    return this.moveTask(taskNo, 'freeze', options);
  }

  submitTask(taskNo: string, options: CallOptions = {}): Promise<Task> {
    return this.moveTask(taskNo, 'submit', options);
  }

  cancelTask(taskNo: string, options: CallOptions = {}): Promise<Task> {
    return this.moveTask(taskNo, 'cancel', options);
  }

  /** Harmless when repeated, and therefore retried like a query. */
  async moveTask(taskNo: string, move: TaskMove, options: CallOptions = {}): Promise<Task> {
    const path = `${tasksPath}${encodeURIComponent(taskNo)}/${move}/`;
    return (await this.#transport.call({ ...options, method: 'POST', path }, 'repeatable')).value as Task;
  }

  tasks(filters: TaskFilters = {}): Listing<Task> {
    const { clientRequestId, stage, templateNo } = filters;
    return this.#list(tasksPath, filters, { client_request_id: clientRequestId, stage, template_no: templateNo });
  }

  receipts(filters: ReceiptFilters = {}): Listing<Receipt> {
    const { taskNo, clientRequestId, phone, result } = filters;
    const query = { task_no: taskNo, client_request_id: clientRequestId, phone, result };
    return this.#list('/openapi/v1/messages/receipts/', filters, query);
  }

  uplinks(filters: UplinkFilters = {}): Listing<Uplink> {
    const { phone, serviceAccountNo } = filters;
    return this.#list('/openapi/v1/messages/uplinks/', filters, { phone, service_account_no: serviceAccountNo });
  }

  ledgers(filters: LedgerFilters = {}): Listing<LedgerEntry> {
    const { taskNo, type } = filters;
    return this.#list('/openapi/v1/finance/ledgers/', filters, { task_no: taskNo, type });
  }

  submits(filters: SubmitFilters = {}): Listing<SubmitRecord> {
    const { taskNo, phone, status } = filters;
    return this.#list('/openapi/v1/downstream/submits/', filters, { task_no: taskNo, phone, status });
  }

  deliveries(filters: DeliveryFilters = {}): Listing<DeliveryRecord> {
    const { taskNo, phone, status } = filters;
    return this.#list('/openapi/v1/downstream/deliveries/', filters, { task_no: taskNo, phone, status });
  }

  async account(options: CallOptions = {}): Promise<Account> {
    const path = '/openapi/v1/finance/account/';
    return (await this.#transport.call({ ...options, method: 'GET', path }, 'repeatable')).value as Account;
  }

  #list<Item>(path: string, options: ListOptions, filters: Record<string, string | undefined>): Listing<Item> {
    const query = { ...filters, start_at: options.startAt, end_at: options.endAt };
    return createListing(this.#transport, path, query, options.pageSize, pickCallOptions(options));
  }
}

/** A list's filters must not reach the transport as if they were its own. */
function pickCallOptions(options: CallOptions): CallOptions {
  return {
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  };
}
