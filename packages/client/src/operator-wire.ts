// The operator's side of the wire, spelled as it travels.

import type { MessageClass } from './message-classes.js';
import type {
  BillingMode,
  ChargeOn,
  Decimal,
  DeliveryStatus,
  LedgerEntry,
  TaskDetail,
  Timestamp,
  VariableName,
} from './wire.js';

export type Status = 'active' | 'disabled';
export type CustomerStatus = 'active' | 'suspended';
export type CredentialStatus = 'active' | 'revoked';
export type PolicyChoice = 'by_request' | 'always' | 'manual';

type Given<Value> = Value extends (infer Item)[] ? readonly Item[] : Value;
type GivenFields<Entity> = { readonly [Name in keyof Entity]: Given<Entity[Name]> };

/**
 * What something of the configuration is created with: the fields it then has, under the same names, without those that the
 * service makes. Only the required ones have no default.
 */
type RequestOf<Entity, Required extends keyof Entity, Made extends keyof Entity = never> = GivenFields<
  Pick<Entity, Required>
> &
  Partial<GivenFields<Omit<Entity, Required | Made | 'created_at' | 'updated_at'>>>;

export type FirmRequest = RequestOf<Firm, 'firm'>;

export interface Firm {
  firm: string;
  /** For people; the firm itself unless given. */
  name: string;
  /** E.164 prefixes; empty: any number. */
  prefixes: string[];
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** One of `channelKinds()`, such as `smpp`. */
export type ChannelKind = string;

export type ChannelRequest = RequestOf<Channel, 'name' | 'kind' | 'firms', 'channel_no' | 'health' | 'callbacks'>;

export interface ChannelHealth {
  state: 'up' | 'degraded' | 'down';
  sessions: number;
  detail: string | null;
  /** The process that speaks for the channel; null when none does. */
  owner: string | null;
  since: Timestamp | null;
}

export interface Channel {
  channel_no: string;
  name: string;
  kind: ChannelKind;
  firms: string[];
  status: Status;
  parts_per_second: number | null;
  /** Refusals after which a number goes to the next channel of its firm. */
  failover_codes: string[];
  /** Carries only what is filed with it. */
  requires_filing: boolean;
  /** Settings of its kind. Comes back without its secret fields, which are never shown again. */
  config: Record<string, unknown>;
  health: ChannelHealth;
  /** Paths that the upstream calls, with their token; null for kinds that have none. */
  callbacks: { reports: string | null; uplinks: string | null } | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** A kind of channels, with the fields of its `config`. */
export interface ChannelKindDescription {
  kind: ChannelKind;
  name: string;
  name_zh: string;
  fields: ChannelKindField[];
}

/** One field of the `config` of a kind. Limits that it does not have are null. */
export interface ChannelKindField {
  name: string;
  label: string;
  /** `choice`: one of `choices`. `strings`, `integers`: an array of them. `json`: any JSON. */
  type: 'string' | 'integer' | 'number' | 'boolean' | 'choice' | 'strings' | 'integers' | 'json';
  /** Whether a new channel must have it. */
  required: boolean;
  /** What holds when it is left out; null: nothing. */
  default: unknown;
  /** Stored sealed and never shown again. */
  secret: boolean;
  description: string;
  description_zh: string;
  choices: (string | boolean)[] | null;
  minimum: number | null;
  maximum: number | null;
  max_length: number | null;
  max_items: number | null;
}

export interface ChannelTestRequest {
  readonly phone: string;
  /** Of one message part. */
  readonly text?: string;
  /** The address it comes from; the channel's own where it has one. */
  readonly sender?: string;
}

/** A message sent through one channel to see whether it works. */
export interface ChannelTest {
  test_no: string;
  phone: string;
  sender: string;
  text: string;
  /** `not_sent`: no process took it up within a minute, or the upstream turned it away for now. */
  status: 'queued' | 'sending' | 'accepted' | 'rejected' | 'unknown' | 'not_sent';
  code: string | null;
  upstream_message_id: string | null;
  report: { status: DeliveryStatus; code: string; received_at: Timestamp } | null;
  created_by: string;
  created_at: Timestamp;
  submitted_at: Timestamp | null;
  answered_at: Timestamp | null;
}

/** Something that became of a channel or one of its sessions. */
export interface ChannelEvent {
  event_no: number;
  at: Timestamp;
  owner: string;
  event: 'opened' | 'bound' | 'down' | 'closed' | 'left_out';
  detail: string;
}

/** What waits, and since when the oldest of it does. */
interface Waiting {
  /** False where more wait than are counted, or of more customers. */
  is_exact: boolean;
  oldest_at: Timestamp | null;
}

/** A code of an upstream that came with something that did not go well. */
export interface CodeCount {
  event: 'refused' | 'throttled' | 'unknown' | 'undelivered' | 'expired' | 'rejected';
  code: string;
  count: number;
  last_at: Timestamp;
}

/** What leaves a record of the part it is about: what is throttled goes again. */
export type FailureEvent = Exclude<CodeCount['event'], 'throttled'>;

/** A message part that came to nothing on a channel. */
export interface Failure {
  event: FailureEvent;
  code: string;
  customer_no: string | null;
  task_no: string;
  seq: number;
  part: number;
  parts: number;
  /** As the customer wrote it. */
  phone: string;
  firm: string;
  upstream_message_id: string | null;
  /** When the part was put on the wire; of a report, when it came. */
  at: Timestamp;
}

export interface PlatformChannel {
  channel_no: string;
  name: string;
  kind: ChannelKind;
  status: Status;
  health: ChannelHealth;
  lease: { token: number; expires_at: Timestamp } | null;
  window: { in_flight: number; size: number } | null;
  rate: {
    /** Null: no limit. */
    configured: number | null;
    /** What the channel holds itself to now. */
    pace: number | null;
    parts_per_second: number;
    reports_per_second: number;
  };
  queue: Waiting & { parts: number };
  /** By the process that owns the channel, since it first did. */
  counted: {
    since: Timestamp;
    at: Timestamp;
    accepted: number;
    refused: number;
    throttled: number;
    unknown: number;
    unsent: number;
    reports: number;
  } | null;
  codes: CodeCount[];
}

/** A process of the service. */
export interface PlatformNode {
  node: string;
  roles: string[];
  version: string;
  started_at: Timestamp;
  seen_at: Timestamp;
  is_alive: boolean;
  channels: number;
  requests: number;
  requests_in_flight: number;
  sends_waiting: number;
  memory_bytes: number;
  /** Parts that an upstream answered or reported and that the database no longer knew to be sent. */
  lost_commits: number;
  lag_ms: number;
}

/** How far to look back. */
export type PlatformRange = '15m' | '1h' | '6h' | '24h';

/** What went through all channels over time. */
export interface PlatformHistory {
  at: Timestamp;
  range: PlatformRange;
  /** How much time an item covers. */
  step_seconds: number;
  /** The oldest first; a time in which no channel was open is missing. */
  items: {
    /** When its time begins. */
    at: Timestamp;
    accepted: number;
    refused: number;
    throttled: number;
    unknown: number;
    reports: number;
  }[];
}

/** The platform as it is now. */
export interface Platform {
  at: Timestamp;
  to_prepare: Waiting & { tasks: number };
  channels: PlatformChannel[];
  nodes: PlatformNode[];
  /** The last proof that every account stands where its last ledger entry left it. */
  books: { imbalances: number; checked_at: Timestamp } | null;
}

/** Whether a step is taken as the request says, for every task, or by hand only. */
export interface Policy {
  prepare: PolicyChoice;
  freeze: PolicyChoice;
  submit: PolicyChoice;
}

export interface CustomerRequest
  extends RequestOf<Omit<Customer, 'policy'>, 'name' | 'unit_price', 'customer_no' | 'account'> {
  readonly policy?: Partial<Policy>;
}

export interface Customer {
  customer_no: string;
  name: string;
  status: CustomerStatus;
  currency: string;
  billing_mode: BillingMode;
  credit_limit: Decimal;
  charge_on: ChargeOn;
  refund_on_failure: boolean;
  /** Of one message part; `"0"` lets the customer send for nothing. */
  unit_price: Decimal;
  policy: Policy;
  /** What may be frozen in one UTC day; null: no limit. */
  daily_limit: Decimal | null;
  /** Warns when the available balance falls below this; null: never. */
  low_balance: Decimal | null;
  requests_per_second: number;
  /** Tasks, numbers and MiB that may wait to be sent; a send above one of them is answered 429. */
  waiting_tasks_limit: number;
  waiting_numbers_limit: number;
  waiting_mebibytes_limit: number;
  /** When messages of a class may be handed over; a class without windows always may. */
  send_windows: SendWindow[];
  /** Of the months, days and hours of statements and statistics. */
  billing_time_zone: string;
  /** How often a number may be sent to. */
  caps: Cap[];
  /** On a cluster, the group of customers whose rows lie together; the one with the fewest unless given. 0 on one PostgreSQL. */
  bucket: number;
  account: { available: Decimal; frozen: Decimal };
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface Cap {
  /** Null: messages of every class, together. */
  class: MessageClass | null;
  scope: 'template' | 'customer';
  count: number;
  /** Rolling, such as `60s`, `1h` or `24h`. */
  per: string;
}

export interface SendWindow {
  class: MessageClass;
  /** `HH:MM` by the clock of the time zone. */
  from: string;
  /** Exclusive; earlier than `from`: on the next day. */
  to: string;
  time_zone: string;
  /** On which it begins: 1 for Monday to 7 for Sunday. */
  days: number[];
  outside: 'hold' | 'reject';
}

/** What a customer sees, for a while and without being able to change it. */
export interface CustomerView {
  customer_no: string;
  name: string;
  /** What `PostriderClient` takes as `viewToken`. Shown this once. */
  token: string;
  expires_at: Timestamp;
}

/** What a key may be used for. */
export type Scope = 'send' | 'read' | 'finance' | 'webhooks' | 'admin' | 'masked';

export interface CredentialRequest {
  /** What the key is for. */
  readonly name?: string | null;
  /** Addresses and networks that may call with it; empty: any. */
  readonly ip_allow?: readonly string[];
  /** What it may be used for; without it, all but `admin`. */
  readonly scopes?: readonly Scope[];
  /** The key is refused from this time on; RFC 3339 with an offset. */
  readonly expires_at?: string | null;
}

export interface Credential {
  api_key: string;
  name: string | null;
  ip_allow: string[];
  scopes: Scope[];
  expires_at: Timestamp | null;
  status: CredentialStatus;
  created_at: Timestamp;
  revoked_at: Timestamp | null;
  /** To the minute. */
  last_used_at: Timestamp | null;
}

/** The secret is shown this once. */
export interface NewCredential extends Credential {
  api_secret: string;
}

/** A key that a customer created: `secret` and `api_secret` are the same, shown this once. */
export interface NewOwnCredential extends NewCredential {
  secret: string;
}

export interface Grant {
  channel_no: string;
  created_at: Timestamp;
}

/** `valid_from` left out: from now on. */
export type PriceRequest = RequestOf<Price, 'firm' | 'unit_price'>;

/** What a part costs a customer. The longest prefix wins, then the class, then the latest `valid_from` that has come. */
export interface Price {
  firm: string;
  /** Null: for every class. */
  class: MessageClass | null;
  /** E.164 digits; null: for every number of the firm. */
  prefix: string | null;
  unit_price: Decimal;
  valid_from: Timestamp;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export type CostRequest = RequestOf<Cost, 'firm' | 'unit_price'>;

/** What a part costs us on a channel, chosen as prices are. */
export interface Cost extends Price {}

export type FilingStatus = 'pending' | 'filed' | 'rejected';

export type FilingRequest = RequestOf<Filing, 'channel_no', 'signature'>;

/** Whether a channel has the signature of a service account on file. */
export interface Filing {
  channel_no: string;
  status: FilingStatus;
  reason: string | null;
  /** What was filed: the filing holds for this signature only. */
  signature: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export type BlockedWordsRequest = RequestOf<BlockedWords, 'words', 'blocked_word_no'>;

/** Words that no text may contain. */
export interface BlockedWords {
  blocked_word_no: string;
  words: string[];
  /** Null: for all customers. */
  customer_no: string | null;
  created_at: Timestamp;
}

/** What was rejected for a blocked word. */
export interface BlockedContent {
  customer_no: string;
  task_no: string;
  word: string;
  numbers: number;
  at: Timestamp;
}

/** Why a number would go where it would go, or nowhere. */
export interface RouteExplanation {
  phone: string;
  /** E.164 digits; null for what is no number. */
  to: string | null;
  customer_no: string;
  template_no: string;
  service_account_no: string;
  class: MessageClass;
  /** The text with its signature; variables stand as placeholders. */
  text: string;
  /** Null where it would be sent. */
  code: string | null;
  firm: string | null;
  unit_price: Decimal | null;
  channels: {
    channel_no: string;
    name: string;
    is_used: boolean;
    /** Why it is not used. */
    reason:
      | 'not_granted'
      | 'disabled'
      | 'other_firm'
      | 'not_filed'
      | 'filing_pending'
      | 'filing_rejected'
      | 'signature_changed'
      | 'down'
      | null;
  }[];
}

export type OperatorStatisticsBy = 'day' | 'customer' | 'channel' | 'firm' | 'class';

export interface OperatorStatistic {
  /** The day, customer_no, channel_no, firm or class; null where there is none. */
  key: string | null;
  currency: string;
  numbers: number;
  parts: number;
  delivered: number;
  charged: Decimal;
  refunded: Decimal;
  cost: Decimal;
  /** `charged` less `refunded` and `cost`. */
  margin: Decimal;
}

export type ServiceAccountRequest = RequestOf<ServiceAccount, 'name' | 'sender', 'service_account_no'>;

export interface ServiceAccount {
  service_account_no: string;
  name: string;
  /** The address that messages come from. */
  sender: string;
  /** Sent as 【signature】 with every text; null: none. */
  signature: string | null;
  signature_position: 'head' | 'tail';
  status: Status;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** A service account as its customer sees it. */
export type OwnServiceAccount = Pick<
  ServiceAccount,
  'service_account_no' | 'name' | 'sender' | 'signature' | 'signature_position' | 'status' | 'created_at' | 'updated_at'
>;

export type TemplateStatus = Status | 'pending' | 'rejected';

export type TemplateRequest = RequestOf<
  Omit<Template, 'status'> & { status: Status },
  'name' | 'body' | 'service_account_no',
  'template_no' | 'revision' | 'reason' | 'submitted_at' | 'reviewed_at'
>;

/** What a customer submits for review. */
export type SubmittedTemplate = Omit<TemplateRequest, 'status' | 'upstream_codes'>;

export interface Template {
  template_no: string;
  name: string;
  /** With placeholders `{p1}` to `{p18}`. */
  body: string;
  class: MessageClass;
  service_account_no: string;
  /** The firms it is approved for; null: every firm. */
  firms: string[] | null;
  /** Only an active one can be sent. */
  status: TemplateStatus;
  /** Counts the texts it has had. */
  revision: number;
  /** What the operator said of the present text. */
  reason: string | null;
  /** Null for a text that an operator wrote. */
  submitted_at: Timestamp | null;
  reviewed_at: Timestamp | null;
  /** What upstreams call it, by channel number. */
  upstream_codes: Record<string, string>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface ReviewRequest {
  readonly decision: 'approved' | 'rejected';
  /** For the customer to read. */
  readonly reason?: string | null;
  /** The revision that was reviewed: a text that has changed since is not decided on. */
  readonly revision?: number;
}

/** A template that waits for review, with what its reviewer needs to know. */
export interface Review
  extends Pick<Template, 'template_no' | 'name' | 'body' | 'class' | 'service_account_no' | 'firms' | 'revision'> {
  customer_no: string;
  customer_name: string;
  submitted_at: Timestamp;
  /** Of the service account. */
  sender: string;
  /** What a handset would show, with made-up values for variables. */
  example: { text: string; encoding: 'gsm7' | 'ucs2'; parts: number };
  /** The last text that could be sent. */
  approved_body: string | null;
  /** Newest first, at most ten. */
  decisions: {
    decision: 'approved' | 'rejected';
    reason: string | null;
    revision: number;
    body: string;
    reviewed_by: string;
    reviewed_at: Timestamp;
  }[];
}

/** A text to be looked at before it is stored. */
export interface TemplateDraft {
  body: string;
  /** By name, `p1` to `p18`; a variable without a value stands as its placeholder. */
  variable_values?: Readonly<Record<string, string>>;
}

export interface TemplatePreview {
  text: string;
  encoding: 'gsm7' | 'ucs2';
  /** The text as it is cut; each is priced. */
  parts: string[];
  /** Those that the text has. */
  variables: string[];
}

/** A template as its customer sees it. */
export interface OwnTemplate extends Omit<Template, 'upstream_codes'> {
  /** Those that need a value. */
  variables: VariableName[];
  /** A body of a send with this template. */
  example: Record<string, unknown>;
}

/** A firm as a customer may use it. */
export interface UsableFirm {
  firm: string;
  name: string;
  prefixes: string[];
  /** Of one message part, for this customer. */
  unit_price: Decimal;
  currency: string;
}

export interface MoneyRequest {
  /** A decimal; an adjustment may be negative. */
  readonly amount: Decimal;
  readonly remark?: string;
  /** Repeating it changes nothing. The client makes one when it is left out. */
  readonly reference?: string;
}

/** The ledger entry of a top-up or an adjustment, as the operator sees it. */
export interface OperatorLedgerEntry extends LedgerEntry {
  reference: string | null;
}

export interface OptOut {
  phone: string;
  source: 'uplink' | 'operator';
  created_at: Timestamp;
}

export interface ErasureRequest {
  /** Any spelling of it. */
  readonly phone: string;
  readonly remark?: string | null;
}

/** A request to replace a phone number by a hash in everything that is stored. */
export interface Erasure {
  erasure_no: string;
  /** `erased-` and this stands where the number stood. */
  hash: string;
  remark: string | null;
  status: 'waiting' | 'running' | 'done';
  /** What of the number is open; null when nothing is. */
  waits_for: string | null;
  /** Rows in which the number was replaced, by table. */
  counts: Record<string, number>;
  created_by: string;
  created_at: Timestamp;
  done_at: Timestamp | null;
}

/** A number that no cap of a customer applies to. */
export interface CapExemption {
  phone: string;
  created_at: Timestamp;
}

export interface ResolveRequest {
  readonly outcome: 'accepted' | 'not_accepted';
  /** The numbers of the task it is about; left out: all that are unknown. */
  readonly seqs?: readonly number[];
  readonly remark?: string;
}

/** A task of any customer. */
export interface OperatorTask extends TaskDetail {
  customer_no: string | null;
}

/** A message part of which it is not known whether the upstream accepted it. */
export interface UnknownPart {
  customer_no: string | null;
  task_no: string;
  client_request_id: string | null;
  /** What `resolveTask` takes. */
  seq: number;
  phone: string | null;
  firm: string | null;
  part: number;
  parts: number | null;
  channel_no: string | null;
  submitted_at: Timestamp | null;
  /** Since when its answer is missing. */
  since: Timestamp;
  /** When it counts as not accepted. */
  deadline: Timestamp;
}

/** A customer that sent to a number or got replies from it, and the last thing that happened. */
export interface NumberCustomer {
  customer_no: string | null;
  name: string | null;
  /** As the customer wrote it, or the address a reply came from. */
  phone: string;
  /** The number got its outcome, a part of a message went out to it, or it wrote back. */
  event: 'receipt' | 'submit' | 'uplink';
  /** The `result` of a receipt, the `status` of a submit record; null for an uplink. */
  status: string | null;
  code: string | null;
  task_no: string | null;
  at: Timestamp;
  opted_out_at: Timestamp | null;
}

/** What could not be done and is tried again. */
export interface SetAside {
  /**
   * A task to be prepared, answers to be recorded, a customer of whom nothing can be sent on a channel; or what was due: a freeze
   * after a top-up, a task to be started or ended at its time, unknown numbers, missing receipts, numbers whose channel is gone,
   * statistics.
   */
  kind: 'prepare' | 'record' | 'send' | 'freeze' | 'start' | 'end' | 'verify' | 'expire' | 'give_up' | 'sum';
  customer_no: string | null;
  task_no: string | null;
  channel_no: string | null;
  /** The process that holds it; null for what is in the database. */
  node: string | null;
  /** Message parts whose answers wait to be recorded. */
  parts: number | null;
  /** The error of the last try. */
  reason: string;
  tries: number;
  since: Timestamp | null;
  next_try_at: Timestamp | null;
}

/** A delivery report that matches no message part. */
export interface KeptReport {
  channel_no: string;
  message_id: string;
  phone: string | null;
  status: DeliveryStatus;
  code: string;
  done_at: Timestamp | null;
  received_at: Timestamp;
}

/** An inbound message to an address that no service account has. */
export interface UnclaimedUplink {
  channel_no: string;
  sender: string;
  recipient: string;
  content: string;
  /** Parts of a long message never came, or it was too long to be kept whole. */
  incomplete: boolean;
  received_at: Timestamp;
}

/** `viewer` reads; `support` also resolves and suspends; `finance` also tops up and adjusts; `admin` everything. */
export type OperatorRole = 'admin' | 'support' | 'finance' | 'viewer';
export type OperatorPermission =
  | 'read'
  | 'view'
  | 'resolve'
  | 'suspend'
  | 'credit'
  | 'configure'
  | 'move'
  | 'administer';

export interface OperatorRequest {
  /** As the audit log names them, for good. */
  readonly name: string;
  readonly role: OperatorRole;
}

export interface Operator {
  operator_no: string;
  name: string;
  role: OperatorRole;
  status: 'active' | 'removed';
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** The token is shown this once. */
export interface NewOperator extends Operator {
  token: string;
}

/** Whose token it is. */
export interface Identity {
  /** `root` for the token of the configuration. */
  name: string;
  role: OperatorRole;
  permissions: OperatorPermission[];
}

/** Who did what, when, and what changed by it. */
export interface AuditEntry {
  at: Timestamp;
  actor: string;
  action: string;
  subject: string;
  change: Record<string, unknown>;
}
