// What a customer's tasks and money should be, in the plainest words: nothing is kept that can be worked out. The pipeline
// is held against it through a real database.

import type { TaskId } from '../../../src/domain/id.js';
import type { Policy, StepChoice } from '../../../src/domain/task/automation.js';
import type { BillingTerms } from '../../../src/domain/task/billing.js';
import type { Counts, Stage } from '../../../src/domain/task/stages.js';
import {
  isDeclined,
  isFinished,
  isUntouched,
  type ModelNumber,
  type NumberEvent,
  stateOf,
  tellNumber,
  tryAnew,
} from './number-model.js';

export interface ModelTask {
  readonly taskId: TaskId;
  readonly autoPrepare: boolean;
  readonly autoFreeze: boolean;
  readonly autoSubmit: boolean;
  /** Positions that preparing rejects: invalid and repeated numbers. */
  readonly rejected: readonly number[];
  /** The numbers that can be sent, by position. */
  readonly numbers: ReadonlyMap<number, ModelNumber>;
  timeline: Stage[];
  isPrepareWanted: boolean;
  isInsufficient: boolean;
  /** With that: the day has no room for it. */
  isOverLimit: boolean;
  /** A top-up tries again. */
  isWaiting: boolean;
  /** The terms of the freeze, once frozen. */
  terms: BillingTerms | undefined;
  frozenOnDay: number | undefined;
  /** All its numbers have their receipts and no answer is open: nothing changes any more. */
  isClosed: boolean;
  /** Which numbers go on together: those that were declined at the same time, on every channel so far. */
  readonly groups: Map<number, string>;
  /** Its time to be sent is still to come. */
  isLater: boolean;
  /** It has a time after which nothing more of it is sent. */
  hasEnd: boolean;
  /** Null: it never was paused. */
  isPaused: boolean | null;
  /** It may go, and does not yet. */
  isGranted: boolean;
  /** What is unsent is not sent any more. */
  hasEnded: 'cancelled' | 'expired_unsent' | undefined;
}

export interface ModelCustomer {
  readonly unitPrice: bigint;
  readonly creditLimit: bigint;
  readonly policy: Policy;
  terms: BillingTerms;
  /** Top-ups and adjustments. */
  credited: bigint;
  isRefreezeWanted: boolean;
  /** What may be frozen in a day. */
  dailyLimit: bigint | null;
  today: number;
  /** The last day on which something was frozen, or which was begun for tasks that waited for it. */
  begunDay: number | undefined;
  readonly tasks: ModelTask[];
  /** Tried again oldest first. */
  waiting: ModelTask[];
}

export type MoveOutcome = 'ok' | 'invalid_stage' | 'insufficient_funds';

export const stage = (task: ModelTask): Stage => task.timeline.at(-1) ?? 'queued';
const UNSENT: readonly Stage[] = ['queued', 'prepared', 'submitting'];
const SUBMITTED: readonly Stage[] = ['submitting', 'waiting_receipt', 'submit_unknown', 'completed'];

/** Whether its numbers are with a channel, or were. */
export function isSubmitted(task: ModelTask): boolean {
  return task.timeline.includes('submitting');
}

function enter(task: ModelTask, ...stages: readonly Stage[]): void {
  for (const next of stages) if (stage(task) !== next) task.timeline.push(next);
}

export function priceOf(customer: ModelCustomer, task: ModelTask): bigint {
  let parts = 0;
  for (const number of task.numbers.values()) parts += number.parts.length;
  return customer.unitPrice * BigInt(parts);
}

export function countsOf(task: ModelTask): Counts {
  const counts = { unsent: 0, rejected: 0, unknown: 0, awaiting: 0, delivered: 0, undelivered: 0, expired: 0 };
  // Before it is prepared nothing is known of any number.
  const isPrepared = task.timeline.includes('prepared');
  counts[isPrepared || task.hasEnded !== undefined ? 'rejected' : 'unsent'] += task.rejected.length;
  for (const number of task.numbers.values()) counts[stateOf(number)] += 1;
  return { ...counts, total: task.rejected.length + task.numbers.size };
}

