import type { SessionOptions } from './client.js';
import type { UserFilters } from './list-filters.generated.js';
import { createListing, type Listing } from './listing.js';
import type { MessageClass } from './message-classes.js';
import type {
  AuditEntry,
  BlockedContent,
  BlockedWords,
  BlockedWordsRequest,
  CapExemption,
  Channel,
  ChannelEvent,
  ChannelKindDescription,
  ChannelRequest,
  ChannelTest,
  ChannelTestRequest,
  Cost,
  CostRequest,
  Customer,
  CustomerRequest,
  CustomerView,
  Erasure,
  ErasureRequest,
  Failure,
  FailureEvent,
  Filing,
  FilingRequest,
  Firm,
  FirmRequest,
  Grant,
  Identity,
  KeptReport,
  MoneyRequest,
  NewCredential,
  NewOperator,
  NewOperatorUser,
  NumberCustomer,
  Operator,
  OperatorRequest,
  OperatorStatistic,
  OperatorStatisticsBy,
  OperatorTask,
  OperatorTaskDetail,
  OperatorUser,
  OperatorUserChange,
  OperatorUserRequest,
  Platform,
  PlatformHistory,
  PlatformRange,
  Price,
  PriceRequest,
  Recovery,
  Release,
  ReleaseRequest,
  ResolveRequest,
  Review,
  ReviewRequest,
  RouteExplanation,
  ServiceAccount,
  ServiceAccountRequest,
  SetAside,
  Template,
  TemplateDraft,
  TemplatePreview,
  TemplateRequest,
  UnclaimedUplink,
  UnknownPart,
} from './operator-wire.generated.js';
import type { Repeat } from './retry.js';
import type { Stage } from './stages.js';
import {
  type Call,
  type CallOptions,
  createTransport,
  type QueryValue,
  requireOption,
  type Transport,
  type TransportOptions,
} from './transport.js';
import type {
  Credential,
  CredentialRequest,
  CustomerUser,
  CustomerUserChange,
  CustomerUserRequest,
  LedgerEntry,
  NewCustomerUser,
  NewWebhook,
  OptOut,
  TemplateStatus,
  Webhook,
  WebhookAttempt,
  WebhookRequest,
} from './wire.generated.js';
import type { TaskMove } from './wire.js';
import type { Decimal } from './wire-values.js';

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
  /** Of templates of this class. */
  readonly class?: MessageClass;
}

export interface TemplateFilters extends OperatorListOptions {
  readonly class?: MessageClass;
  readonly status?: TemplateStatus;
}

export interface ReviewFilters extends OperatorListOptions {
  readonly customerNo?: string;
  readonly class?: MessageClass;
}

export interface OperatorFilters extends OperatorListOptions {
  readonly status?: 'active' | 'removed';
}

export interface CustomerOptOutFilters extends OperatorListOptions {
  /** In any spelling of the number. */
  readonly phone?: string;
}

export interface UnknownFilters extends OperatorListOptions {
  readonly customerNo?: string;
  readonly channelNo?: string;
}

export interface KeptReportFilters extends OperatorListOptions {
  readonly channelNo?: string;
}

/** A list of what failed is of one event with one code. */
export interface ChannelFailureFilters extends OperatorListOptions, TimeFilters {
  readonly event: FailureEvent;
  /** Exactly this one. */
  readonly code: string;
}

export interface AuditFilters extends OperatorListOptions, TimeFilters {
  /** The name of an operator, `root` for the token of the configuration. */
  readonly actor?: string;
  /** Such as `customer.change`. */
  readonly action?: string;
  /** What was changed: a customer_no, channel_no, task_no or firm. */
  readonly subject?: string;
}

export interface OperatorStatisticsFilters extends CallOptions, TimeFilters {
  /** What to add up by; days unless given. */
  readonly by?: OperatorStatisticsBy;
}

function joinPath(...segments: string[]): string {
  return `/operator/v1/${segments.map(encodeURIComponent).join('/')}`;
}

// One method a call of the operator API, in its order, each with an example: long, and easiest to search as one page.

/**
 * What an operator may do. Changes, removals and task moves are retried, since repeating them is harmless; so are top-ups
 * and adjustments, which carry a reference. Creating something is repeated only where it certainly did not happen.
 */
export class OperatorClient {
  readonly #transport: Transport;

  /**
   * Nothing is sent yet; a missing token is refused at once.
   *
   * @example
   * const operator = new OperatorClient({ baseUrl: 'https://sms.example.com', token });
   */
  constructor(options: OperatorClientOptions | SessionOptions) {
    if ('csrfToken' in options) {
      const { csrfToken } = options;
      requireOption('csrfToken', csrfToken);
      this.#transport = createTransport(options, async () => ({ 'x-csrf-token': csrfToken }));
      return;
    }
    requireOption('token', options.token);
    this.#transport = createTransport(options, async () => ({ authorization: `Bearer ${options.token}` }));
  }

  /**
   * What waits and for how long, how each channel is, which processes there are, whether the books add up.
   *
   * @example
   * const { channels, to_prepare } = await operator.platform();
   */
  platform(options: CallOptions = {}): Promise<Platform> {
    return this.#read(joinPath('platform'), options);
  }

