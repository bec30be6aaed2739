// The model: says whether the promises of the contract and the specification hold. It is told what customers ask, what carriers get
// and say, and every commit, and throws at the first broken promise. It is written from those two documents and imports nothing of
// `src`: it must not err together with the code.

import type {
  CommitRows,
  CustomerTerms,
  PartName,
  ReceiptRow,
  SubmitRow,
  TaskAsked,
  TaskRow,
  Timeouts,
  Told,
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
  wasReported,
} from './number.js';
import { hold } from './promise.js';
import { checkReceiptState, checkStage, isFinal } from './stages.js';

interface TaskBook {
  readonly asked: TaskAsked;
  readonly numbers: ReadonlyMap<number, NumberBook>;
  sendAt: number | null;
  isCancelled: boolean;
  /** The outcomes that an operator chose for unknown parts. */
  readonly resolved: Set<'accepted' | 'not_accepted'>;
  row: TaskRow | undefined;
}

/** Codes of ours, of numbers that were never handed over. */
const UNSENT_CODES: ReadonlySet<string> = new Set(['cancelled', 'expired_unsent', 'no_channel']);
const FINAL_STATUSES: ReadonlySet<string> = new Set(['delivered', 'undelivered', 'expired', 'rejected']);

export class Model {
  readonly #timeouts: Timeouts;
  readonly #ledger = new LedgerBook();
  readonly #tasks = new Map<number, TaskBook>();
  /** How many channels each customer may use; undefined: all. */
  readonly #granted = new Map<number, number>();
  /** Customers that ever lost a grant. */
  readonly #revoked = new Set<number>();
  /** The numbers of the commit that is being checked. */
  readonly #touched = new Set<NumberBook>();

  constructor(timeouts: Timeouts) {
    this.#timeouts = timeouts;
  }

  openCustomer(terms: CustomerTerms): void {
    this.#ledger.open(terms);
  }

  // What customers and operators ask.

  accept(asked: TaskAsked): void {
    const numbers = new Map(asked.numbers.map(({ seq, price }) => [seq, openNumber(seq, price)]));
    const { sendAt } = asked;
    this.#tasks.set(asked.task, { asked, numbers, sendAt, isCancelled: false, resolved: new Set(), row: undefined });
  }

  reschedule(task: number, sendAt: number): void {
    this.#taskOf(task).sendAt = sendAt;
  }

