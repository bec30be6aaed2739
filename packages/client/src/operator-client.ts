import type { TaskMove } from './client.js';
import { createListing, type Listing } from './listing.js';
import type {
  AuditEntry,
  Channel,
  ChannelRequest,
  Credential,
  CredentialRequest,
  Customer,
  CustomerRequest,
  Firm,
  FirmRequest,
  Grant,
  MoneyRequest,
  NewCredential,
  OperatorLedgerEntry,
  OperatorTask,
  OptOut,
  Price,
  PriceRequest,
  ResolveRequest,
  ServiceAccount,
  ServiceAccountRequest,
  Template,
  TemplateRequest,
  UnclaimedUplink,
} from './operator-wire.js';
import type { Repeat } from './retry.js';
import {
  type Call,
  type CallOptions,
  createTransport,
  type QueryValue,
  requireOption,
  type Transport,
  type TransportOptions,
} from './transport.js';
import type { Decimal, Stage } from './wire.js';

export interface OperatorClientOptions extends TransportOptions {
  readonly token: string;
}

export interface OperatorListOptions extends CallOptions {
  readonly pageSize?: number;
}

interface TimeFilters {
  /** Inclusive. */
  readonly startAt?: Date | string | number;
  /** Exclusive. */
  readonly endAt?: Date | string | number;
}

export interface OperatorTaskFilters extends OperatorListOptions, TimeFilters {
  readonly customerNo?: string;
  readonly stage?: Stage;
  readonly clientRequestId?: string;
}

export interface AuditFilters extends OperatorListOptions, TimeFilters {
  /** Such as `customer.change`. */
  readonly action?: string;
  /** What was changed: a customer_no, channel_no, task_no or firm. */
  readonly subject?: string;
}

function joinPath(...segments: string[]): string {
  return `/operator/v1/${segments.map(encodeURIComponent).join('/')}`;
}

/**
 * What an operator may do. Changes, removals and task moves are retried, since repeating them is harmless; so are top-ups
 * and adjustments, which carry a reference. Creating something is repeated only where it certainly did not happen.
 */
export class OperatorClient {
  readonly #transport: Transport;

  constructor(options: OperatorClientOptions) {
    requireOption('token', options.token);
    this.#transport = createTransport(options, async () => ({ authorization: `Bearer ${options.token}` }));
  }

  createFirm(body: FirmRequest, options: CallOptions = {}): Promise<Firm> {
    return this.#write('POST', joinPath('firms'), body, 'once', options);
  }
  updateFirm(firm: string, body: Partial<FirmRequest>, options: CallOptions = {}): Promise<Firm> {
    return this.#write('PATCH', joinPath('firms', firm), body, 'repeatable', options);
  }
  firm(firm: string, options: CallOptions = {}): Promise<Firm> {
    return this.#read(joinPath('firms', firm), options);
  }
  firms(options: OperatorListOptions = {}): Listing<Firm> {
    return this.#list(joinPath('firms'), options);
  }

  createChannel(body: ChannelRequest, options: CallOptions = {}): Promise<Channel> {
    return this.#write('POST', joinPath('channels'), body, 'once', options);
  }
  updateChannel(channelNo: string, body: Partial<ChannelRequest>, options: CallOptions = {}): Promise<Channel> {
    return this.#write('PATCH', joinPath('channels', channelNo), body, 'repeatable', options);
  }
  channel(channelNo: string, options: CallOptions = {}): Promise<Channel> {
    return this.#read(joinPath('channels', channelNo), options);
  }
  channels(options: OperatorListOptions = {}): Listing<Channel> {
    return this.#list(joinPath('channels'), options);
  }

  createCustomer(body: CustomerRequest, options: CallOptions = {}): Promise<Customer> {
    return this.#write('POST', joinPath('customers'), body, 'once', options);
  }
  updateCustomer(customerNo: string, body: Partial<CustomerRequest>, options: CallOptions = {}): Promise<Customer> {
    return this.#write('PATCH', joinPath('customers', customerNo), body, 'repeatable', options);
  }
  customer(customerNo: string, options: CallOptions = {}): Promise<Customer> {
    return this.#read(joinPath('customers', customerNo), options);
  }
  customers(options: OperatorListOptions = {}): Listing<Customer> {
    return this.#list(joinPath('customers'), options);
  }