export function amountsOf(customer: ModelCustomer, task: ModelTask) {
  const amounts = { frozen: 0n, charged: 0n, released: 0n, refunded: 0n };
  if (task.terms === undefined) return amounts;
  amounts.frozen = priceOf(customer, task);
  for (const number of task.numbers.values()) {
    const price = customer.unitPrice * BigInt(number.parts.length);
    const { result } = number;
    const isAccepted = number.parts.every((part) => part.answer === 'accepted');
    const isCharged = task.terms.chargeOn === 'submit' ? isAccepted : result === 'delivered';
    const hasFailed = result !== undefined && result !== 'delivered';
    if (isCharged) amounts.charged += price;
    else if (hasFailed) amounts.released += price;
    if (isCharged && hasFailed && task.terms.refundOnFailure) amounts.refunded += price;
  }
  return amounts;
}

export function balanceOf(customer: ModelCustomer): { available: bigint; frozen: bigint } {
  let available = customer.credited;
  let frozen = 0n;
  for (const task of customer.tasks) {
    const amounts = amountsOf(customer, task);
    available += amounts.released + amounts.refunded - amounts.frozen;
    frozen += amounts.frozen - amounts.charged - amounts.released;
  }
  return { available, frozen };
}

/** What was frozen today, also where it was charged or released since. */
export function frozenToday(customer: ModelCustomer): bigint {
  const { tasks, today } = customer;
  return tasks.reduce((sum, task) => sum + (task.frozenOnDay === today ? priceOf(customer, task) : 0n), 0n);
}

function findObstacle(customer: ModelCustomer, price: bigint): 'funds' | 'limit' | undefined {
  const { creditLimit, dailyLimit } = customer;
  if (price === 0n) return undefined;
  if (dailyLimit !== null && price > dailyLimit) return 'limit';
  if (price > balanceOf(customer).available + creditLimit) return 'funds';
  return dailyLimit !== null && frozenToday(customer) + price > dailyLimit ? 'limit' : undefined;
}

/** Whether a step is taken without a call: what the operator has set, or else what the request asked for. */
export function goesByItself(choice: StepChoice, isAsked: boolean): boolean {
  if (choice === 'by_request') return isAsked;
  return choice === 'always';
}

/** All or nothing, never below the limit of the balance, never above that of the day. */
function freeze(customer: ModelCustomer, task: ModelTask): boolean {
  const price = priceOf(customer, task);
  const obstacle = findObstacle(customer, price);
  task.isInsufficient = obstacle !== undefined;
  task.isOverLimit = obstacle === 'limit';
  if (obstacle !== undefined) return false;
  task.terms = customer.terms;
  task.frozenOnDay = customer.today;
  if (price > 0n) customer.begunDay = customer.today;
  if (goesByItself(customer.policy.submit, task.autoSubmit)) grant(task);
  return true;
}

/** It goes now, or when its time has come and no call holds it. */
function grant(task: ModelTask): void {
  task.isGranted = task.isLater || task.isPaused === true;
  if (!task.isGranted) enter(task, 'submitting');
}

/** Whether parts of it may go out. */
export function isUp(task: ModelTask): boolean {
  return isSubmitted(task) && !task.isGranted;
}

export function startDue(customer: ModelCustomer): void {
  for (const task of customer.tasks) if (task.isGranted) grant(task);
}

/** Ends what is unsent; answers to what is under way are awaited, whatever kept it. */
function end(task: ModelTask, why: 'cancelled' | 'expired_unsent'): void {
  const isWhole = [...task.numbers.values()].every((number) => isUntouched(number) && number.earlier.length === 0);
  task.hasEnded = why;
  for (const number of task.numbers.values()) tellNumber(number, 1, endOf(why));
  if (why === 'cancelled' && isWhole) enter(task, 'cancelled');
  conclude(task);
  if (!task.isGranted && task.isPaused !== true) return;
  if (task.isPaused !== null) task.isPaused = false;
  task.isGranted = false;
}