  grant(customer: number, channels: number): void {
    if (channels < (this.#granted.get(customer) ?? Number.POSITIVE_INFINITY)) this.#revoked.add(customer);
    this.#granted.set(customer, channels);
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
  submit(name: PartName, channel: number): Submission {
    const part = this.#partOf(name);
    for (const earlier of part.submissions) {
      const mayRepeat = earlier.told === 'refused' || earlier.told === 'throttled' || earlier.told === 'unsent';
      const told = earlier.told ?? 'not answered';
      hold(
        'sent',
        mayRepeat,
        () => `${nameOf(name)} goes to channel ${channel}, and was ${told} on ${earlier.channel}`,
      );
    }
    const submission: Submission = { channel, told: undefined, toldLate: undefined };
    part.submissions.push(submission);
    return submission;
  }

  answer(submission: Submission, told: Told): void {
    submission.told = told;
  }

  /** The last submission of a part. */
  submissionOf(name: PartName): Submission | undefined {
    return this.#partOf(name).submissions.at(-1);
  }

  /** An answer after its loss: it says what became of the part, and does not allow to send it again. */
  answerLate(name: PartName, told: 'accepted' | 'refused'): void {
    const submission = this.submissionOf(name);
    if (submission !== undefined) submission.toldLate = told;
  }

  report(name: PartName, channel: number, status: string): void {
    this.#partOf(name).reports.add(`${channel} ${status}`);
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
      hold('allowed', number.receipt === undefined, say(`it has the receipt ${number.receipt?.result}`));
      hold('allowed', number.price !== undefined, say('it was to be rejected'));
      const { row, sendAt, asked } = book;
      hold('allowed', row?.stage === 'submitting', say(`its task is ${row?.stage}`));
      hold('allowed', row?.frozen === row?.price, say('its price is not frozen'));
      hold('allowed', row?.isPaused === false, say('its task is paused'));
      hold('allowed', sendAt === null || sendAt <= now, say('its time has not come'));
      const isInTime = asked.expiresAt === null || asked.expiresAt > now;
      hold('allowed', isInTime || number.hasBegun, say('its task has expired'));
      hold('allowed', !book.isCancelled, say('its task is cancelled'));
      number.hasBegun = true;
    }
  }

  commit(rows: CommitRows): void {
    this.#touched.clear();
    for (const submit of rows.submits) this.#noteSubmit(submit, rows.now);
    for (const delivery of rows.deliveries) {
      const part = this.#partOf(delivery);
      const key = `${delivery.channel} ${delivery.status}`;
      const isReported = reportsOn(this.#numberOf(delivery), part).has(key);
      hold('reason', isReported, () => `${nameOf(delivery)} has a delivery that nobody reported: ${key}`);
      if (!FINAL_STATUSES.has(delivery.status)) continue;
      hold('records', !part.deliveries.has(key), () => `the report ${key} on ${nameOf(delivery)} is recorded twice`);
      part.deliveries.add(key);
    }
    for (const receipt of rows.receipts) this.#noteReceipt(receipt, rows);
    for (const number of this.#touched) this.#noteAcceptance(number, rows);
    for (const entry of rows.entries) this.#ledger.post(entry);
    for (const row of rows.tasks) this.#checkTask(row);
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
    number.submissions = submit.parts;
    if (submit.status === 'unknown') part.unknownSince = now;
    else hold('reason', this.#hasReason(submit, now), say('nothing says so'));
  }

  /** Why a part is recorded as accepted or rejected. */
  #hasReason(submit: SubmitRow, now: number): boolean {
    const { resolved } = this.#taskOf(submit.task);
    const part = this.#partOf(submit);
    const { submissions, unknownSince } = part;
    const told = submit.status === 'accepted' ? 'accepted' : 'refused';
    if (submissions.some((each) => each.channel === submit.channel && (each.told === told || each.toldLate === told)))
      return true;
    if (submit.status === 'accepted') {
      for (const report of reportsOn(this.#numberOf(submit), part)) {
        if (report.startsWith(`${submit.channel} `)) return true;
      }
      return resolved.has('accepted');
    }
    const isOverdue = unknownSince !== undefined && unknownSince + this.#timeouts.unknownMs <= now;
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
      return result === 'expired' && (number.acceptedAt ?? now) + this.#timeouts.receiptMs <= now;
    }
    if (isAccepted(number) && parts.some((part) => wasReported(number, part, result))) return true;
    if (result !== 'rejected') return false;
    switch (code) {
      case 'cancelled':
        return isCancelled && stateOf(number) === 'unsent';
      case 'expired_unsent':
        return asked.expiresAt !== null && asked.expiresAt <= now && stateOf(number) === 'unsent';
      case 'no_channel':
        return true;
      case 'no_route':
        // When it is prepared no channel is granted; later the grant of its channel was revoked.
        if (row?.stage === 'queued') return this.#granted.get(asked.customer) === 0;
        return this.#revoked.has(asked.customer) && stateOf(number) === 'unsent' && parts.every(isNotTaken);
      case 'not_accepted':
        return parts.some(
          ({ unknownSince = now }) => unknownSince + this.#timeouts.unknownMs <= now || resolved.has('not_accepted'),
        );
      default:
        return parts.some(({ submissions }) =>
          submissions.some(({ told, toldLate }) => told === 'refused' || toldLate === 'refused'),
        );
    }
  }

  #checkTask(row: TaskRow): void {
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
      const isRight = row.charged === charged && row.released === released && row.refunded === refunded;
      const shown = `${row.charged}, ${row.released}, ${row.refunded}`;
      const wanted = `${charged}, ${released}, ${refunded}`;
      hold('money', isRight, () => `task ${row.task} charged, released, refunded ${shown}, not ${wanted}`);
    }
    checkStage(row, book.row);
    checkReceiptState(row);
    this.#ledger.checkTask(row);
    book.row = row;
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
    for (const { channel, told } of part.submissions) {
      if (told === 'throttled' || told === 'unsent') continue;
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

/** Whether no carrier has the part, or may have it. */
function isNotTaken({ submissions }: PartBook): boolean {
  return submissions.every(({ told }) => told === 'refused' || told === 'throttled' || told === 'unsent');
}

function nameOf({ task, seq, part }: PartName): string {
  return `part ${task}.${seq}.${part}`;
}