  createCredential(
    customerNo: string,
    body: CredentialRequest = {},
    options: CallOptions = {},
  ): Promise<NewCredential> {
    return this.#write('POST', joinPath('customers', customerNo, 'credentials'), body, 'once', options);
  }
  revokeCredential(customerNo: string, apiKey: string, options: CallOptions = {}): Promise<Credential> {
    return this.#remove(joinPath('customers', customerNo, 'credentials', apiKey), options);
  }
  credential(customerNo: string, apiKey: string, options: CallOptions = {}): Promise<Credential> {
    return this.#read(joinPath('customers', customerNo, 'credentials', apiKey), options);
  }
  credentials(customerNo: string, options: OperatorListOptions = {}): Listing<Credential> {
    return this.#list(joinPath('customers', customerNo, 'credentials'), options);
  }

  grantChannel(customerNo: string, channelNo: string, options: CallOptions = {}): Promise<Grant> {
    const body = { channel_no: channelNo };
    return this.#write('POST', joinPath('customers', customerNo, 'grants'), body, 'once', options);
  }
  grants(customerNo: string, options: OperatorListOptions = {}): Listing<Grant> {
    return this.#list(joinPath('customers', customerNo, 'grants'), options);
  }

  createPrice(customerNo: string, body: PriceRequest, options: CallOptions = {}): Promise<Price> {
    return this.#write('POST', joinPath('customers', customerNo, 'prices'), body, 'once', options);
  }
  updatePrice(customerNo: string, firm: string, unitPrice: Decimal, options: CallOptions = {}): Promise<Price> {
    const path = joinPath('customers', customerNo, 'prices', firm);
    return this.#write('PATCH', path, { unit_price: unitPrice }, 'repeatable', options);
  }
  prices(customerNo: string, options: OperatorListOptions = {}): Listing<Price> {
    return this.#list(joinPath('customers', customerNo, 'prices'), options);
  }

  createServiceAccount(
    customerNo: string,
    body: ServiceAccountRequest,
    options: CallOptions = {},
  ): Promise<ServiceAccount> {
    return this.#write('POST', joinPath('customers', customerNo, 'service-accounts'), body, 'once', options);
  }
  updateServiceAccount(
    customerNo: string,
    serviceAccountNo: string,
    body: Partial<ServiceAccountRequest>,
    options: CallOptions = {},
  ): Promise<ServiceAccount> {
    const path = joinPath('customers', customerNo, 'service-accounts', serviceAccountNo);
    return this.#write('PATCH', path, body, 'repeatable', options);
  }
  serviceAccount(customerNo: string, serviceAccountNo: string, options: CallOptions = {}): Promise<ServiceAccount> {
    return this.#read(joinPath('customers', customerNo, 'service-accounts', serviceAccountNo), options);
  }
  serviceAccounts(customerNo: string, options: OperatorListOptions = {}): Listing<ServiceAccount> {
    return this.#list(joinPath('customers', customerNo, 'service-accounts'), options);
  }

  createTemplate(customerNo: string, body: TemplateRequest, options: CallOptions = {}): Promise<Template> {
    return this.#write('POST', joinPath('customers', customerNo, 'templates'), body, 'once', options);
  }
  updateTemplate(
    customerNo: string,
    templateNo: string,
    body: Partial<TemplateRequest>,
    options: CallOptions = {},
  ): Promise<Template> {
    const path = joinPath('customers', customerNo, 'templates', templateNo);
    return this.#write('PATCH', path, body, 'repeatable', options);
  }
  template(customerNo: string, templateNo: string, options: CallOptions = {}): Promise<Template> {
    return this.#read(joinPath('customers', customerNo, 'templates', templateNo), options);
  }
  templates(customerNo: string, options: OperatorListOptions = {}): Listing<Template> {
    return this.#list(joinPath('customers', customerNo, 'templates'), options);
  }

