// The model: says whether the promises of the contract and the specification hold. It gets what customers ask, what carriers get
// and say, and every commit, and throws at the first broken promise. It is written from those two documents and imports nothing of
// `src`: it must not err together with the code.

import type {
  Billing,
  CarrierAnswer,
  CommitRows,
  CustomerTerms,
  Handed,
  PartName,
  PlatformRules,
  ReceiptRow,
  SubmitRow,
  TaskAsked,
  TaskRow,
} from './facts.js';
import { LedgerBook } from './ledger.js';
import {
  deliveriesOf,
  isAccepted,
  type NumberBook,
  openNumber,
  type PartBook,
  partOf,
  reportsOn,
  type Submission,
  stateOf,
  wasLost,
  wasReported,
} from './number.js';
import { hold } from './promise.js';
import { checkReceiptState, checkStage, checkWaitsFor, isFinal } from './stages.js';

interface TaskBook {
  readonly asked: TaskAsked;
  readonly numbers: ReadonlyMap<number, NumberBook>;
  sendAt: number | null;
  isCancelled: boolean;
  /** By the calls of its customer. */
  isPaused: boolean;
  /** The terms on which its price was frozen. */
  billing: Billing | undefined;
  /** The outcomes that an operator chose for unknown parts. */
  readonly resolved: Set<'accepted' | 'not_accepted'>;
  row: TaskRow | undefined;
}

/** Codes of ours, of numbers that were never handed over. */
const UNSENT_CODES: ReadonlySet<string> = new Set(['cancelled', 'expired_unsent', 'no_channel']);
/** The channel that refused a number first, and two more. */
const MAX_TRIES = 3;
/** Deadlines are looked at so often, and steps take time. */
const REST_MS = 120_000;
const FINAL_STATUSES: ReadonlySet<string> = new Set(['delivered', 'undelivered', 'expired', 'rejected']);

export class Model {
  readonly #rules: PlatformRules;
  readonly #ledger = new LedgerBook();
  readonly #tasks = new Map<number, TaskBook>();
  /** The channels that each customer may use. */
  readonly #granted = new Map<number, ReadonlySet<number>>();
  readonly #billing = new Map<number, Billing>();
  /** The last id among the records of each customer. */
  readonly #lastIds = new Map<number, bigint>();
  /** Customers that ever lost a grant. */
  readonly #revoked = new Set<number>();
  /** The numbers of the commit that is being checked. */
  readonly #touched = new Set<NumberBook>();

  #commits = 0;

  constructor(rules: PlatformRules) {
    this.#rules = rules;
  }

  openCustomer(terms: CustomerTerms): void {
    this.#ledger.open(terms);
    this.#granted.set(terms.customer, new Set(terms.channels));
    this.#billing.set(terms.customer, terms.billing);
  }

  /** Holds for what is frozen from now on. */
  changeBilling(customer: number, billing: Billing): void {
    this.#billing.set(customer, billing);
  }

  limitDay(customer: number, limit: bigint | null): void {
    this.#ledger.limitDay(customer, limit);
  }

  // What customers and operators ask.

  accept(asked: TaskAsked): void {
    const numbers = new Map(asked.numbers.map((number) => [number.seq, openNumber(number)]));
    const { sendAt } = asked;
    const untouched = { isCancelled: false, isPaused: false, billing: undefined, row: undefined };
    this.#tasks.set(asked.task, { asked, numbers, sendAt, resolved: new Set(), ...untouched });
  }

  reschedule(task: number, sendAt: number): void {
    this.#taskOf(task).sendAt = sendAt;
  }