  /**
   * What went through all channels over the last minutes or hours; an hour unless said.
   *
   * @example
   * const { items, step_seconds } = await operator.platformHistory('24h');
   */
  async platformHistory(range: PlatformRange = '1h', options: CallOptions = {}): Promise<PlatformHistory> {
    const call: Call = { ...options, method: 'GET', path: joinPath('platform', 'history'), query: { range } };
    return (await this.#transport.call(call, 'repeatable')).value as PlatformHistory;
  }

  /**
   * Creates a firm: a network or vendor that numbers are reached through.
   *
   * @example
   * await operator.createFirm({ firm: 'cmcc', name: 'China Mobile', prefixes: ['86134', '86135'] });
   */
  createFirm(body: FirmRequest, options: CallOptions = {}): Promise<Firm> {
    return this.#write('POST', joinPath('firms'), body, 'once', options);
  }

  /**
   * Changes a firm; what is left out stays.
   *
   * @example
   * await operator.updateFirm('cmcc', { prefixes: ['86134', '86135', '86136'] });
   */
  updateFirm(firm: string, body: Partial<FirmRequest>, options: CallOptions = {}): Promise<Firm> {
    return this.#write('PATCH', joinPath('firms', firm), body, 'repeatable', options);
  }

  /**
   * One firm.
   *
   * @example
   * const { prefixes } = await operator.firm('cmcc');
   */
  firm(firm: string, options: CallOptions = {}): Promise<Firm> {
    return this.#read(joinPath('firms', firm), options);
  }

  /**
   * All firms.
   *
   * @example
   * for await (const { firm, name } of operator.firms()) console.log(firm, name);
   */
  firms(options: OperatorListOptions = {}): Listing<Firm> {
    return this.#list(joinPath('firms'), options);
  }

  /**
   * Creates a channel: one upstream connection.
   *
   * @example
   * const { channel_no } = await operator.createChannel({ name: 'sim', kind: 'simulator', firms: ['cmcc'] });
   */
  createChannel(body: ChannelRequest, options: CallOptions = {}): Promise<Channel> {
    return this.#write('POST', joinPath('channels'), body, 'once', options);
  }

  /**
   * Changes a channel; what is left out stays. Its kind cannot change.
   *
   * @example
   * await operator.updateChannel(channelNo, { parts_per_second: 200 });
   */
  updateChannel(channelNo: string, body: Partial<ChannelRequest>, options: CallOptions = {}): Promise<Channel> {
    return this.#write('PATCH', joinPath('channels', channelNo), body, 'repeatable', options);
  }

  /**
   * One channel: configuration and health. Secrets are never shown again.
   *
   * @example
   * const { health } = await operator.channel(channelNo);
   */
  channel(channelNo: string, options: CallOptions = {}): Promise<Channel> {
    return this.#read(joinPath('channels', channelNo), options);
  }

  /**
   * All channels.
   *
   * @example
   * for await (const { name, health } of operator.channels()) console.log(name, health.state);
   */
  channels(options: OperatorListOptions = {}): Listing<Channel> {
    return this.#list(joinPath('channels'), options);
  }

  /**
   * The kinds of channels there are, with the fields of their configuration.
   *
   * @example
   * for await (const { kind, fields } of operator.channelKinds()) console.log(kind, fields);
   */
  channelKinds(options: OperatorListOptions = {}): Listing<ChannelKindDescription> {
    return this.#list(joinPath('channel-kinds'), options);
  }

  /**
   * Sends a real message through one channel, of no customer and at no customer's cost. See `channelTests` for its outcome.
   *
   * @example
   * await operator.testChannel(channelNo, { phone: '13800138000' });
   */
  testChannel(channelNo: string, body: ChannelTestRequest, options: CallOptions = {}): Promise<ChannelTest> {
    return this.#write('POST', joinPath('channels', channelNo, 'tests'), body, 'once', options);
  }

  /**
   * The last hundred test messages of a channel.
   *
   * @example
   * const [last] = (await operator.channelTests(channelNo).page()).items;
   */
  channelTests(channelNo: string, options: OperatorListOptions = {}): Listing<ChannelTest> {
    return this.#list(joinPath('channels', channelNo, 'tests'), options);
  }

  /**
   * The last two hundred events of a channel: when and by whom it was opened, binds, lost and refused sessions.
   *
   * @example
   * for await (const { at, event, detail } of operator.channelEvents(channelNo)) console.log(at, event, detail);
   */
  channelEvents(channelNo: string, options: OperatorListOptions = {}): Listing<ChannelEvent> {
    return this.#list(joinPath('channels', channelNo, 'events'), options);
  }

  /**
   * The message parts of all customers that came to nothing on a channel with one code, newest first: what stands behind a count in
   * `codes` of the platform.
   *
   * @example
   * const refused = { event: 'refused', code: 'ESME_RINVDSTADR' } as const;
   * for await (const { phone, task_no } of operator.channelFailures(channelNo, refused)) console.log(phone, task_no);
   */
  channelFailures(channelNo: string, options: ChannelFailureFilters): Listing<Failure> {
    const { event, code, startAt, endAt } = options;
    const filters = { event, code, start_at: startAt, end_at: endAt };
    return this.#list(joinPath('channels', channelNo, 'failures'), options, filters);
  }

  /**
   * Creates a customer.
   *
   * @example
   * const { customer_no } = await operator.createCustomer({ name: 'Acme', unit_price: '0.05' });
   */
  createCustomer(body: CustomerRequest, options: CallOptions = {}): Promise<Customer> {
    return this.#write('POST', joinPath('customers'), body, 'once', options);
  }

  /**
   * Changes a customer; what is left out stays.
   *
   * @example
   * await operator.updateCustomer(customerNo, { status: 'suspended' });
   */
  updateCustomer(customerNo: string, body: Partial<CustomerRequest>, options: CallOptions = {}): Promise<Customer> {
    return this.#write('PATCH', joinPath('customers', customerNo), body, 'repeatable', options);
  }

  /**
   * One customer and its balance.
   *
   * @example
   * const { account } = await operator.customer(customerNo);
   */
  customer(customerNo: string, options: CallOptions = {}): Promise<Customer> {
    return this.#read(joinPath('customers', customerNo), options);
  }

  /**
   * All customers.
   *
   * @example
   * for await (const { customer_no, name } of operator.customers()) console.log(customer_no, name);
   */
  customers(options: OperatorListOptions = {}): Listing<Customer> {
    return this.#list(joinPath('customers'), options);
  }

  /**
   * A token that reads what the customer can read, for 15 minutes; the audit log names who asked for it.
   *
   * @example
   * const { token: viewToken } = await operator.viewCustomer(customerNo);
   * const tasks = await new PostriderClient({ baseUrl, viewToken }).tasks().page();
   */
  viewCustomer(customerNo: string, options: CallOptions = {}): Promise<CustomerView> {
    return this.#write('POST', joinPath('customers', customerNo, 'views'), undefined, 'once', options);
  }

  /**
   * Creates an API key. The secret is in this answer and in no other.
   *
   * @example
   * const { api_key, api_secret } = await operator.createCredential(customerNo, { ip_allow: ['203.0.113.0/24'] });
   */
  createCredential(
    customerNo: string,
    body: CredentialRequest = {},
    options: CallOptions = {},
  ): Promise<NewCredential> {
    return this.#write('POST', joinPath('customers', customerNo, 'credentials'), body, 'once', options);
  }

  /**
   * Revokes an API key for good.
   *
   * @example
   * await operator.revokeCredential(customerNo, apiKey);
   */
  revokeCredential(customerNo: string, apiKey: string, options: CallOptions = {}): Promise<Credential> {
    return this.#remove(joinPath('customers', customerNo, 'credentials', apiKey), options);
  }

  /**
   * One API key, without its secret.
   *
   * @example
   * const { status } = await operator.credential(customerNo, apiKey);
   */
  credential(customerNo: string, apiKey: string, options: CallOptions = {}): Promise<Credential> {
    return this.#read(joinPath('customers', customerNo, 'credentials', apiKey), options);
  }

  /**
   * API keys of a customer, without their secrets.
   *
   * @example
   * for await (const { api_key } of operator.credentials(customerNo)) console.log(api_key);
   */
  credentials(customerNo: string, options: OperatorListOptions = {}): Listing<Credential> {
    return this.#list(joinPath('customers', customerNo, 'credentials'), options);
  }

  /**
   * Lets a customer use a channel.
   *
   * @example
   * await operator.grantChannel(customerNo, channelNo);
   */
  grantChannel(customerNo: string, channelNo: string, options: CallOptions = {}): Promise<Grant> {
    const body = { channel_no: channelNo };
    return this.#write('POST', joinPath('customers', customerNo, 'grants'), body, 'once', options);
  }

  /**
   * Takes a channel from a customer. What is queued there goes to other granted channels, or waits.
   *
   * @example
   * await operator.revokeGrant(customerNo, channelNo);
   */
  revokeGrant(customerNo: string, channelNo: string, options: CallOptions = {}): Promise<Grant> {
    return this.#remove(joinPath('customers', customerNo, 'grants', channelNo), options);
  }

  /**
   * Channels that a customer may use.
   *
   * @example
   * for await (const { channel_no } of operator.grants(customerNo)) console.log(channel_no);
   */
  grants(customerNo: string, options: OperatorListOptions = {}): Listing<Grant> {
    return this.#list(joinPath('customers', customerNo, 'grants'), options);
  }

  /**
   * Sets a price for one firm.
   *
   * @example
   * await operator.createPrice(customerNo, { firm: 'cmcc', unit_price: '0.045' });
   */
  createPrice(customerNo: string, body: PriceRequest, options: CallOptions = {}): Promise<Price> {
    return this.#write('POST', joinPath('customers', customerNo, 'prices'), body, 'once', options);
  }

  /**
   * Changes the price of one firm.
   *
   * @example
   * await operator.updatePrice(customerNo, 'cmcc', '0.04');
   */
  updatePrice(customerNo: string, firm: string, unitPrice: Decimal, options: CallOptions = {}): Promise<Price> {
    const path = joinPath('customers', customerNo, 'prices', firm);
    return this.#write('PATCH', path, { unit_price: unitPrice }, 'repeatable', options);
  }

  /**
   * Prices of a customer: what applies now and what is to come.
   *
   * @example
   * for await (const { firm, unit_price } of operator.prices(customerNo)) console.log(firm, unit_price);
   */
  prices(customerNo: string, options: OperatorListOptions = {}): Listing<Price> {
    return this.#list(joinPath('customers', customerNo, 'prices'), options);
  }

  /**
   * Says what a part costs us on a channel.
   *
   * @example
   * await operator.createCost(channelNo, { firm: 'cmcc', unit_price: '0.03' });
   */
  createCost(channelNo: string, body: CostRequest, options: CallOptions = {}): Promise<Cost> {
    return this.#write('POST', joinPath('channels', channelNo, 'costs'), body, 'once', options);
  }

  /**
   * Costs of a channel: what applies now and what is to come.
   *
   * @example
   * for await (const { firm, unit_price } of operator.costs(channelNo)) console.log(firm, unit_price);
   */
  costs(channelNo: string, options: OperatorListOptions = {}): Listing<Cost> {
    return this.#list(joinPath('channels', channelNo, 'costs'), options);
  }

  /**
   * Says whether a channel has the signature of a service account on file.
   *
   * @example
   * await operator.setFiling(customerNo, serviceAccountNo, { channel_no: channelNo, status: 'filed' });
   */
  setFiling(
    customerNo: string,
    serviceAccountNo: string,
    body: FilingRequest,
    options: CallOptions = {},
  ): Promise<Filing> {
    const path = joinPath('customers', customerNo, 'service-accounts', serviceAccountNo, 'filings');
    return this.#write('POST', path, body, 'repeatable', options);
  }

  /**
   * Filings of a service account.
   *
   * @example
   * for await (const { channel_no, status } of operator.filings(customerNo, serviceAccountNo)) console.log(channel_no, status);
   */
  filings(customerNo: string, serviceAccountNo: string, options: OperatorListOptions = {}): Listing<Filing> {
    return this.#list(joinPath('customers', customerNo, 'service-accounts', serviceAccountNo, 'filings'), options);
  }

  /**
   * Whether channels are held because the database may have lost commits, and what may have been sent.
   *
   * @example
   * const { state, under_way } = await operator.recovery();
   */
  recovery(options: CallOptions = {}): Promise<Recovery> {
    return this.#read(joinPath('recovery'), options);
  }

  /**
   * Releases channels that are held. Changes nothing where they are not.
   *
   * @example
   * const { marked_numbers } = await operator.releaseChannels({ unsent: 'unknown', remark: 'Compared with the carrier' });
   */
  releaseChannels(body: ReleaseRequest, options: CallOptions = {}): Promise<Release> {
    return this.#write('POST', joinPath('recovery', 'release'), body, 'repeatable', options);
  }

  /**
   * Erases a phone number from the records of all customers. It is done in the background: `erasure` shows how far it is.
   *
   * @example
   * const { erasure_no } = await operator.createErasure({ phone: '13800138000', remark: 'Request 4711' });
   */
  createErasure(body: ErasureRequest, options: CallOptions = {}): Promise<Erasure> {
    return this.#write('POST', joinPath('erasures'), body, 'once', options);
  }

  /**
   * One erasure, with what was replaced so far.
   *
   * @example
   * const { status, counts } = await operator.erasure(erasureNo);
   */
  erasure(erasureNo: string, options: CallOptions = {}): Promise<Erasure> {
    return this.#read(joinPath('erasures', erasureNo), options);
  }

  /**
   * Erasures, newest first.
   *
   * @example
   * for await (const { erasure_no, status } of operator.erasures()) console.log(erasure_no, status);
   */
  erasures(options: OperatorListOptions = {}): Listing<Erasure> {
    return this.#list(joinPath('erasures'), options);
  }

  /**
   * Blocks words in texts of one customer, or of all.
   *
   * @example
   * const { blocked_word_no } = await operator.addBlockedWords({ words: ['lottery'] });
   */
  addBlockedWords(body: BlockedWordsRequest, options: CallOptions = {}): Promise<BlockedWords> {
    return this.#write('POST', joinPath('blocked-words'), body, 'once', options);
  }

  /**
   * Allows words again.
   *
   * @example
   * await operator.removeBlockedWords(blockedWordNo);
   */
  removeBlockedWords(blockedWordNo: string, options: CallOptions = {}): Promise<BlockedWords> {
    return this.#remove(joinPath('blocked-words', blockedWordNo), options);
  }

  /**
   * Blocked words.
   *
   * @example
   * for await (const { words } of operator.blockedWords()) console.log(words);
   */
  blockedWords(options: OperatorListOptions = {}): Listing<BlockedWords> {
    return this.#list(joinPath('blocked-words'), options);
  }

  /**
   * What was rejected for blocked words, by task and word.
   *
   * @example
   * for await (const { task_no, word } of operator.blockedContent()) console.log(task_no, word);
   */
  blockedContent(options: OperatorListOptions = {}): Listing<BlockedContent> {
    return this.#list(joinPath('blocked-content'), options);
  }

  /**
   * Why a number would go where it would go with a template, or nowhere.
   *
   * @example
   * const { firm, channels } = await operator.explainRoute('13800138000', templateNo);
   */
  async explainRoute(phone: string, templateNo: string, options: CallOptions = {}): Promise<RouteExplanation> {
    const query = { template_no: templateNo };
    const call: Call = { ...options, method: 'GET', path: joinPath('numbers', phone, 'route'), query };
    return (await this.#transport.call(call, 'repeatable')).value as RouteExplanation;
  }

  /**
   * Numbers, charges, costs and margin over all customers, in whole hours.
   *
   * @example
   * const { items } = await operator.statistics({ by: 'customer', startAt: new Date('2026-11-01T00:00:00Z') });
   */
  async statistics({ by, startAt, endAt, ...options }: OperatorStatisticsFilters = {}): Promise<{
    items: OperatorStatistic[];
  }> {
    const query = { by, start_at: startAt, end_at: endAt };
    const call: Call = { ...options, method: 'GET', path: joinPath('statistics'), query };
    return (await this.#transport.call(call, 'repeatable')).value as { items: OperatorStatistic[] };
  }

  /**
   * Creates a sender.
   *
   * @example
   * const { service_account_no } = await operator.createServiceAccount(customerNo, { name: 'alerts', sender: '10690001' });
   */
  createServiceAccount(
    customerNo: string,
    body: ServiceAccountRequest,
    options: CallOptions = {},
  ): Promise<ServiceAccount> {
    return this.#write('POST', joinPath('customers', customerNo, 'service-accounts'), body, 'once', options);
  }

  /**
   * Changes a sender; what is left out stays.
   *
   * @example
   * await operator.updateServiceAccount(customerNo, serviceAccountNo, { status: 'disabled' });
   */
  updateServiceAccount(
    customerNo: string,
    serviceAccountNo: string,
    body: Partial<ServiceAccountRequest>,
    options: CallOptions = {},
  ): Promise<ServiceAccount> {
    const path = joinPath('customers', customerNo, 'service-accounts', serviceAccountNo);
    return this.#write('PATCH', path, body, 'repeatable', options);
  }

  /**
   * One sender.
   *
   * @example
   * const { sender } = await operator.serviceAccount(customerNo, serviceAccountNo);
   */
  serviceAccount(customerNo: string, serviceAccountNo: string, options: CallOptions = {}): Promise<ServiceAccount> {
    return this.#read(joinPath('customers', customerNo, 'service-accounts', serviceAccountNo), options);
  }

  /**
   * Senders of a customer.
   *
   * @example
   * for await (const { name, sender } of operator.serviceAccounts(customerNo)) console.log(name, sender);
   */
  serviceAccounts(customerNo: string, options: OperatorListOptions = {}): Listing<ServiceAccount> {
    return this.#list(joinPath('customers', customerNo, 'service-accounts'), options);
  }

  /**
   * Creates a template. `{p1}` to `{p18}` stand for variables.
   *
   * @example
   * const body = 'Hello {p1}';
   * const template = await operator.createTemplate(customerNo, { name: 'welcome', body, service_account_no: serviceAccountNo });
   */
  createTemplate(customerNo: string, body: TemplateRequest, options: CallOptions = {}): Promise<Template> {
    return this.#write('POST', joinPath('customers', customerNo, 'templates'), body, 'once', options);
  }

  /**
   * Shows what a text would look like on a handset, and how many parts it takes. Stores nothing.
   *
   * @example
   * const { text, parts } = await operator.previewTemplate({ body: 'Hello {p1}', variable_values: { p1: 'Ann' } });
   */
  previewTemplate(body: TemplateDraft, options: CallOptions = {}): Promise<TemplatePreview> {
    return this.#write('POST', joinPath('templates', 'preview'), body, 'repeatable', options);
  }

  /**
   * Changes a template; what is left out stays. Tasks that were accepted keep their text.
   *
   * @example
   * await operator.updateTemplate(customerNo, templateNo, { status: 'disabled' });
   */
  updateTemplate(
    customerNo: string,
    templateNo: string,
    body: Partial<TemplateRequest>,
    options: CallOptions = {},
  ): Promise<Template> {
    const path = joinPath('customers', customerNo, 'templates', templateNo);
    return this.#write('PATCH', path, body, 'repeatable', options);
  }

  /**
   * One template.
   *
   * @example
   * const { body, firms } = await operator.template(customerNo, templateNo);
   */
  template(customerNo: string, templateNo: string, options: CallOptions = {}): Promise<Template> {
    return this.#read(joinPath('customers', customerNo, 'templates', templateNo), options);
  }

  /**
   * Templates of a customer.
   *
   * @example
   * for await (const { template_no, name } of operator.templates(customerNo)) console.log(template_no, name);
   */
  templates(customerNo: string, options: TemplateFilters = {}): Listing<Template> {
    const { class: ofClass, status } = options;
    return this.#list(joinPath('customers', customerNo, 'templates'), options, { class: ofClass, status });
  }

  /**
   * Templates that wait for review, oldest first.
   *
   * @example
   * for await (const { customer_name, example } of operator.reviews()) console.log(customer_name, example.text);
   */
  reviews(options: ReviewFilters = {}): Listing<Review> {
    const { customerNo: customer_no, class: ofClass } = options;
    return this.#list(joinPath('reviews'), options, { customer_no, class: ofClass });
  }

  /**
   * Approves or rejects a template that waits for review. The same decision again changes nothing.
   *
   * @example
   * await operator.reviewTemplate(customerNo, templateNo, { decision: 'rejected', reason: 'Name the sender.', revision: 1 });
   */
  reviewTemplate(
    customerNo: string,
    templateNo: string,
    body: ReviewRequest,
    options: CallOptions = {},
  ): Promise<Template> {
    const path = joinPath('customers', customerNo, 'templates', templateNo, 'review');
    return this.#write('POST', path, body, 'repeatable', options);
  }

  /**
   * Adds money. Give a reference of your own, and repeating it books nothing twice, also after a crash of your program.
   *
   * @example
   * await operator.topUp(customerNo, { amount: '100.00', remark: 'bank transfer', reference: 'pay-4711' });
   */
  topUp(customerNo: string, body: MoneyRequest, options: CallOptions = {}): Promise<LedgerEntry> {
    return this.#moveMoney(joinPath('customers', customerNo, 'topups'), body, options);
  }

  /**
   * Top-ups of a customer.
   *
   * @example
   * for await (const { amount, created_at } of operator.topUps(customerNo)) console.log(created_at, amount);
   */
  topUps(customerNo: string, options: OperatorListOptions = {}): Listing<LedgerEntry> {
    return this.#list(joinPath('customers', customerNo, 'topups'), options);
  }

  /**
   * Corrects a balance, up or down.
   *
   * @example
   * await operator.adjust(customerNo, { amount: '-5.00', remark: 'refund by bank', reference: 'fix-12' });
   */
  adjust(customerNo: string, body: MoneyRequest, options: CallOptions = {}): Promise<LedgerEntry> {
    return this.#moveMoney(joinPath('customers', customerNo, 'adjustments'), body, options);
  }

  /**
   * Corrections of a customer's balance.
   *
   * @example
   * for await (const { amount, remark } of operator.adjustments(customerNo)) console.log(amount, remark);
   */
  adjustments(customerNo: string, options: OperatorListOptions = {}): Listing<LedgerEntry> {
    return this.#list(joinPath('customers', customerNo, 'adjustments'), options);
  }

  /**
   * Never sends to a number again for this customer.
   *
   * @example
   * await operator.addOptOut(customerNo, '+8613800139009');
   */
  addOptOut(customerNo: string, phone: string, options: CallOptions = {}): Promise<OptOut> {
    return this.#write('POST', joinPath('customers', customerNo, 'opt-outs'), { phone }, 'once', options);
  }

  /**
   * Allows a number again.
   *
   * @example
   * await operator.removeOptOut(customerNo, '+8613800139009');
   */
  removeOptOut(customerNo: string, phone: string, options: CallOptions = {}): Promise<OptOut> {
    return this.#remove(joinPath('customers', customerNo, 'opt-outs', phone), options);
  }

  /**
   * Numbers that opted out of a customer.
   *
   * @example
   * for await (const { phone } of operator.optOuts(customerNo)) console.log(phone);
   */
  optOuts(customerNo: string, options: CustomerOptOutFilters = {}): Listing<OptOut> {
    return this.#list(joinPath('customers', customerNo, 'opt-outs'), options, { phone: options.phone });
  }

  /**
   * Exempts a number from the caps of a customer.
   *
   * @example
   * await operator.addCapExemption(customerNo, '+8613800139009');
   */
  addCapExemption(customerNo: string, phone: string, options: CallOptions = {}): Promise<CapExemption> {
    return this.#write('POST', joinPath('customers', customerNo, 'cap-exemptions'), { phone }, 'once', options);
  }

  /**
   * Applies the caps of a customer to a number again.
   *
   * @example
   * await operator.removeCapExemption(customerNo, '+8613800139009');
   */
  removeCapExemption(customerNo: string, phone: string, options: CallOptions = {}): Promise<CapExemption> {
    return this.#remove(joinPath('customers', customerNo, 'cap-exemptions', phone), options);
  }

  /**
   * Numbers that no cap of a customer applies to.
   *
   * @example
   * for await (const { phone } of operator.capExemptions(customerNo)) console.log(phone);
   */
  capExemptions(customerNo: string, options: CustomerOptOutFilters = {}): Listing<CapExemption> {
    return this.#list(joinPath('customers', customerNo, 'cap-exemptions'), options, { phone: options.phone });
  }

  /**
   * Moves a task of any customer on: `prepare`, `freeze`, `submit`, `cancel`, `pause` or `resume`. Harmless when repeated.
   *
   * @example
   * await operator.moveTask(taskNo, 'submit');
   */
  moveTask(taskNo: string, move: TaskMove, options: CallOptions = {}): Promise<OperatorTaskDetail> {
    return this.#write('POST', joinPath('tasks', taskNo, move), undefined, 'repeatable', options);
  }

  /**
   * Records the outcome of numbers whose acceptance upstream is unknown; all of them, unless `seqs` names some.
   *
   * @example
   * await operator.resolveTask(taskNo, { outcome: 'not_accepted', remark: 'carrier ticket 4711' });
   */
  resolveTask(taskNo: string, body: ResolveRequest, options: CallOptions = {}): Promise<OperatorTaskDetail> {
    return this.#write('POST', joinPath('tasks', taskNo, 'resolve'), body, 'repeatable', options);
  }

  /**
   * One task of any customer.
   *
   * @example
   * const { customer_no, stage } = await operator.task(taskNo);
   */
  task(taskNo: string, options: CallOptions = {}): Promise<OperatorTaskDetail> {
    return this.#read(joinPath('tasks', taskNo), options);
  }

  /**
   * Tasks of all customers, or of one, newest first.
   *
   * @example
   * for await (const { task_no } of operator.tasks({ customerNo, stage: 'submit_unknown' })) console.log(task_no);
   */
  tasks(options: OperatorTaskFilters = {}): Listing<OperatorTask> {
    const { customerNo, stage, clientRequestId, startAt, endAt } = options;
    return this.#list(joinPath('tasks'), options, {
      customer_no: customerNo,
      stage,
      client_request_id: clientRequestId,
      class: options.class,
      start_at: startAt,
      end_at: endAt,
    });
  }

  /**
   * Creates an operator; the token is shown this once.
   *
   * @example
   * const { token } = await operator.createOperator({ name: 'Ann', role: 'support' });
   */
  createOperator(body: OperatorRequest, options: CallOptions = {}): Promise<NewOperator> {
    return this.#write('POST', joinPath('operators'), body, 'once', options);
  }

  /**
   * Changes the role of an operator.
   *
   * @example
   * await operator.updateOperator(operatorNo, { role: 'viewer' });
   */
  updateOperator(operatorNo: string, body: Partial<OperatorRequest>, options: CallOptions = {}): Promise<Operator> {
    return this.#write('PATCH', joinPath('operators', operatorNo), body, 'repeatable', options);
  }

  /**
   * Removes an operator for good; their token is refused from then on.
   *
   * @example
   * await operator.removeOperator(operatorNo);
   */
  removeOperator(operatorNo: string, options: CallOptions = {}): Promise<Operator> {
    return this.#remove(joinPath('operators', operatorNo), options);
  }

  /**
   * One operator.
   *
   * @example
   * const { name, role } = await operator.operator(operatorNo);
   */
  operator(operatorNo: string, options: CallOptions = {}): Promise<Operator> {
    return this.#read(joinPath('operators', operatorNo), options);
  }

  /**
   * Operators, without their tokens.
   *
   * @example
   * for await (const { name, role } of operator.operators({ status: 'active' })) console.log(name, role);
   */
  operators(options: OperatorFilters = {}): Listing<Operator> {
    return this.#list(joinPath('operators'), options, { status: options.status });
  }

  /**
   * Users of the operator's side, newest first.
   *
   * @example
   * for await (const { email, role } of operator.users({ status: 'active' })) console.log(email, role);
   */
  users(options: UserFilters = {}): Listing<OperatorUser> {
    return this.#list(joinPath('users'), options, { status: options.status });
  }

  /**
   * One user of the operator's side.
   *
   * @example
   * const { name, role } = await operator.user(userNo);
   */
  user(userNo: string, options: CallOptions = {}): Promise<OperatorUser> {
    return this.#read(joinPath('users', userNo), options);
  }

  /**
   * Invites a user of the operator's side. The link is shown this once.
   *
   * @example
   * const { invitation_url } = await operator.createUser({ email: 'ann@example.com', name: 'Ann', role: 'support' });
   */
  createUser(body: OperatorUserRequest, options: CallOptions = {}): Promise<NewOperatorUser> {
    return this.#write('POST', joinPath('users'), body, 'once', options);
  }

  /**
   * Creates a new invitation link, for a lost link or a forgotten password.
   *
   * @example
   * const { invitation_url } = await operator.inviteUser(userNo);
   */
  inviteUser(userNo: string, options: CallOptions = {}): Promise<NewOperatorUser> {
    return this.#write('POST', joinPath('users', userNo, 'invitation'), undefined, 'once', options);
  }

  /**
   * Changes the name, role or status of a user of the operator's side.
   *
   * @example
   * await operator.updateUser(userNo, { role: 'viewer' });
   */
  updateUser(userNo: string, body: OperatorUserChange, options: CallOptions = {}): Promise<OperatorUser> {
    return this.#write('PATCH', joinPath('users', userNo), body, 'repeatable', options);
  }

  /**
   * Removes a user of the operator's side. This can't be undone.
   *
   * @example
   * await operator.removeUser(userNo);
   */
  removeUser(userNo: string, options: CallOptions = {}): Promise<OperatorUser> {
    return this.#remove(joinPath('users', userNo), options);
  }

  /**
   * Users of a customer, newest first.
   *
   * @example
   * for await (const { email, role } of operator.customerUsers(customerNo)) console.log(email, role);
   */
  customerUsers(customerNo: string, options: UserFilters = {}): Listing<CustomerUser> {
    return this.#list(joinPath('customers', customerNo, 'users'), options, { status: options.status });
  }

  /**
   * One user of a customer.
   *
   * @example
   * const { name, role } = await operator.customerUser(customerNo, userNo);
   */
  customerUser(customerNo: string, userNo: string, options: CallOptions = {}): Promise<CustomerUser> {
    return this.#read(joinPath('customers', customerNo, 'users', userNo), options);
  }

  /**
   * Invites a user of a customer. The link is shown this once.
   *
   * @example
   * const { invitation_url } = await operator.createCustomerUser(customerNo, { email, name: 'Ann', role: 'admin' });
   */
  createCustomerUser(
    customerNo: string,
    body: CustomerUserRequest,
    options: CallOptions = {},
  ): Promise<NewCustomerUser> {
    return this.#write('POST', joinPath('customers', customerNo, 'users'), body, 'once', options);
  }

  /**
   * Creates a new invitation link for a user of a customer.
   *
   * @example
   * const { invitation_url } = await operator.inviteCustomerUser(customerNo, userNo);
   */
  inviteCustomerUser(customerNo: string, userNo: string, options: CallOptions = {}): Promise<NewCustomerUser> {
    const path = joinPath('customers', customerNo, 'users', userNo, 'invitation');
    return this.#write('POST', path, undefined, 'once', options);
  }

  /**
   * Changes the name, role or status of a user of a customer.
   *
   * @example
   * await operator.updateCustomerUser(customerNo, userNo, { status: 'disabled' });
   */
  updateCustomerUser(
    customerNo: string,
    userNo: string,
    body: CustomerUserChange,
    options: CallOptions = {},
  ): Promise<CustomerUser> {
    return this.#write('PATCH', joinPath('customers', customerNo, 'users', userNo), body, 'repeatable', options);
  }

  /**
   * Removes a user of a customer. This can't be undone.
   *
   * @example
   * await operator.removeCustomerUser(customerNo, userNo);
   */
  removeCustomerUser(customerNo: string, userNo: string, options: CallOptions = {}): Promise<CustomerUser> {
    return this.#remove(joinPath('customers', customerNo, 'users', userNo), options);
  }

  /**
   * Whose token this is, and what it may do.
   *
   * @example
   * const { name, permissions } = await operator.identity();
   */
  identity(options: CallOptions = {}): Promise<Identity> {
    return this.#read(joinPath('me'), options);
  }

  /**
   * Every change by an operator: who, when, what.
   *
   * @example
   * const { items } = await operator.auditLog({ subject: customerNo }).page();
   */
  auditLog(options: AuditFilters = {}): Listing<AuditEntry> {
    const { actor, action, subject, startAt, endAt } = options;
    return this.#list(joinPath('audit'), options, { actor, action, subject, start_at: startAt, end_at: endAt });
  }

  /**
   * What could not be done and is tried again, of all customers, each with the error of its last try.
   *
   * @example
   * for await (const { task_no, reason } of operator.setAside()) console.log(task_no, reason);
   */
  setAside(options: OperatorListOptions = {}): Listing<SetAside> {
    return this.#list(joinPath('set-aside'), options);
  }

  /**
   * Message parts of which it is not known whether the upstream accepted them, of all customers.
   *
   * @example
   * for await (const { task_no, seq } of operator.unknownParts({ channelNo })) {
   *   await operator.resolveTask(task_no, { outcome: 'not_accepted', seqs: [seq] });
   * }
   */
  unknownParts(options: UnknownFilters = {}): Listing<UnknownPart> {
    const { customerNo, channelNo } = options;
    return this.#list(joinPath('unknown'), options, { customer_no: customerNo, channel_no: channelNo });
  }

  /**
   * Creates a webhook of a customer. The secret is shown this once.
   *
   * @example
   * const { secret } = await operator.createCustomerWebhook(customerNo, { url, events: ['receipts'] });
   */
  createCustomerWebhook(customerNo: string, body: WebhookRequest, options: CallOptions = {}): Promise<NewWebhook> {
    return this.#write('POST', joinPath('customers', customerNo, 'webhooks'), body, 'once', options);
  }

  /**
   * The webhooks of a customer.
   *
   * @example
   * for await (const { url, status } of operator.customerWebhooks(customerNo)) console.log(url, status);
   */
  customerWebhooks(customerNo: string, options: OperatorListOptions = {}): Listing<Webhook> {
    return this.#list(joinPath('customers', customerNo, 'webhooks'), options);
  }

  /**
   * One webhook of a customer.
   *
   * @example
   * const { disabled_reason } = await operator.customerWebhook(customerNo, webhookNo);
   */
  customerWebhook(customerNo: string, webhookNo: string, options: CallOptions = {}): Promise<Webhook> {
    return this.#read(joinPath('customers', customerNo, 'webhooks', webhookNo), options);
  }

  /**
   * Changes a webhook of a customer; what is left out stays.
   *
   * @example
   * await operator.updateCustomerWebhook(customerNo, webhookNo, { status: 'disabled' });
   */
  updateCustomerWebhook(
    customerNo: string,
    webhookNo: string,
    body: Partial<WebhookRequest>,
    options: CallOptions = {},
  ): Promise<Webhook> {
    return this.#write('PATCH', joinPath('customers', customerNo, 'webhooks', webhookNo), body, 'repeatable', options);
  }

  /**
   * Deletes a webhook of a customer for good.
   *
   * @example
   * await operator.deleteCustomerWebhook(customerNo, webhookNo);
   */
  deleteCustomerWebhook(customerNo: string, webhookNo: string, options: CallOptions = {}): Promise<Webhook> {
    return this.#remove(joinPath('customers', customerNo, 'webhooks', webhookNo), options);
  }

  /**
   * Gives a webhook of a customer a new secret; the old one signs along for 24 hours.
   *
   * @example
   * const { secret } = await operator.rotateCustomerWebhook(customerNo, webhookNo);
   */
  rotateCustomerWebhook(customerNo: string, webhookNo: string, options: CallOptions = {}): Promise<NewWebhook> {
    return this.#write(
      'POST',
      joinPath('customers', customerNo, 'webhooks', webhookNo, 'rotate'),
      undefined,
      'once',
      options,
    );
  }

