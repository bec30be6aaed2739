import type { SendAllNumber, SendAllRequest } from './cut-requests.js';
import {
  type DeliveryFilters,
  type LedgerFilters,
  listFilters,
  type OptOutFilters,
  type OwnTemplateFilters,
  type ReceiptFilters,
  type SubmitFilters,
  type TaskFilters,
  type UplinkFilters,
  type UserFilters,
} from './list-filters.generated.js';
import type { ListOptions, OwnListOptions } from './list-options.js';
import { createFileListing, createListing, type FileListing, type Listing } from './listing.js';
import { previewAll } from './preview-all.js';
import type { Repeat } from './retry.js';
import { type SentTask, sendSafely, tasksPath } from './send.js';
import { type SendAllOptions, type SendAllSummary, sendAll } from './send-all.js';
import { signRequest } from './signing.js';
import { toQuery } from './to-query.js';
import {
  type Call,
  type CallOptions,
  createTransport,
  requireOption,
  type Transport,
  type TransportOptions,
} from './transport.js';
import { type WaitedTask, type WaitOptions, waitForTask } from './wait-for-task.js';
import type {
  Account,
  BalanceHistory,
  Batch,
  Credential,
  CredentialRequest,
  CustomerUser,
  CustomerUserChange,
  CustomerUserRequest,
  DeliveryRecord,
  LedgerEntry,
  MovedBatch,
  NewCustomerUser,
  NewOwnCredential,
  NewWebhook,
  NumberHistory,
  OptOut,
  OwnServiceAccount,
  OwnTemplate,
  Preview,
  Receipt,
  Statement,
  Statistics,
  StatisticsBy,
  SubmitRecord,
  SubmittedTemplate,
  Task,
  TaskDetail,
  UnsentNumber,
  Uplink,
  UsableFirm,
  Webhook,
  WebhookAttempt,
  WebhookRequest,
} from './wire.generated.js';
import type { SendRequest, TaskMove } from './wire.js';

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

export interface StatisticsFilters extends Omit<ListOptions, 'pageSize'> {
  readonly by?: StatisticsBy;
}

export interface BalanceFilters extends Omit<ListOptions, 'pageSize'> {
  readonly by?: 'day' | 'hour';
}

/** What a customer may do: send, follow tasks, query everything that came of them. */
export class PostriderClient {
  readonly #transport: Transport;

