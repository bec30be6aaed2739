// Everything here is spelled as it travels: the same names as in the API reference, amounts as decimal strings, times as
// RFC 3339 text. It is one file, longer than most, so that a test can hold the whole of it against the OpenAPI document.

import type { ErrorKey } from './error-keys.generated.js';
import type { MessageClass } from './message-classes.js';
import type { Stage } from './stages.js';

/** A decimal with six fraction digits, such as `"0.150000"`. Never a float: add these up with a decimal or BigInt. */
export type Decimal = string;
/** RFC 3339 in UTC with milliseconds. */
export type Timestamp = string;

// ---- problems -------------------------------------------------------------------------------------------------------

export type ErrorCode =
  | 'malformed_json'
  | 'invalid_request'
  | 'page_too_deep'
  | 'missing_credentials'
  | 'timestamp_out_of_range'
  | 'invalid_signature'
  | 'invalid_credentials'
  | 'customer_suspended'
  | 'ip_not_allowed'
  | 'not_permitted'
  | 'not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'idempotency_conflict'
  | 'invalid_stage'
  | 'insufficient_funds'
  | 'already_exists'
  | 'last_admin'
  | 'template_unavailable'
  | 'service_account_unavailable'
  | 'firm_unavailable'
  | 'rate_limited'
  | 'unavailable';

export type FaultCode =
  | 'required'
  | 'type'
  | 'too_long'
  | 'too_short'
  | 'too_many'
  | 'too_few'
  | 'out_of_range'
  | 'format'
  | 'exactly_one_of'
  | 'not_allowed_together'
  | 'requires'
  | 'unknown_field'
  | 'unknown_variable'
  | 'missing_variable';

/** One thing wrong with a request. */
export interface Fault {
  /** A JSON pointer into the body, or `?name` for a query parameter. */
  pointer: string;
  code: FaultCode;
  message: string;
  /** Which message it is: translate by it. */
  key: ErrorKey;
  /** What is filled into the message. */
  params: ErrorParams;
}

export type ErrorParams = Readonly<Record<string, string | number>>;

// ---- sending and tasks ----------------------------------------------------------------------------------------------

export type VariableName = `p${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}` | `p1${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}`;
export type VariableValue = string | number;
/** A dictionary of `p1` to `p18`, or an array whose first entry is `p1`. */
export type VariableValues = { readonly [Name in VariableName]?: VariableValue } | readonly VariableValue[];

export interface Recipient {
  readonly phone: string;
  readonly variable_values?: VariableValues;
}

interface SendFields {
  readonly template_no: string;
  readonly service_account_no?: string;
  readonly target_firms?: readonly string[];
  /** 1 to 64 characters. The client makes one when it is left out. */
  readonly client_request_id?: string;
  /** 1 to 64 characters: the same for all requests that belong together. */
  readonly batch_id?: string;
  /** Up to 100 characters, for people. A repeat under the same id keeps the first one. */
  readonly title?: string;
  /** True unless given. */
  readonly auto_prepare?: boolean;
  /** False unless given; needs `auto_prepare`. */
  readonly auto_freeze?: boolean;
  /** False unless given; needs `auto_freeze`. */
  readonly auto_submit?: boolean;
  /** RFC 3339 with an offset: nothing is handed over before it. */
  readonly send_at?: string;
  /** RFC 3339 with an offset: what is unsent then is not sent any more. */
  readonly expires_at?: string;
}

/** The same text for every number. */
export interface SendToPhones extends SendFields {
  readonly phones: readonly string[];
  readonly variable_values?: VariableValues;
  readonly recipients?: never;
}

/** Variables of their own for each number. */
export interface SendToRecipients extends SendFields {
  readonly recipients: readonly Recipient[];
  readonly phones?: never;
  readonly variable_values?: never;
}

export type SendRequest = SendToPhones | SendToRecipients;

export type TaskMove = 'prepare' | 'freeze' | 'submit' | 'cancel' | 'pause' | 'resume';

/** The tasks that were sent under one `batch_id`, added up; exact at the moment of the answer. */
export interface Batch {
  batch_id: string;
  /** Of its first task. */
  title: string | null;
  tasks: number;
  /** Stages that none of its tasks is in are left out. */
  stages: { [Name in Stage]?: number };
  /** How many of its tasks are paused, and wait to be resumed. */
  paused: number;
  /** How many of its tasks each move would change; moves that would change none are left out. */
  moves: { [Move in TaskMove]?: number };
  counts: TaskCounts;
  /** The price is that of its prepared tasks. */
  amounts: TaskAmounts;
  created_at: Timestamp;
  updated_at: Timestamp;
  /** When the last of its tasks ended; null while one has not. */
  completed_at: Timestamp | null;
}

export interface MovedBatch extends Batch {
  /** How many of its tasks were moved. */
  applied: number;
}