  /** The channels that it may use from now on. */
  grant(customer: number, channels: readonly number[]): void {
    if (channels.length < (this.#granted.get(customer)?.size ?? 0)) this.#revoked.add(customer);
    this.#granted.set(customer, new Set(channels));
  }

  /** The recipient opted out. */
  optOut(task: number, seq: number): void {
    const { row, numbers } = this.#taskOf(task);
    const number = numbers.get(seq);
    if (number === undefined) return;
    number.hasOptedOut = true;
    // It is rejected when its task is prepared, without being priced.
    if (row?.stage === 'queued') number.price = undefined;
  }

  /** Before the commit that does it. */
  pause(task: number, isPaused: boolean): void {
    this.#taskOf(task).isPaused = isPaused;
  }

  /** Before the commit that does it. */
  cancel(task: number): void {
    this.#taskOf(task).isCancelled = true;
  }

  /** Before the commit that does it. */
  resolve(task: number, outcome: 'accepted' | 'not_accepted'): void {
    this.#taskOf(task).resolved.add(outcome);
  }

  // What carriers get and say.

  /** A part goes to a carrier. The submission is passed to `answer` later. */
  submit(name: PartName, channel: number, handed: Handed): Submission {
    const part = this.#partOf(name);
    for (const earlier of part.submissions) {
      const isDeclined = earlier.answer === 'refused' && earlier.code === this.#rules.failoverCode;
      const mayRepeat =
        (isDeclined && earlier.channel !== channel) || earlier.answer === 'throttled' || earlier.answer === 'unsent';
      const answer = earlier.answer ?? 'not answered';
      hold(
        'sent',
        mayRepeat,
        () => `${nameOf(name)} goes to channel ${channel}, and was ${answer} on ${earlier.channel}`,
      );
    }
    const nothing = { answer: undefined, code: undefined, hadWay: false, lateAnswer: undefined };
    const submission: Submission = { channel, handed, ...nothing };
    part.submissions.push(submission);
    const refusedBy = new Set(
      part.submissions.flatMap(({ answer, channel: by }) => (answer === 'refused' ? [by] : [])),
    );
    const say = () => `${nameOf(name)} goes to channel ${channel} after ${refusedBy.size} refused it`;
    hold('sent', refusedBy.size < MAX_TRIES, say);
    return submission;
  }

  answer(name: PartName, submission: Submission, answer: CarrierAnswer, code?: string): void {
    submission.answer = answer;
    submission.code = code;
    if (answer !== 'refused' || code !== this.#rules.failoverCode) return;
    const refusedBy = new Set(
      this.#partOf(name).submissions.flatMap((each) => (each.answer === 'refused' ? [each.channel] : [])),
    );
    const granted = this.#granted.get(this.#taskOf(name.task).asked.customer) ?? [];
    submission.hadWay = refusedBy.size < MAX_TRIES && [...granted].some((channel) => !refusedBy.has(channel));
  }

  /** The last submission of a part. */
  submissionOf(name: PartName): Submission | undefined {
    return this.#partOf(name).submissions.at(-1);
  }

  /** An answer after its loss: it gives the outcome of the part, and does not allow to send it again. */
  answerLate(name: PartName, answer: 'accepted' | 'refused', code?: string): void {
    const submission = this.submissionOf(name);
    if (submission === undefined) return;
    submission.lateAnswer = answer;
    submission.code = code;
  }

  /** The process has learnt that a late answer is recorded. */
  answeredLate(name: PartName): void {
    const status = this.#partOf(name).records.at(-1)?.status;
    hold('records', status !== 'unknown', () => `${nameOf(name)} is unknown after its late answer was recorded`);
  }

  report(name: PartName, channel: number, status: string, code: string): void {
    const { reports, codes } = this.#partOf(name);
    reports.add(`${channel} ${status}`);
    codes.set(status, (codes.get(status) ?? new Set()).add(code));
  }

  // What is committed.

  /** The intents to send these parts were committed just now, with the commit that is checked next. */
  intend(names: readonly PartName[], now: number): void {
    for (const name of names) {
      const book = this.#taskOf(name.task);
      const number = this.#numberOf(name);
      const say = (why: string) => () => `an intent for ${nameOf(name)} is granted: ${why}`;
      for (const { status } of partOf(number, name.part).records) {
        hold('sent', status === 'rejected', say(`its record says ${status}`));
      }
      const { unknownSince } = partOf(number, name.part);
      hold('sent', unknownSince === undefined, say('it was unknown'));
      const isStopped = number.hasOptedOut && !number.hasBegun;
      hold('allowed', !isStopped, say('its recipient has opted out'));
      hold('allowed', number.receipt === undefined, say(`it has the receipt ${number.receipt?.result}`));
      hold('allowed', number.price !== undefined, say('it was to be rejected'));
      const { row, sendAt, asked } = book;
      hold('allowed', row?.stage === 'submitting', say(`its task is ${row?.stage}`));
      hold('allowed', row?.frozen === row?.price, say('its price is not frozen'));
      hold('allowed', row?.isPaused === false && !isHeld(book, now), say('its task is paused'));
      hold('allowed', sendAt === null || sendAt <= now, say('its time has not come'));
      const isInTime = asked.expiresAt === null || asked.expiresAt > now;
      hold('allowed', isInTime || number.hasBegun, say('its task has expired'));
      hold('allowed', !book.isCancelled, say('its task is cancelled'));
      number.hasBegun = true;
    }
  }

  commit(rows: CommitRows): void {
    this.#touched.clear();
    this.#commits += 1;
    for (const submit of rows.submits) this.#noteSubmit(submit, rows.now);
    for (const delivery of rows.deliveries) {
      const part = this.#partOf(delivery);
      const key = `${delivery.channel} ${delivery.status}`;
      const number = this.#numberOf(delivery);
      const isReported = reportsOn(number, part).has(key) && hasCode(number, delivery.status, delivery.code);
      const say = () => `${nameOf(delivery)} has a delivery that nobody reported: ${key} ${delivery.code}`;
      hold('reason', isReported, say);
      if (!FINAL_STATUSES.has(delivery.status)) continue;
      hold('records', !part.deliveries.has(key), () => `the report ${key} on ${nameOf(delivery)} is recorded twice`);
      part.deliveries.set(key, this.#commits);
    }
    for (const receipt of rows.receipts) this.#noteReceipt(receipt, rows);
    for (const number of this.#touched) this.#noteAcceptance(number, rows);
    for (const { customer, id } of rows.recordIds) {
      const last = this.#lastIds.get(customer) ?? 0n;
      hold('records', id > last, () => `a record of customer ${customer} has the id ${id} after ${last}`);
      this.#lastIds.set(customer, id);
    }
    for (const entry of rows.entries) this.#ledger.post(entry, rows.now);
    for (const row of rows.tasks) this.#checkTask(row, rows.now);
    for (const account of rows.accounts) this.#ledger.checkAccount(account);
  }

  #noteSubmit(submit: SubmitRow, now: number): void {
    const number = this.#numberOf(submit);
    const part = partOf(number, submit.part);
    this.#touched.add(number);
    const at = part.records.findIndex(({ id }) => id === submit.id);
    const before = part.records[at];
    const say = (why: string) => () => `${nameOf(submit)} is ${submit.status} on channel ${submit.channel}: ${why}`;
    if (before === undefined) {
      const open = part.records.find(({ status, channel }) => status !== 'rejected' || channel === submit.channel);
      hold('records', open === undefined, say(`it has the record ${open?.status} on channel ${open?.channel}`));
      part.records.push(submit);
    } else {
      hold('records', before.status === 'unknown' && submit.status !== 'unknown', say(`it was ${before.status}`));
      part.records[at] = submit;
    }
    const isSame = number.submissions === undefined || number.submissions === submit.parts;
    hold('records', isSame, say(`${submit.parts} parts after ${number.submissions}`));
    const { messageId } = submit;
    const isOfPart = ({ handed }: Submission) => handed.messageId === messageId || handed.reportedId === messageId;
    const isKnown = messageId === null || [...number.parts.values()].some((each) => each.submissions.some(isOfPart));
    hold('records', isKnown, say(`its message id ${messageId} is that of another number`));
    number.submissions = submit.parts;
    if (submit.status === 'unknown') part.unknownSince = now;
    else hold('reason', this.#hasReason(submit, now), say('nothing says so'));
  }

  /** Why a part is recorded as accepted or rejected. */
  #hasReason(submit: SubmitRow, now: number): boolean {
    const { resolved } = this.#taskOf(submit.task);
    const part = this.#partOf(submit);
    const { submissions, unknownSince } = part;
    const answer = submit.status === 'accepted' ? 'accepted' : 'refused';
    if (
      submissions.some(
        (each) => each.channel === submit.channel && (each.answer === answer || each.lateAnswer === answer),
      )
    )
      return true;
    if (submit.status === 'accepted') {
      for (const report of reportsOn(this.#numberOf(submit), part)) {
        if (report.startsWith(`${submit.channel} `)) return true;
      }
      return resolved.has('accepted');
    }
    const isOverdue = unknownSince !== undefined && unknownSince + this.#rules.unknownMs <= now;
    return isOverdue || resolved.has('not_accepted');
  }

  #noteReceipt(receipt: ReceiptRow, { now, tasks }: CommitRows): void {
    const number = this.#numberOf({ ...receipt, part: 1 });
    const { task, seq, result, code } = receipt;
    const had = number.receipt;
    hold(
      'receipt',
      had === undefined,
      () => `number ${task}.${seq} gets ${result} ${code}, and has ${had?.result} ${had?.code}`,
    );
    this.#noteAcceptance(number, { now, tasks });
    this.#touched.delete(number);
    const isCounted = number.submissions !== undefined && isAccepted(number) && !UNSENT_CODES.has(code ?? '');
    hold(
      'reason',
      this.#isReceiptRight(number, receipt, now),
      () => `number ${task}.${seq} gets ${result} ${code}: nothing says so`,
    );
    number.receipt = receipt;
    const row = tasks.find((each) => each.task === task);
    // Rejected while its task was prepared: it is not part of the price.
    if (code === 'no_route' && row?.chargeOn === null) number.price = undefined;
    const { price } = number;
    if (price === undefined || row === undefined || row.chargeOn === null) return;
    const isDelivered = result === 'delivered';
    if (row.chargeOn === 'delivery') {
      if (isDelivered) number.charged = price;
      else number.released = price;
    } else if (!isCounted) number.released = price;
    else if (!isDelivered && row.refundOnFailure) number.refunded = price;
    hold('money', receipt.price === price, () => `the receipt of ${task}.${seq} has the price ${receipt.price}`);
    const isCharged = number.charged > 0n || price === 0n;
    hold(
      'money',
      receipt.isCharged === isCharged || price === 0n,
      () => `the receipt of ${task}.${seq} says charged: ${receipt.isCharged}`,
    );
  }

  /** With `charge_on=submit`, a number is charged when all its parts are accepted. Not after its receipt. */
  #noteAcceptance(number: NumberBook, { now, tasks }: Pick<CommitRows, 'now' | 'tasks'>): void {
    if (number.receipt !== undefined || number.acceptedAt !== undefined || !isAccepted(number)) return;
    number.acceptedAt = now;
    const row = tasks.find(({ task }) => this.#tasks.get(task)?.numbers.get(number.seq) === number);
    if (row?.chargeOn === 'submit') number.charged = number.price ?? 0n;
  }

  #isReceiptRight(number: NumberBook, { task, result, code }: ReceiptRow, now: number): boolean {
    const { asked, isCancelled, resolved, row } = this.#taskOf(task);
    if (number.price === undefined) return result === 'rejected';
    const parts = [...number.parts.values()];
    if (result === 'delivered') {
      return parts.length === number.submissions && parts.every((part) => wasReported(number, part, 'delivered'));
    }
    if (code === 'no_receipt') {
      // Where the answers to several parts were lost, a report may be recorded for the wrong one.
      const hasReports = !parts.some(wasLost) && parts.every((part) => isReportRecorded(part, this.#commits));
      const isOverdue = (number.acceptedAt ?? now) + this.#rules.receiptMs <= now;
      return result === 'expired' && isOverdue && !hasReports;
    }
    const isReported = isAccepted(number) && parts.some((part) => wasReported(number, part, result));
    if (isReported && hasCode(number, result, code)) return true;
    if (result !== 'rejected') return false;
    switch (code) {
      case 'cancelled':
        return isCancelled && stateOf(number) === 'unsent';
      case 'expired_unsent':
        return asked.expiresAt !== null && asked.expiresAt <= now && stateOf(number) === 'unsent';
      case 'no_channel':
        return stateOf(number) === 'unsent' && parts.every(isSettled);
      case 'no_route':
        // When it is prepared no channel is granted; later the grant of its channel was revoked.
        if (row?.stage === 'queued') return this.#granted.get(asked.customer)?.size === 0;
        return this.#revoked.has(asked.customer) && stateOf(number) === 'unsent' && parts.every(isNotTaken);
      case 'opted_out':
        return number.hasOptedOut && stateOf(number) === 'unsent' && parts.every(isNotTaken);
      case 'not_accepted':
        return parts.some(
          ({ unknownSince = now }) => unknownSince + this.#rules.unknownMs <= now || resolved.has('not_accepted'),
        );
      default: {
        // Of a task that has ended, what is under way finishes, and goes no further.
        const isOver = isCancelled || (asked.expiresAt !== null && asked.expiresAt <= now);
        return parts.some((part) =>
          part.submissions.some(
            (each) =>
              (each.answer === 'refused' || each.lateAnswer === 'refused') &&
              each.code === code &&
              (isOver || !this.#shouldGoOn(number, part, each, asked.customer)),
          ),
        );
      }
    }
  }

  /** A number of one part that was refused with a code for failover tries the next channel, while its customer has one. */
  #shouldGoOn(number: NumberBook, part: PartBook, { hadWay, lateAnswer }: Submission, customer: number): boolean {
    if (!hadWay || lateAnswer !== undefined || number.length !== 1) return false;
    if (part.unknownSince !== undefined || part.reports.size > 0) return false;
    const tried = new Set(part.submissions.map(({ channel }) => channel));
    return [...(this.#granted.get(customer) ?? [])].some((channel) => !tried.has(channel));
  }

  #checkTask(row: TaskRow, now: number): void {
    const book = this.#taskOf(row.task);
    const { counts } = row;
    const expected = { unsent: 0, rejected: 0, unknown: 0, awaiting: 0, delivered: 0, undelivered: 0, expired: 0 };
    let [charged, released, refunded] = [0n, 0n, 0n];
    let price = 0n;
    for (const number of book.numbers.values()) {
      expected[stateOf(number) as keyof typeof expected] += 1;
      charged += number.charged;
      released += number.released;
      refunded += number.refunded;
      price += number.price ?? 0n;
    }
    for (const [state, count] of Object.entries(expected)) {
      const shown = counts[state as keyof typeof expected];
      hold('counts', shown === count, () => `task ${row.task} shows ${shown} ${state}, and has ${count}`);
    }
    hold('counts', counts.total === book.numbers.size, () => `task ${row.task} shows ${counts.total} numbers`);
    const isPriced = row.stage === 'queued' || row.stage === 'cancelled' || row.price === price || row.price === 0n;
    hold('funds', isPriced, () => `the price of task ${row.task} is ${row.price}, not ${price}`);
    if (row.chargeOn !== null) {
      book.billing ??= this.#billing.get(row.customer);
      const { chargeOn, refundOnFailure } = book.billing ?? row;
      const isSame = chargeOn === row.chargeOn && refundOnFailure === row.refundOnFailure;
      hold('money', isSame, () => `the terms of task ${row.task} are not those of its freeze`);
      const isRight = row.charged === charged && row.released === released && row.refunded === refunded;
      const shown = `${row.charged}, ${row.released}, ${row.refunded}`;
      const wanted = `${charged}, ${released}, ${refunded}`;
      hold('money', isRight, () => `task ${row.task} charged, released, refunded ${shown}, not ${wanted}`);
    }
    const mayBePaused = counts.unsent > 0 && !isFinal(row.stage);
    const isPaused = row.isPaused || !isHeld(book, now) || !mayBePaused;
    hold('allowed', isPaused, () => `task ${row.task} was paused and goes on`);
    if (book.isCancelled) {
      for (const { seq, hasBegun, receipt } of book.numbers.values()) {
        const hasEnded = hasBegun || receipt !== undefined;
        hold('ends', hasEnded, () => `number ${row.task}.${seq} is left after its task was cancelled`);
      }
    }
    checkStage(row, book.row);
    checkWaitsFor({ ...row, sendAt: book.sendAt });
    checkReceiptState(row);
    this.#ledger.checkTask(row);
    book.row = row;
  }

  // At rest.

  /**
   * After the faults have stopped, when nothing is left to do before time passes: what is overdue has ended, and what may be sent was
   * sent. `isOpen`: no grant is missing.
   */
  rest(now: number, isOpen: boolean): void {
    for (const [task, { row, numbers, asked, sendAt, isPaused }] of this.#tasks) {
      if (row === undefined) continue;
      const isWaiting = row.stage === 'submitting' && !isPaused && (sendAt ?? 0) + REST_MS <= now;
      for (const number of numbers.values()) {
        if (number.receipt !== undefined) continue;
        const say = (why: string) => () => `number ${task}.${number.seq} has no receipt: ${why}`;
        const { acceptedAt = now, hasBegun } = number;
        const isUnsent = !hasBegun && number.price !== undefined;
        hold('ends', acceptedAt + this.#rules.receiptMs + REST_MS > now, say('it was accepted too long ago'));
        const isExpired = asked.expiresAt !== null && asked.expiresAt + REST_MS <= now;
        hold('ends', !(isUnsent && isExpired), say('it has expired'));
        hold('ends', !(isUnsent && isOpen && isWaiting && !isExpired), say('nothing keeps it from being sent'));
        for (const { records, unknownSince = now } of number.parts.values()) {
          const isUnknown = records.at(-1)?.status === 'unknown';
          const isLate = unknownSince + this.#rules.unknownMs + REST_MS <= now;
          hold('ends', !(isUnknown && isLate), say('it has been unknown for too long'));
        }
      }
    }
  }

  // The end.

  /** After all faults have stopped and every deadline has passed. `waiting`: reports that are kept and wait for their part. */
  end(waiting: readonly (PartName & { readonly channel: number; readonly status: string })[]): void {
    const kept = new Set(waiting.map((report) => `${nameOf(report)} ${report.channel} ${report.status}`));
    for (const [task, { row, numbers }] of this.#tasks) {
      if (row === undefined) continue;
      // A task that waits for a call or for money may wait for ever. What was sent of it may not.
      const mayWait = row.stage === 'queued' || row.stage === 'prepared' || row.isPaused;
      hold(
        'ends',
        mayWait || isFinal(row.stage),
        () => `task ${task} is ${row.stage} with ${JSON.stringify(row.counts)}`,
      );
      for (const number of numbers.values()) {
        const say = () => `number ${task}.${number.seq} has no receipt`;
        if (row.stage === 'completed') hold('receipt', number.receipt !== undefined, say);
        hold('ends', number.receipt !== undefined || stateOf(number) === 'unsent', say);
        for (const [part, book] of number.parts)
          this.#checkRecorded({ task, seq: number.seq, part }, { number, book }, kept);
      }
    }
  }

  #checkRecorded(
    name: PartName,
    { number, book: part }: { readonly number: NumberBook; readonly book: PartBook },
    kept: ReadonlySet<string>,
  ): void {
    for (const { channel, answer } of part.submissions) {
      if (answer === 'throttled' || answer === 'unsent') continue;
      const isRecorded = part.records.some((record) => record.channel === channel);
      hold('records', isRecorded, () => `${nameOf(name)} was sent on channel ${channel} and has no record`);
    }
    for (const report of part.reports) {
      const [channel, status = ''] = report.split(' ');
      if (!FINAL_STATUSES.has(status)) continue;
      const isKept = deliveriesOf(number, part).has(report) || kept.has(`${nameOf(name)} ${channel} ${status}`);
      hold('records', isKept, () => `the report ${report} on ${nameOf(name)} is not kept`);
    }
  }

  #taskOf(task: number): TaskBook {
    const book = this.#tasks.get(task);
    if (book === undefined) throw new Error(`task ${task} was not accepted`);
    return book;
  }

  #numberOf({ task, seq }: PartName): NumberBook {
    const number = this.#taskOf(task).numbers.get(seq);
    hold('records', number !== undefined, () => `task ${task} has no number ${seq}`);
    return number as NumberBook;
  }

  #partOf(name: PartName) {
    return partOf(this.#numberOf(name), name.part);
  }
}

/** Whether a report with this status on a part of the number has this code. */
function hasCode({ parts }: NumberBook, status: string, code: string | null): boolean {
  return code !== null && [...parts.values()].some(({ codes }) => codes.get(status)?.has(code));
}

/** Whether its customer has paused it. Of a task that has ended, messages in progress may be completed. */
function isHeld({ isPaused, isCancelled, asked: { expiresAt } }: TaskBook, now: number): boolean {
  return isPaused && !isCancelled && (expiresAt === null || expiresAt > now);
}

/** Whether a final report from the channel that accepted it was recorded before this commit. */
function isReportRecorded({ records, deliveries }: PartBook, commit: number): boolean {
  const accepted = records.find(({ status }) => status === 'accepted');
  return [...deliveries].some(([key, at]) => at < commit && key.startsWith(`${accepted?.channel} `));
}

/** Whether nothing of it is on the wire, and nothing unknown. */
function isSettled({ submissions, records }: PartBook): boolean {
  const hasRecord = (submission: Submission) => records.some(({ channel }) => channel === submission.channel);
  const isAnswered = submissions.every((each) => each.answer !== undefined || hasRecord(each));
  return isAnswered && records.at(-1)?.status !== 'unknown';
}

/** Whether no carrier has the part, or may have it. */
function isNotTaken({ submissions }: PartBook): boolean {
  return submissions.every(({ answer }) => answer === 'refused' || answer === 'throttled' || answer === 'unsent');
}

function nameOf({ task, seq, part }: PartName): string {
  return `part ${task}.${seq}.${part}`;
}