  /**
   * Nothing is sent yet; a missing option is refused at once.
   *
   * @example
   * const client = new PostriderClient({ baseUrl: 'https://sms.example.com', apiKey, apiSecret });
   */
  constructor(options: PostriderClientOptions | ViewerOptions | SessionOptions) {
    if ('csrfToken' in options) {
      const { csrfToken } = options;
      requireOption('csrfToken', csrfToken);
      this.#transport = createTransport(options, async () => ({ 'x-csrf-token': csrfToken }));
      return;
    }
    if ('viewToken' in options) {
      const { viewToken } = options;
      requireOption('viewToken', viewToken);
      this.#transport = createTransport(options, async () => ({ authorization: `Bearer ${viewToken}` }));
      return;
    }
    const { apiKey, apiSecret } = options;
    requireOption('apiKey', apiKey);
    requireOption('apiSecret', apiSecret);
    this.#transport = createTransport(options, async (method, target, body, nowMs) => ({
      'x-api-key': apiKey,
      'x-timestamp': String(nowMs),
      'x-sign': await signRequest(apiSecret, { method, target, timestampMs: nowMs, body }),
    }));
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
    return sendSafely(this.#transport, named, idIsOurs, options);
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
  async preview(request: SendRequest, options: CallOptions = {}): Promise<Preview> {
    const path = '/openapi/v1/messages/preview/';
    return (await this.#transport.call({ ...options, method: 'POST', path, body: request }, 'repeatable'))
      .value as Preview;
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
   * One task with its timeline.
   *
   * @example
   * const { stage, counts, timeline } = await client.task(taskNo);
   */
  async task(taskNo: string, options: CallOptions = {}): Promise<TaskDetail> {
    const path = `${tasksPath}${encodeURIComponent(taskNo)}/`;
    return (await this.#transport.call({ ...options, method: 'GET', path }, 'repeatable')).value as TaskDetail;
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
    return waitForTask((callOptions) => this.task(taskNo, callOptions), this.#transport.clock, options);
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
   * Freezes the money of a prepared task. When it answers, the money is frozen or it was refused.
   *
   * @example
   * const { amounts } = await client.freezeTask(taskNo);
   */
  freezeTask(taskNo: string, options: CallOptions = {}): Promise<Task> {
    return this.moveTask(taskNo, 'freeze', options);
  }

  /**
   * Hands a task with frozen money to the upstream.
   *
   * @example
   * await client.submitTask(taskNo);
   * await client.waitForTask(taskNo);
   */
  submitTask(taskNo: string, options: CallOptions = {}): Promise<Task> {
    return this.moveTask(taskNo, 'submit', options);
  }

  /**
   * Cancels a task before its end: what is unsent is not sent and its money is released, what is under way finishes.
   *
   * @example
   * await client.cancelTask(taskNo);
   */
  cancelTask(taskNo: string, options: CallOptions = {}): Promise<Task> {
    return this.moveTask(taskNo, 'cancel', options);
  }

  /**
   * Sends a task at another time: RFC 3339 with an offset, until its first part is handed over. The past means now.
   *
   * @example
   * await client.rescheduleTask(taskNo, '2026-11-15T09:00:00+08:00');
   */
  async rescheduleTask(taskNo: string, sendAt: string, options: CallOptions = {}): Promise<Task> {
    const path = `${tasksPath}${encodeURIComponent(taskNo)}/`;
    const call = { ...options, method: 'PATCH', path, body: { send_at: sendAt } } as const;
    return (await this.#transport.call(call, 'repeatable')).value as Task;
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
  async moveTask(taskNo: string, move: TaskMove, options: CallOptions = {}): Promise<Task> {
    const path = `${tasksPath}${encodeURIComponent(taskNo)}/${move}/`;
    return (await this.#transport.call({ ...options, method: 'POST', path }, 'repeatable')).value as Task;
  }

  /**
   * The tasks of one batch, added up.
   *
   * @example
   * const { counts, amounts, completed_at } = await client.batch('may-campaign');
   */
  async batch(batchId: string, options: CallOptions = {}): Promise<Batch> {
    return (await this.#transport.call({ ...options, method: 'GET', path: batchPath(batchId) }, 'repeatable'))
      .value as Batch;
  }

  /**
   * Moves every task of a batch that the move applies to. Harmless when repeated, and therefore retried like a query.
   *
   * @example
   * const { applied, amounts } = await client.moveBatch('may-campaign', 'cancel');
   */
  async moveBatch(batchId: string, move: TaskMove, options: CallOptions = {}): Promise<MovedBatch> {
    const path = `${batchPath(batchId)}${move}/`;
    return (await this.#transport.call({ ...options, method: 'POST', path }, 'repeatable')).value as MovedBatch;
  }

  /**
   * Batches, newest first.
   *
   * @example
   * for await (const { batch_id, counts } of client.batches()) console.log(batch_id, counts.delivered);
   */
  batches(options: ListOptions & { readonly title?: string } = {}): FileListing<Batch> {
    return this.#list(batchesPath, options, toQuery(options, { title: 'title' }));
  }

  /**
   * Tasks, newest first.
   *
   * @example
   * for await (const task of client.tasks({ stage: 'submit_unknown' })) console.log(task.task_no);
   */
  tasks(filters: TaskFilters = {}): FileListing<Task> {
    return this.#list(tasksPath, filters, toQuery(filters, listFilters.tasks));
  }

  /**
   * What happened to a number, in any spelling: what went out to it, what was reported, what came of it, what it wrote back.
   *
   * @example
   * const { receipts, uplinks, opted_out_at } = await client.number('13800138000');
   */
  async number(phone: string, options: CallOptions = {}): Promise<NumberHistory> {
    const path = `/openapi/v1/messages/numbers/${encodeURIComponent(phone)}/`;
    return (await this.#transport.call({ ...options, method: 'GET', path }, 'repeatable')).value as NumberHistory;
  }

  /**
   * The final outcome of each number.
   *
   * @example
   * for await (const receipt of client.receipts({ taskNo, result: 'undelivered' })) {
   *   console.log(receipt.phone, receipt.code, receipt.description);
   * }
   * await pipeline(client.receipts({ batchId }).csv(), createWriteStream('receipts.csv'));
   */
  receipts(filters: ReceiptFilters = {}): FileListing<Receipt> {
    return this.#list('/openapi/v1/messages/receipts/', filters, toQuery(filters, listFilters.receipts));
  }

  /**
   * Messages that came in.
   *
   * @example
   * const { items } = await client.uplinks({ startAt: new Date(Date.now() - 3_600_000) }).page();
   */
  uplinks(filters: UplinkFilters = {}): FileListing<Uplink> {
    return this.#list('/openapi/v1/messages/uplinks/', filters, toQuery(filters, listFilters.uplinks));
  }

  /**
   * Every movement of money, with the balances after it.
   *
   * @example
   * for await (const entry of client.ledgers({ taskNo })) console.log(entry.type, entry.amount);
   */
  ledgers(filters: LedgerFilters = {}): FileListing<LedgerEntry> {
    return this.#list('/openapi/v1/finance/ledgers/', filters, toQuery(filters, listFilters.ledgers));
  }

  /**
   * Message parts that were put on the wire, and what the upstream answered.
   *
   * @example
   * const unknown = await client.submits({ status: 'unknown' }).page();
   */
  submits(filters: SubmitFilters = {}): FileListing<SubmitRecord> {
    return this.#list('/openapi/v1/downstream/submits/', filters, toQuery(filters, listFilters.submits));
  }

  /**
   * The numbers of a task that were not handed over yet, in the order of the request: those that `counts.unsent` counts.
   *
   * @example
   * for await (const { phone } of client.unsent('T1M7E4V2H3J5QX')) console.log(phone);
   */
  unsent(taskNo: string, options: OwnListOptions = {}): FileListing<UnsentNumber> {
    return this.#list(`${tasksPath}${encodeURIComponent(taskNo)}/unsent/`, options, {});
  }

  /**
   * Delivery reports that came back, part by part.
   *
   * @example
   * for await (const report of client.deliveries({ phone: '13800139001' })) console.log(report.status);
   */
  deliveries(filters: DeliveryFilters = {}): FileListing<DeliveryRecord> {
    return this.#list('/openapi/v1/downstream/deliveries/', filters, toQuery(filters, listFilters.deliveries));
  }

  /**
   * Your templates: the variables of each, and a body to send it with.
   *
   * @example
   * for await (const template of client.templates()) console.log(template.template_no, template.variables);
   */
  templates(options: OwnTemplateFilters = {}): FileListing<OwnTemplate> {
    return this.#list('/openapi/v1/templates/', options, toQuery(options, listFilters.templates));
  }

  /**
   * One template.
   *
   * @example
   * const { status, reason } = await client.template(templateNo);
   */
  template(templateNo: string, options: CallOptions = {}): Promise<OwnTemplate> {
    return this.#call({ ...options, method: 'GET', path: templatePath(templateNo) }, 'repeatable');
  }

  /**
   * Submits a template for review. It cannot be sent until an operator approves it.
   *
   * @example
   * const body = 'Your order {p1} is on its way.';
   * const { template_no, status } = await client.submitTemplate({ name: 'Shipped', body, service_account_no: serviceAccountNo });
   */
  submitTemplate(body: SubmittedTemplate, options: CallOptions = {}): Promise<OwnTemplate> {
    // The same submission again, while it waits, is the one that waits.
    return this.#call({ ...options, method: 'POST', path: templatePath(), body }, 'repeatable');
  }

  /**
   * Changes the name or the text of a template. Another text waits for review; tasks that were accepted keep theirs.
   *
   * @example
   * await client.updateTemplate(templateNo, { body: 'Your order {p1} has been sent.' });
   */
  updateTemplate(
    templateNo: string,
    body: Pick<Partial<SubmittedTemplate>, 'name' | 'body'>,
    options: CallOptions = {},
  ): Promise<OwnTemplate> {
    return this.#call({ ...options, method: 'PATCH', path: templatePath(templateNo), body }, 'repeatable');
  }

  /**
   * The addresses that your messages can come from.
   *
   * @example
   * const { items } = await client.serviceAccounts().page();
   */
  serviceAccounts(options: OwnListOptions = {}): FileListing<OwnServiceAccount> {
    return this.#list('/openapi/v1/service-accounts/', options, {});
  }

  /**
   * The firms you can use, and what a message part costs you there.
   *
   * @example
   * for await (const { firm, unit_price } of client.firms()) console.log(firm, unit_price);
   */
  firms(options: OwnListOptions = {}): FileListing<UsableFirm> {
    return this.#list('/openapi/v1/firms/', options, {});
  }

  /**
   * Numbers that want nothing more from you.
   *
   * @example
   * const { total } = await client.optOuts({ phone: '13800138000' }).page();
   */
  optOuts(filters: OptOutFilters = {}): FileListing<OptOut> {
    return this.#list('/openapi/v1/opt-outs/', filters, toQuery(filters, listFilters.optOuts));
  }

  /**
   * Your API keys, newest first, without their secrets. Takes a key with the scope `admin`.
   *
   * @example
   * for await (const { name, last_used_at } of client.credentials()) console.log(name, last_used_at);
   */
  credentials(options: OwnListOptions = {}): FileListing<Credential> {
    return this.#list('/openapi/v1/credentials/', options, {});
  }

  /**
   * Creates an API key. Its secret is shown this once.
   *
   * @example
   * const { api_key, secret } = await client.createCredential({ name: 'Nightly report', scopes: ['read'] });
   */
  createCredential(body: CredentialRequest = {}, options: CallOptions = {}): Promise<NewOwnCredential> {
    return this.#call({ ...options, method: 'POST', path: '/openapi/v1/credentials/', body }, 'once');
  }

  /**
   * Revokes an API key. This can't be undone.
   *
   * @example
   * await client.revokeCredential(apiKey);
   */
  revokeCredential(apiKey: string, options: CallOptions = {}): Promise<Credential> {
    const path = `/openapi/v1/credentials/${encodeURIComponent(apiKey)}/`;
    return this.#call({ ...options, method: 'DELETE', path }, 'repeatable');
  }

  /**
   * Your users, newest first. This and the other calls on users take the scope or the role `admin`.
   *
   * @example
   * for await (const { email, role } of client.users({ status: 'active' })) console.log(email, role);
   */
  users(options: UserFilters = {}): FileListing<CustomerUser> {
    return this.#list(userPath(), options, toQuery(options, listFilters.users));
  }

  /**
   * One user.
   *
   * @example
   * const { name, role } = await client.user(userNo);
   */
  user(userNo: string, options: CallOptions = {}): Promise<CustomerUser> {
    return this.#call({ ...options, method: 'GET', path: userPath(userNo) }, 'repeatable');
  }

  /**
   * Invites a user. The link is shown this once.
   *
   * @example
   * const { invitation_url } = await client.createUser({ email: 'ann@example.com', name: 'Ann', role: 'sender' });
   */
  createUser(body: CustomerUserRequest, options: CallOptions = {}): Promise<NewCustomerUser> {
    return this.#call({ ...options, method: 'POST', path: userPath(), body }, 'once');
  }

  /**
   * Creates a new invitation link, for a lost link or a forgotten password.
   *
   * @example
   * const { invitation_url } = await client.inviteUser(userNo);
   */
  inviteUser(userNo: string, options: CallOptions = {}): Promise<NewCustomerUser> {
    return this.#call({ ...options, method: 'POST', path: userPath(userNo, 'invitation') }, 'once');
  }

  /**
   * Changes the name, role or status of a user.
   *
   * @example
   * await client.updateUser(userNo, { role: 'viewer' });
   */
  updateUser(userNo: string, body: CustomerUserChange, options: CallOptions = {}): Promise<CustomerUser> {
    return this.#call({ ...options, method: 'PATCH', path: userPath(userNo), body }, 'repeatable');
  }

  /**
   * Removes a user. This can't be undone.
   *
   * @example
   * await client.removeUser(userNo);
   */
  removeUser(userNo: string, options: CallOptions = {}): Promise<CustomerUser> {
    return this.#call({ ...options, method: 'DELETE', path: userPath(userNo) }, 'once');
  }

  /**
   * Creates a webhook, which receives events from now on. The secret is shown once.
   *
   * @example
   * const { webhook_no, secret } = await client.createWebhook({ url, events: ['receipts', 'task.finished'] });
   */
  createWebhook(body: WebhookRequest, options: CallOptions = {}): Promise<NewWebhook> {
    return this.#call({ ...options, method: 'POST', path: webhookPath(), body }, 'once');
  }

  /**
   * Your webhooks, oldest first.
   *
   * @example
   * for await (const { url, status } of client.webhooks()) console.log(url, status);
   */
  webhooks(options: OwnListOptions = {}): Listing<Webhook> {
    return createListing(this.#transport, webhookPath(), {}, options.pageSize, pickCallOptions(options));
  }

  /**
   * One webhook, and how each kind of event fares.
   *
   * @example
   * const { status, progress } = await client.webhook(webhookNo);
   */
  webhook(webhookNo: string, options: CallOptions = {}): Promise<Webhook> {
    return this.#call({ ...options, method: 'GET', path: webhookPath(webhookNo) }, 'repeatable');
  }

  /**
   * Changes a webhook; what is left out stays. One that was disabled goes on where it stopped.
   *
   * @example
   * await client.updateWebhook(webhookNo, { status: 'active' });
   */
  updateWebhook(webhookNo: string, body: Partial<WebhookRequest>, options: CallOptions = {}): Promise<Webhook> {
    return this.#call({ ...options, method: 'PATCH', path: webhookPath(webhookNo), body }, 'repeatable');
  }

  /**
   * Deletes a webhook for good.
   *
   * @example
   * await client.deleteWebhook(webhookNo);
   */
  deleteWebhook(webhookNo: string, options: CallOptions = {}): Promise<Webhook> {
    return this.#call({ ...options, method: 'DELETE', path: webhookPath(webhookNo) }, 'once');
  }

  /**
   * Gives a webhook a new secret. The old one signs along for 24 hours.
   *
   * @example
   * const { secret } = await client.rotateWebhook(webhookNo);
   */
  rotateWebhook(webhookNo: string, options: CallOptions = {}): Promise<NewWebhook> {
    return this.#call({ ...options, method: 'POST', path: webhookPath(webhookNo, 'rotate') }, 'once');
  }

  /**
   * Sends a test message at once and says what came of it.
   *
   * @example
   * const { status, error, latency_ms } = await client.testWebhook(webhookNo);
   */
  testWebhook(webhookNo: string, options: CallOptions = {}): Promise<WebhookAttempt> {
    return this.#call({ ...options, method: 'POST', path: webhookPath(webhookNo, 'test') }, 'once');
  }

  /**
   * Tells a webhook everything again since a time.
   *
   * @example
   * await client.replayWebhook(webhookNo, new Date(Date.now() - 3_600_000));
   */
  replayWebhook(webhookNo: string, from: Date | string | number, options: CallOptions = {}): Promise<Webhook> {
    const path = webhookPath(webhookNo, 'replay');
    return this.#call({ ...options, method: 'POST', path, body: { from } }, 'repeatable');
  }

  /**
   * The last hundred calls to a webhook, newest first.
   *
   * @example
   * for await (const { at, status, error } of client.webhookAttempts(webhookNo)) console.log(at, status, error);
   */
  webhookAttempts(webhookNo: string, options: OwnListOptions = {}): Listing<WebhookAttempt> {
    const path = webhookPath(webhookNo, 'attempts');
    return createListing(this.#transport, path, {}, options.pageSize, pickCallOptions(options));
  }

  /**
   * Sends the message of an attempt once more, under the same `webhook-id`, and says what came of it.
   *
   * @example
   * const { status, error } = await client.resendWebhookAttempt(webhookNo, attempt.id);
   */
  resendWebhookAttempt(webhookNo: string, id: number, options: CallOptions = {}): Promise<WebhookAttempt> {
    const path = webhookPath(webhookNo, 'attempts', String(id), 'resend');
    return this.#call({ ...options, method: 'POST', path }, 'once');
  }

  /**
   * The balance.
   *
   * @example
   * const { available, currency } = await client.account();
   */
  async account(options: CallOptions = {}): Promise<Account> {
    const path = '/openapi/v1/finance/account/';
    return (await this.#transport.call({ ...options, method: 'GET', path }, 'repeatable')).value as Account;
  }

  /**
   * The statement of a month in UTC: balances before and after it, and everything in between added up.
   *
   * @example
   * const { opening, entries, closing } = await client.statement('2026-11');
   */
  async statement(month: string, options: CallOptions = {}): Promise<Statement> {
    const path = `/openapi/v1/finance/statements/${encodeURIComponent(month)}/`;
    return (await this.#transport.call({ ...options, method: 'GET', path }, 'repeatable')).value as Statement;
  }

  /**
   * What was available and frozen at the end of each day, or hour, in UTC: of the last 30 unless told otherwise.
   *
   * @example
   * const { items } = await client.balances({ by: 'hour', startAt: '2026-11-14T00:00:00Z' });
   */
  async balances(filters: BalanceFilters = {}): Promise<BalanceHistory> {
    const query = { by: filters.by, start_at: filters.startAt, end_at: filters.endAt };
    const path = '/openapi/v1/finance/balances/';
    return this.#call({ ...pickCallOptions(filters), method: 'GET', path, query }, 'repeatable');
  }

  /**
   * How many numbers came to which end, by day unless told otherwise. Counted when their receipts are made.
   *
   * @example
   * const { items } = await client.statistics({ by: 'firm', startAt: '2026-11-01T00:00:00Z' });
   */
  async statistics(filters: StatisticsFilters = {}): Promise<Statistics> {
    const query = { by: filters.by, start_at: filters.startAt, end_at: filters.endAt };
    const path = '/openapi/v1/messages/statistics/';
    const call: Call = { ...pickCallOptions(filters), method: 'GET', path, query };
    return (await this.#transport.call(call, 'repeatable')).value as Statistics;
  }

  /**
   * Any call of the API, signed: for what this client has no method for. A GET is retried like every query,
   * anything else only where the first attempt certainly did nothing.
   */
  async request<Result>(call: Call): Promise<Result> {
    return (await this.#transport.call(call, call.method === 'GET' ? 'repeatable' : 'once')).value as Result;
  }

  async #call<Result>(call: Call, repeat: Repeat): Promise<Result> {
    return (await this.#transport.call(call, repeat)).value as Result;
  }

  #list<Item>(path: string, options: ListOptions, filters: Record<string, string | undefined>): FileListing<Item> {
    const query = { ...filters, start_at: options.startAt, end_at: options.endAt };
    return createFileListing(this.#transport, path, query, options.pageSize, pickCallOptions(options));
  }
}

const batchesPath = '/openapi/v1/messages/batches/';

function batchPath(batchId: string): string {
  return `${batchesPath}${encodeURIComponent(batchId)}/`;
}

function templatePath(...segments: readonly string[]): string {
  return ['/openapi/v1/templates', ...segments.map(encodeURIComponent), ''].join('/');
}

function userPath(...segments: readonly string[]): string {
  return ['/openapi/v1/users', ...segments.map(encodeURIComponent), ''].join('/');
}

function webhookPath(...segments: readonly string[]): string {
  return ['/openapi/v1/webhooks', ...segments.map(encodeURIComponent), ''].join('/');
}

/** A list's filters must not reach the transport as if they were its own. */
function pickCallOptions(options: CallOptions): CallOptions {
  return {
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  };
}