  /**
   * Sends a test message to a webhook of a customer and says what came of it.
   *
   * @example
   * const { status, error } = await operator.testCustomerWebhook(customerNo, webhookNo);
   */
  testCustomerWebhook(customerNo: string, webhookNo: string, options: CallOptions = {}): Promise<WebhookAttempt> {
    return this.#write(
      'POST',
      joinPath('customers', customerNo, 'webhooks', webhookNo, 'test'),
      undefined,
      'once',
      options,
    );
  }

  /**
   * Tells a webhook of a customer everything again since a time.
   *
   * @example
   * await operator.replayCustomerWebhook(customerNo, webhookNo, '2026-11-14T12:00:00Z');
   */
  replayCustomerWebhook(
    customerNo: string,
    webhookNo: string,
    from: Date | string | number,
    options: CallOptions = {},
  ): Promise<Webhook> {
    const path = joinPath('customers', customerNo, 'webhooks', webhookNo, 'replay');
    return this.#write('POST', path, { from }, 'repeatable', options);
  }

  /**
   * Sends the message of an attempt once more and says what came of it.
   *
   * @example
   * const { status, error } = await operator.resendCustomerWebhookAttempt(customerNo, webhookNo, attempt.id);
   */
  resendCustomerWebhookAttempt(
    customerNo: string,
    webhookNo: string,
    id: number,
    options: CallOptions = {},
  ): Promise<WebhookAttempt> {
    const path = joinPath('customers', customerNo, 'webhooks', webhookNo, 'attempts', String(id), 'resend');
    return this.#write('POST', path, undefined, 'once', options);
  }

  /**
   * The last hundred calls to a webhook of a customer, newest first.
   *
   * @example
   * for await (const { at, error } of operator.customerWebhookAttempts(customerNo, webhookNo)) console.log(at, error);
   */
  customerWebhookAttempts(
    customerNo: string,
    webhookNo: string,
    options: OperatorListOptions = {},
  ): Listing<WebhookAttempt> {
    return this.#list(joinPath('customers', customerNo, 'webhooks', webhookNo, 'attempts'), options);
  }

  /**
   * The customers that sent to a number or got replies from it, in any spelling, each with the last thing that happened. Each
   * call is in the audit log.
   *
   * @example
   * for await (const { name, status, at } of operator.numberCustomers('+49 1511 2345678')) console.log(name, status, at);
   */
  numberCustomers(phone: string, options: OperatorListOptions = {}): Listing<NumberCustomer> {
    return this.#list(joinPath('numbers', phone, 'customers'), options);
  }

  /**
   * Delivery reports that match no message part.
   *
   * @example
   * const { items } = await operator.keptReports({ channelNo }).page();
   */
  keptReports(options: KeptReportFilters = {}): Listing<KeptReport> {
    return this.#list(joinPath('kept-reports'), options, { channel_no: options.channelNo });
  }

  /**
   * Inbound messages to addresses that no service account has.
   *
   * @example
   * for await (const { content } of operator.unclaimedUplinks()) console.log(content);
   */
  unclaimedUplinks(options: OperatorListOptions = {}): Listing<UnclaimedUplink> {
    return this.#list(joinPath('unclaimed-uplinks'), options);
  }

  /** Any call of the operator API: for what this client has no method for. */
  async request<Result>(call: Call): Promise<Result> {
    return (await this.#transport.call(call, call.method === 'GET' ? 'repeatable' : 'once')).value as Result;
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

  #moveMoney(path: string, body: MoneyRequest, options: CallOptions): Promise<LedgerEntry> {
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