/** What a send would come to; nothing of it is stored. */
export interface Preview {
  total: number;
  sendable: number;
  rejected: number;
  parts: number;
  /** What freezing would take. */
  price: Decimal;
  currency: string;
  available: Decimal;
  /** Whether the price would be frozen now. */
  affordable: boolean;
  /** Where it would not: what the task would wait for. */
  waits_for: 'funds' | 'limit' | null;
  firms: { firm: string; numbers: number; parts: number; unit_price: Decimal; price: Decimal }[];
  /** The first 100. */
  rejections: { seq: number; phone: string; code: string; description: string }[];
  /** The first 10 that would be sent to. */
  samples: {
    seq: number;
    phone: string;
    text: string;
    encoding: 'gsm7' | 'ascii' | 'ucs2';
    parts: number;
    price: Decimal;
  }[];
}

/** What has to come for a task to go on. */
export type WaitsFor =
  | 'prepare'
  | 'freeze'
  | 'submit'
  | 'funds'
  | 'limit'
  | 'send_at'
  | 'window'
  | 'resume'
  | 'channel'
  | 'receipts'
  | 'verification';
export type AccountingState = 'none' | 'insufficient_funds' | 'frozen' | 'settling' | 'settled';
export type ReceiptState = 'none' | 'pending' | 'partial' | 'complete';

/** The other seven always add up to `total`. */
export interface TaskCounts {
  total: number;
  unsent: number;
  rejected: number;
  unknown: number;
  awaiting: number;
  delivered: number;
  undelivered: number;
  expired: number;
}

/** `frozen` = `charged` + `released` + `held`, and `refunded` is at most `charged`. */
export interface TaskAmounts {
  currency: string;
  /** What freezing the task takes; null until it is prepared. */
  price: Decimal | null;
  frozen: Decimal;
  charged: Decimal;
  released: Decimal;
  refunded: Decimal;
  held: Decimal;
}

/** `stage`, `accounting_state` and `receipt_state` are read separately: none implies another. */
export interface Task {
  task_no: string;
  client_request_id: string | null;
  batch_id: string | null;
  /** What people call it. */
  title: string | null;
  template_no: string;
  /** The class of its template. */
  class: MessageClass;
  service_account_no: string;
  /** Empty: every firm that the customer may use. */
  target_firms: string[];
  auto_prepare: boolean;
  auto_freeze: boolean;
  auto_submit: boolean;
  stage: Stage;
  accounting_state: AccountingState;
  receipt_state: ReceiptState;
  failure: string | null;
  /** Null when it has ended, or is being worked on. */
  waits_for: WaitsFor | null;
  /** When the window opens that it waits for. */
  next_send_at: Timestamp | null;
  send_at: Timestamp | null;
  expires_at: Timestamp | null;
  counts: TaskCounts;
  amounts: TaskAmounts;
  created_at: Timestamp;
  updated_at: Timestamp;
  completed_at: Timestamp | null;
}

export interface TaskDetail extends Task {
  /** The text as it was sent, with its placeholders; null where it was not kept. */
  template_body: string | null;
  /** The values that all numbers share; null where each number has its own. */
  variable_values: Readonly<Record<string, string>> | null;
  timeline: { stage: Stage; at: Timestamp }[];
  /** While some numbers are not known to be accepted upstream. */
  verification?: { since: Timestamp; deadline: Timestamp; unknown: number };
  /** While it is over the daily limit. `fits_from` is null when the price is above the limit itself. */
  limit?: { daily_limit: Decimal | null; frozen_today: Decimal; fits_from: Timestamp | null };
}

// ---- lists of the customer ------------------------------------------------------------------------------------------

export interface Page<Item> {
  items: Item[];
  page: number;
  page_size: number;
  total: number;
  /** Totals are exact up to 10,000. */
  total_is_exact: boolean;
  /** Null on the last page. */
  next_cursor: string | null;
}

export type ReceiptResult = 'delivered' | 'undelivered' | 'expired' | 'rejected';
export type SubmitStatus = 'accepted' | 'rejected' | 'unknown';
export type DeliveryStatus = 'delivered' | 'undelivered' | 'expired' | 'rejected' | 'intermediate';
export type LedgerType = 'freeze' | 'charge' | 'release' | 'refund' | 'topup' | 'adjustment';

/** A number of a task that was not handed over yet. */
export interface UnsentNumber {
  seq: number;
  /** As the customer wrote it. */
  phone: string;
  /** Null until the task is prepared, as what follows. */
  firm: string | null;
  parts: number | null;
  price: Decimal | null;
}

/** The one final outcome of one number. */
export interface Receipt {
  task_no: string;
  client_request_id: string | null;
  seq: number;
  /** As the customer wrote it. */
  phone: string;
  firm: string | null;
  result: ReceiptResult;
  /** The upstream's own code, or ours where the number never went upstream. */
  code: string | null;
  description: string;
  parts: number;
  price: Decimal;
  /** The price, or zero. Refunds do not change it. */
  charged: Decimal;
  submitted_at: Timestamp | null;
  /** The carrier's time. */
  done_at: Timestamp | null;
  received_at: Timestamp;
  /** As it was sent, with `include: 'text'`; null where it was not kept. */
  text?: string | null;
}