/** Of a cancelled task nothing more goes out; of an expired one messages that were begun are finished. */
function endOf(why: 'cancelled' | 'expired_unsent') {
  return { kind: why === 'cancelled' ? 'stopped' : 'ended' } as const;
}

export function endDue(customer: ModelCustomer): void {
  for (const task of customer.tasks) {
    if (task.hasEnd && task.hasEnded === undefined && UNSENT.includes(stage(task))) end(task, 'expired_unsent');
  }
}

/** All channels are gone for good: what is up and certainly not with them ends. */
export function giveUpAll(customer: ModelCustomer): void {
  for (const task of customer.tasks.filter((one) => isUp(one) && !one.isClosed)) {
    for (const number of task.numbers.values()) tellNumber(number, 1, { kind: 'stranded' });
    conclude(task);
  }
}

export function prepareAll(customer: ModelCustomer): void {
  const due = customer.tasks.filter((task) => task.isPrepareWanted && stage(task) === 'queued');
  for (const task of due.sort((a, b) => (a.taskId < b.taskId ? -1 : 1))) {
    enter(task, 'prepared');
    if (task.numbers.size === 0) {
      enter(task, 'completed');
      if (task.isPaused !== null) task.isPaused = false;
    } else if (goesByItself(customer.policy.freeze, task.autoFreeze) && !freeze(customer, task))
      customer.waiting.push(task);
  }
  for (const task of customer.tasks) task.isPrepareWanted = false;
}

export function refreezeAll(customer: ModelCustomer): void {
  if (customer.begunDay !== customer.today && customer.tasks.some(({ isOverLimit }) => isOverLimit)) {
    customer.begunDay = customer.today;
    customer.isRefreezeWanted = true;
  }
  if (!customer.isRefreezeWanted) return;
  customer.isRefreezeWanted = false;
  const oldestFirst = [...customer.waiting].sort((a, b) => (a.taskId < b.taskId ? -1 : 1));
  customer.waiting = oldestFirst.filter((task) => {
    if (stage(task) !== 'prepared' || task.terms !== undefined) return false;
    return !freeze(customer, task);
  });
}

export const MOVES: Readonly<
  Record<
    'prepare' | 'freeze' | 'submit' | 'cancel' | 'pause' | 'resume',
    (c: ModelCustomer, t: ModelTask) => MoveOutcome
  >
> = {
  prepare(_, task) {
    if (stage(task) === 'cancelled') return 'invalid_stage';
    if (stage(task) === 'queued') task.isPrepareWanted = true;
    return 'ok';
  },
  freeze(customer, task) {
    if (task.terms !== undefined && stage(task) !== 'cancelled') return 'ok';
    if (stage(task) !== 'prepared') return 'invalid_stage';
    return freeze(customer, task) ? 'ok' : 'insufficient_funds';
  },
  submit(_, task) {
    if (SUBMITTED.includes(stage(task))) return 'ok';
    if (stage(task) !== 'prepared' || task.terms === undefined) return 'invalid_stage';
    grant(task);
    return 'ok';
  },
  cancel(_, task) {
    if (stage(task) === 'cancelled' || task.hasEnded === 'cancelled') return 'ok';
    if (stage(task) === 'completed') return 'invalid_stage';
    end(task, 'cancelled');
    return 'ok';
  },
  pause(_, task) {
    if (!UNSENT.includes(stage(task)) || task.hasEnded !== undefined) return 'invalid_stage';
    if (task.isPaused !== true && isSubmitted(task)) task.isGranted = true;
    task.isPaused = true;
    return 'ok';
  },
  resume(_, task) {
    if (task.isPaused === null) return 'invalid_stage';
    task.isPaused = false;
    if (task.isGranted) grant(task);
    return 'ok';
  },
};

/** Another time, until the first part is out, or may be. */
export function reschedule(task: ModelTask, isLater: boolean): MoveOutcome {
  const isBegun = [...task.numbers.values()].some(
    ({ parts, earlier }) => earlier.length > 0 || parts.some(({ sent, answer }) => sent || answer !== 'none'),
  );
  if (!UNSENT.includes(stage(task)) || task.hasEnded !== undefined || isBegun) return 'invalid_stage';
  task.isLater = isLater;
  if (task.isGranted || isUp(task)) grant(task);
  return 'ok';
}