  topUp(customerNo: string, body: MoneyRequest, options: CallOptions = {}): Promise<OperatorLedgerEntry> {
    return this.#moveMoney(joinPath('customers', customerNo, 'topups'), body, options);
  }
  topUps(customerNo: string, options: OperatorListOptions = {}): Listing<OperatorLedgerEntry> {
    return this.#list(joinPath('customers', customerNo, 'topups'), options);
  }
  adjust(customerNo: string, body: MoneyRequest, options: CallOptions = {}): Promise<OperatorLedgerEntry> {
    return this.#moveMoney(joinPath('customers', customerNo, 'adjustments'), body, options);
  }
  adjustments(customerNo: string, options: OperatorListOptions = {}): Listing<OperatorLedgerEntry> {
    return this.#list(joinPath('customers', customerNo, 'adjustments'), options);
  }

  addOptOut(customerNo: string, phone: string, options: CallOptions = {}): Promise<OptOut> {
    return this.#write('POST', joinPath('customers', customerNo, 'opt-outs'), { phone }, 'once', options);
  }
  removeOptOut(customerNo: string, phone: string, options: CallOptions = {}): Promise<OptOut> {
    return this.#remove(joinPath('customers', customerNo, 'opt-outs', phone), options);
  }
  optOuts(customerNo: string, options: OperatorListOptions = {}): Listing<OptOut> {
    return this.#list(joinPath('customers', customerNo, 'opt-outs'), options);
  }

  moveTask(taskNo: string, move: TaskMove, options: CallOptions = {}): Promise<OperatorTask> {
    return this.#write('POST', joinPath('tasks', taskNo, move), undefined, 'repeatable', options);
  }
  /** Says what became of numbers whose acceptance upstream is unknown. */
  resolveTask(taskNo: string, body: ResolveRequest, options: CallOptions = {}): Promise<OperatorTask> {
    return this.#write('POST', joinPath('tasks', taskNo, 'resolve'), body, 'repeatable', options);
  }
  task(taskNo: string, options: CallOptions = {}): Promise<OperatorTask> {
    return this.#read(joinPath('tasks', taskNo), options);
  }
  tasks(options: OperatorTaskFilters = {}): Listing<OperatorTask> {
    const { customerNo, stage, clientRequestId, startAt, endAt } = options;
    return this.#list(joinPath('tasks'), options, {
      customer_no: customerNo,
      stage,
      client_request_id: clientRequestId,
      start_at: startAt,
      end_at: endAt,
    });
  }

  auditLog(options: AuditFilters = {}): Listing<AuditEntry> {
    const { action, subject, startAt, endAt } = options;
    return this.#list(joinPath('audit'), options, { action, subject, start_at: startAt, end_at: endAt });
  }
  unclaimedUplinks(options: OperatorListOptions = {}): Listing<UnclaimedUplink> {
    return this.#list(joinPath('unclaimed-uplinks'), options);
  }

  async #read<Result>(path: string, options: CallOptions): Promise<Result> {
    return (await this.#transport.call({ ...options, method: 'GET', path }, 'repeatable')).value as Result;
  }

  async #write<Result>(
    method: 'POST' | 'PATCH',
    path: string,
    body: unknown,
    repeat: Repeat,
    options: CallOptions,
  ): Promise<Result> {
    const call: Call = { ...options, method, path, body };
    return (await this.#transport.call(call, repeat)).value as Result;
  }

  #moveMoney(path: string, body: MoneyRequest, options: CallOptions): Promise<OperatorLedgerEntry> {
    const referenced = { ...body, reference: body.reference ?? crypto.randomUUID() };
    return this.#write('POST', path, referenced, 'repeatable', options);
  }

  async #remove<Result>(path: string, options: CallOptions): Promise<Result> {
    return (await this.#transport.call({ ...options, method: 'DELETE', path }, 'repeatable')).value as Result;
  }

  #list<Item>(
    path: string,
    options: OperatorListOptions,
    filters: Readonly<Record<string, QueryValue>> = {},
  ): Listing<Item> {
    const { signal, timeoutMs } = options;
    const callOptions = { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) };
    return createListing(this.#transport, path, filters, options.pageSize, callOptions);
  }
}