/** One inbound message. */
export interface Uplink {
  uplink_no: string;
  phone: string;
  service_account_no: string | null;
  firm: string | null;
  content: string;
  task_no: string | null;
  received_at: Timestamp;
}

export interface LedgerEntry {
  ledger_no: string;
  /** Without gaps within one customer. */
  seq: number;
  type: LedgerType;
  amount: Decimal;
  currency: string;
  task_no: string | null;
  /** How many numbers of the task it covers. */
  numbers: number | null;
  available_delta: Decimal;
  frozen_delta: Decimal;
  available_after: Decimal;
  frozen_after: Decimal;
  remark: string | null;
  created_at: Timestamp;
}

/** One message part put on the wire, and what the upstream answered. */
export interface SubmitRecord {
  submit_no: string;
  task_no: string;
  seq: number;
  phone: string;
  firm: string;
  part: number;
  parts: number;
  status: SubmitStatus;
  code: string | null;
  upstream_message_id: string | null;
  submitted_at: Timestamp;
  answered_at: Timestamp | null;
}

/** One delivery report that came back for one part. */
export interface DeliveryRecord {
  delivery_no: string;
  task_no: string;
  seq: number;
  phone: string;
  firm: string;
  part: number;
  parts: number;
  status: DeliveryStatus;
  code: string | null;
  upstream_message_id: string | null;
  done_at: Timestamp | null;
  received_at: Timestamp;
}

export type BillingMode = 'prepaid' | 'postpaid';
export type ChargeOn = 'submit' | 'delivery';

export interface Account {
  customer_no: string;
  currency: string;
  billing_mode: BillingMode;
  charge_on: ChargeOn;
  refund_on_failure: boolean;
  credit_limit: Decimal;
  /** Free to be frozen for new tasks. */
  available: Decimal;
  /** Held for tasks that are under way. */
  frozen: Decimal;
  /** What may be frozen in one UTC day; null: any amount. */
  daily_limit: Decimal | null;
  /** What was frozen since the UTC day began, whatever became of it. */
  frozen_today: Decimal;
  /** Of the months, days and hours of statements and statistics. */
  billing_time_zone: string;
  /** Number of the newest ledger entry that these balances include. */
  ledger_seq: number;
}

// ---- statistics and statements --------------------------------------------------------------------------------------

export type StatisticsBy = 'day' | 'hour' | 'template' | 'firm' | 'code';

/** How many numbers came to which end. */
export interface Outcomes {
  total: number;
  delivered: number;
  undelivered: number;
  expired: number;
  rejected: number;
  /** Not sent: cancelled, or not sent before `expires_at`. Not among `rejected`. */
  cancelled: number;
  /** Given to a carrier, whatever came of it. The delivery rate is `delivered` of these. */
  handed_over: number;
  parts: number;
  /** What these numbers were charged; what was refunded since is not taken off. */
  charged: Decimal;
}

/** The newest 100 of each kind, newest first. */
export interface NumberHistory {
  /** In international spelling; as it was asked for where it is no real number. */
  phone: string;
  opted_out_at: Timestamp | null;
  submits: SubmitRecord[];
  deliveries: DeliveryRecord[];
  receipts: Receipt[];
  uplinks: Uplink[];
  /** Those that the records name, newest first. */
  tasks: { task_no: string; client_request_id: string | null; template_no: string | null }[];
  /** False when there is more than fits; the lists, filtered by `phone`, have it. */
  is_complete: boolean;
}

export interface Statistic extends Outcomes {
  /** The day, the start of the hour, the template, firm or code; null for numbers that have none. */
  key: string | null;
}

export interface Statistics {
  items: Statistic[];
}

/** At the end of a day or hour; of the one at hand, now. */
export interface BalanceAt extends Balances {
  /** The day, or the start of the hour. */
  key: string;
}

export interface BalanceHistory {
  items: BalanceAt[];
}

export interface Balances {
  available: Decimal;
  frozen: Decimal;
}

export interface EntrySum {
  count: number;
  amount: Decimal;
}

export interface Statement {
  /** Such as `2026-11`, in UTC. */
  month: string;
  currency: string;
  opening: Balances;
  closing: Balances;
  entries: Record<LedgerType, EntrySum>;
  days: { day: string; closing: Balances; entries: Record<LedgerType, EntrySum> }[];
  templates: {
    template_no: string | null;
    entries: Record<'freeze' | 'charge' | 'release' | 'refund', EntrySum>;
  }[];
  /** Numbers whose receipt was made in the month. */
  firms: ({ firm: string | null } & Outcomes)[];
  /** The unit prices that applied to them. */
  prices: {
    firm: string;
    class: string;
    unit_price: Decimal;
    numbers: number;
    parts: number;
    charged: Decimal;
  }[];
}