export interface News {
  readonly task: ModelTask;
  readonly seq: number;
  readonly part: number;
  readonly event: NumberEvent;
  /** It is about the number as it was on an earlier channel. */
  readonly isStale?: boolean;
}

/** On how many channels a number may be tried: one, and two more. */
const MAX_TRIES = 3;
let batches = 0;

/** What one transaction is told. The stage is that after all of it. */
export function tellAll(news: readonly News[]): void {
  const touched = new Set<ModelTask>();
  const surprised = new Set<ModelTask>();
  const gone = new Set(news.flatMap(({ task, seq }) => (isClosed(task, seq) ? numbersBeside(task, seq) : [])));
  batches += 1;
  for (const { task, seq, part, event, isStale = false } of news) {
    const number = task.numbers.get(seq);
    if (number === undefined || isStale || gone.has(number)) continue;
    if (event.kind === 'intended' && !isUp(task)) continue;
    const isLastTry = number.earlier.length === MAX_TRIES - 1;
    const told = number.parts[part - 1];
    const wasUnsent = told?.sent === false && told.answer === 'none';
    tellNumber(number, part, event.kind === 'declined' && isLastTry ? { kind: 'refused' } : event);
    if (wasUnsent && told.answer !== 'none') surprised.add(task);
    if (isDeclined(number)) {
      if (task.hasEnded !== undefined) number.result = 'rejected';
      else {
        tryAnew(number);
        task.groups.set(seq, `${task.groups.get(seq)}>${batches}`);
        // The rest of what is told is about the channel that it has left.
        gone.add(number);
      }
    }
    // What comes back of a task that ended does not go again.
    if (event.kind === 'withdrawn' && task.hasEnded !== undefined) tellNumber(number, part, endOf(task.hasEnded));
    touched.add(task);
  }
  for (const task of touched) conclude(task);
  for (const task of surprised) pauseForLostCommits(task);
}

/** The numbers that share its chunk, and the number itself. */
function numbersBeside(task: ModelTask, seq: number): ModelNumber[] {
  const group = task.groups.get(seq);
  return [...task.numbers].flatMap(([other, number]) => (task.groups.get(other) === group ? [number] : []));
}

/** Its chunk is deleted: what comes later is too late. */
function isClosed(task: ModelTask, seq: number): boolean {
  return numbersBeside(task, seq).every(isFinished);
}

/** The wire knows of a part that the row shows as unsent: the rest waits until a person resumes it. */
function pauseForLostCommits(task: ModelTask): void {
  if (countsOf(task).unsent === 0 || task.isPaused === true) return;
  task.isPaused = true;
  task.isGranted = true;
}

/** A task is where the last of its numbers is. */
function furthestOf(numbers: readonly ModelNumber[]): Stage {
  const states = new Set(numbers.map(stateOf));
  if (states.has('unsent')) return 'submitting';
  if (states.has('unknown')) return 'submit_unknown';
  return states.has('awaiting') ? 'waiting_receipt' : 'completed';
}

function conclude(task: ModelTask): void {
  const numbers = [...task.numbers.values()];
  const counts = countsOf(task);
  if (stage(task) !== 'cancelled') enter(task, furthestOf(numbers));
  task.isClosed = numbers.every(isFinished);
  if (counts.unsent > 0) return;
  task.isInsufficient = false;
  task.isOverLimit = false;
  task.isGranted = false;
  if (task.isPaused !== null) task.isPaused = false;
}

/** The unknown parts of a task, by position. */
export function unknownOf(task: ModelTask): { seq: number; part: number }[] {
  return [...task.numbers].flatMap(([seq, number]) =>
    number.parts.flatMap((part, at) => (part.answer === 'unknown' ? [{ seq, part: at + 1 }] : [])),
  );
}

export const PERMISSIONS: readonly StepChoice[] = ['by_request', 'always', 'manual'];
