// What customers and operators do with tasks, each in a transaction. Mirrors `src/pipeline/accept`, `prepare` and `task-moves`; every
// decision is the real one.

import { taskKeyOf } from '#src/domain/chunk/chunk.js';
import type { CustomerId } from '#src/domain/id.js';
import { type Account, nextQueueNo, nextRecordId, postEntry } from '#src/domain/money/ledger.js';
import { endDeliveryEvents, endTask, isAllUnsent, type TaskToEnd } from '#src/domain/outcome/ending.js';
import { startSettlement } from '#src/domain/outcome/settlement.js';
import { planTask, rejectAll } from '#src/domain/plan/plan.js';
import { createRouter } from '#src/domain/plan/routing.js';
import { finishSteps } from '#src/domain/steps.js';
import { isDispatching, isDueToEnd, isDueToStart } from '#src/domain/task/schedule.js';
import type { Ending, Task } from '#src/domain/task/task.js';
import {
  cancelByHand,
  freezeByHand,
  type Moved,
  pauseByHand,
  prepareByHand,
  rescheduleByHand,
  resolveByHand,
  resumeByHand,
  submitByHand,
} from '#src/domain/task/task-moves.js';
import { acceptTask, prepareTask, refreezeTask, startTask, type TaskOrigin } from '#src/domain/task/task-steps.js';
import type { MoveName, NumberKind, Step } from '../script.js';
import { resolvedEvents } from './deadlines.js';
import { settleNow } from './recording.js';
import { storedStateOf, writeSettlement } from './settle.js';
import { readChunk } from './store.js';
import { taskNameOf } from './view.js';
import { FIRM, priceOfParts, UNIT_PRICE, type World } from './world.js';

/** As many characters as take so many parts in the GSM alphabet. */
const TEXT: Readonly<Record<1 | 2 | 3, string>> = { 1: 'a', 2: 'b'.repeat(200), 3: 'c'.repeat(400) };
const OPTED_OUT = '9';

function phoneOf(kind: NumberKind, task: number, seq: number, first: number): string {
  if (kind === 'invalid') return '12';
  const lead = kind === 'opted_out' ? `138${OPTED_OUT}` : '1380';
  const number = kind === 'duplicate' ? first : seq;
  return `${lead}${String(task).padStart(5, '0')}${String(number).padStart(2, '0')}`;
}

function phonesOf(kinds: readonly NumberKind[], task: number): string[] {
  const first = kinds.findIndex((kind) => typeof kind === 'number') + 1;
  return kinds.map((kind, at) => phoneOf(kind, task, at + 1, Math.max(1, first)));
}

function partsOf(kind: NumberKind): 1 | 2 | 3 {
  return typeof kind === 'number' ? kind : 1;
}

/** Accepts a task. Its numbers are written down with what the model needs to know of them. */
export function send(world: World, step: Extract<Step, { do: 'send' }>): boolean {
  const customer = world.customer(step.customer);
  if (customer === undefined || world.task(step.task) !== undefined || step.numbers.length === 0) return false;
  const { until, sendInMs, expiresInMs } = step;
  const phones = phonesOf(step.numbers, step.task);
  const sendAt = sendInMs === undefined ? null : new Date(world.nowMs + sendInMs);
  const expiresAt = expiresInMs === undefined ? null : new Date(world.nowMs + expiresInMs);
  const origin: TaskOrigin = {
    bucket: 0,
    customerId: customer.id,
    taskId: world.taskIdOf(step.task),
    requestKey: `c:${step.task}`,
    fingerprint: NO_BYTES,
    templateId: 1n,
    serviceAccountId: 1n,
    batchId: null,
    title: null,
    accountDefaulted: true,
    targetFirms: null,
    autoPrepare: until !== 'queued',
    autoFreeze: until === 'frozen' || until === 'submitted',
    autoSubmit: until === 'submitted',
    sendAt,
    expiresAt,
    payload: '',
    content: '',
  };
  const { payload: _payload, content: _content, ...task } = acceptTask(origin, phones.length, customer.rules);
  world.store.payloads.set(taskKeyOf(task), phones);
  world.kinds.set(taskKeyOf(task), step.numbers);
  world.store.writeTask(task);
  const seen = new Set<string>();
  const numbers = phones.map((phone, at) => {
    const kind = step.numbers[at] ?? 1;
    const isSendable = kind !== 'invalid' && kind !== 'opted_out' && !seen.has(phone);
    if (kind !== 'invalid') seen.add(phone);
    const parts = partsOf(kind);
    return { seq: at + 1, parts, price: isSendable ? (priceOfParts(parts) as bigint) : undefined };
  });
  world.model.accept({
    task: step.task,
    customer: step.customer,
    numbers,
    sendAt: sendAt?.getTime() ?? null,
    expiresAt: expiresAt?.getTime() ?? null,
  });
  world.committed();
  return true;
}

const NO_BYTES = Buffer.alloc(0);

/** Prepares the tasks that wait for it. */
export function prepareWaiting(world: World): boolean {
  const waiting = [...world.store.tasks.values()].filter(
    ({ stage, queuedFor }) => stage === 'queued' && queuedFor === 'prepare',
  );
  for (const task of waiting) prepare(world, task);
  return waiting.length > 0;
}

function prepare(world: World, task: Task): void {
  const { store, now } = world;
  const key = taskKeyOf(task);
  const customer = world.customerOf(task.customerId);
  const account = store.lockAccount(task.customerId);
  const phones = store.payloads.get(key) ?? [];
  const kinds = world.kinds.get(key) ?? [];
  const texts = kinds.map((kind) => TEXT[partsOf(kind)]);
  const channels = world.usableChannels(task.customerId);
  const isUp = (channelId: bigint) => world.channel(channelId).isUp;
  const route = createRouter([{ firm: FIRM, name: '', prefixes: [] } as never], channels, isUp, {
    targetFirms: [],
    approvedFirms: null,
  });
  const numbers = {
    payload: { phones, variables: {}, body: '' },
    to: phones.map((phone) => (phone.length < 11 ? undefined : `86${phone}`)),
    messages: {
      common: undefined,
      text: (index: number) => texts[index] ?? '',
      parts: (index: number) => partsOf(kinds[index] ?? 1),
    },
  };
  const hasOptedOut = (e164: string) =>
    e164.startsWith(`86138${OPTED_OUT}`) || store.optedOut.has(`${task.customerId}/${e164}`);
  const plan = finishSteps(
    planTask(numbers, {
      bucket: 0,
      customerId: task.customerId,
      taskId: task.taskId,
      serviceAccountId: task.serviceAccountId,
      expiresAt: task.expiresAt,
      route,
      checks: [{ code: 'opted_out', isBeforeRouting: true, rejects: hasOptedOut }],
      unitPriceAt: () => () => UNIT_PRICE,
      traitsOf: (channelId) => world.channel(channelId).traits,
      templateId: task.templateId,
      channelOffset: taskNameOf(task.taskId),
    }),
  );
  const prepared = prepareTask(task, plan, account, customer.rules, now);
  const isQueued = prepared.stage === 'submitting';
  for (const chunk of plan.chunks) {
    store.insertChunk(chunk, isQueued ? nextQueueNo(account, 'notice') : null, world.nowMs);
  }
  for (const receipt of plan.rejected) {
    store.changes.recordIds.push({ customerId: task.customerId, id: nextRecordId(account, now) });
    store.changes.receipts.push(receipt);
  }
  store.writeTask(prepared);
  store.writeAccount(account);
  world.committed();
}

/** Makes a move on a task, by a call. Returns false if it does not apply. */
export function move(world: World, name: number, moveName: MoveName): boolean {
  const task = world.task(name);
  if (task === undefined) return false;
  const account = world.store.lockAccount(task.customerId);
  const { rules } = world.customerOf(task.customerId);
  const { now } = world;
  const moves: Readonly<Record<MoveName, () => Moved>> = {
    prepare: () => prepareByHand(task),
    freeze: () => freezeByHand(task, account, rules, now),
    submit: () => submitByHand(task, now),
    cancel: () => cancelByHand(task),
    pause: () => pauseByHand(task, now),
    resume: () => resumeByHand(task, now),
  };
  const { outcome, task: next } = moves[moveName]();
  if (next === undefined) return false;
  if (moveName === 'prepare') world.store.writeTask({ ...task, queuedFor: 'prepare' });
  else if (moveName === 'cancel') {
    world.model.cancel(name);
    end(world, task, 'cancelled');
  } else {
    if (moveName === 'pause' || moveName === 'resume') world.model.pause(name, moveName === 'pause');
    writeMoved(world, account, next);
  }
  world.committed();
  return outcome.kind === 'ok';
}

export function reschedule(world: World, name: number, inMs: number): boolean {
  const task = world.task(name);
  if (task === undefined) return false;
  const key = taskKeyOf(task);
  const states = world.store.chunksOfTask(key).map((row) => readChunk(row).state);
  const hasBegun = world.store.submitsOf(key).length > 0 || !states.every(isAllUnsent);
  const sendAt = new Date(world.nowMs + inMs);
  const { outcome, task: next } = rescheduleByHand(task, sendAt, hasBegun, world.now);
  if (outcome.kind !== 'ok' || next === undefined) return false;
  world.model.reschedule(name, sendAt.getTime());
  if (next.submitAt === task.submitAt) world.store.writeTask({ ...task, sendAt });
  else writeMoved(world, world.store.lockAccount(task.customerId), next);
  world.committed();
  return true;
}

/** Writes a changed task, and queues or unqueues its chunks. */
function writeMoved(world: World, account: Account, task: Task): void {
  const { store } = world;
  for (const row of store.chunksOfTask(taskKeyOf(task))) {
    if (isDispatching(task) && row.queueNo === null && !row.isHandedOver) {
      row.queueNo = nextQueueNo(account, 'notice');
      row.queuedAt = world.nowMs;
    } else if (task.stage === 'submitting' && !isDispatching(task)) row.queueNo = null;
  }
  store.writeTask(task);
  store.writeAccount(account);
}

/** Unsent numbers get receipts. In the transaction of the caller. */
function end(world: World, task: Task, ending: Ending): void {
  const { store, now } = world;
  const key = taskKeyOf(task);
  const rows = store.chunksOfTask(key);
  const unprepared =
    task.stage === 'queued' ? finishSteps(rejectAll(store.payloads.get(key) ?? [], task, ending, 'CN')) : [];
  const hasSubmits = store.submitsOf(key).length > 0;
  const chunks = rows.map((row) => ({ ...readChunk(row), canSend: world.isGranted(task.customerId, row.channelId) }));
  const toEnd: TaskToEnd = { task, ending, chunks, unprepared, hasSubmits };
  const accounts = new Map<CustomerId, Account>([[task.customerId, store.lockAccount(task.customerId)]]);
  const batch = startSettlement(now, accounts, rows.map(storedStateOf), [task], endDeliveryEvents(toEnd));
  for (const event of endDeliveryEvents(toEnd)) world.observe(batch, event);
  endTask(batch, toEnd);
  writeSettlement(world.settling, batch);
  const left = store.tasks.get(key);
  if (left === undefined || left.stage !== 'submitting' || isDispatching(left)) return;
  writeMoved(world, store.lockAccount(task.customerId), startTask(left, now));
}

export function endExpired(world: World): boolean {
  const { now } = world;
  const due = [...world.store.tasks.values()].filter((task) => {
    const mayHaveUnsent = ['queued', 'prepared', 'submitting'].includes(task.stage) && task.ending === null;
    return mayHaveUnsent && isDueToEnd(task, now);
  });
  for (const task of due) {
    end(world, task, 'expired_unsent');
    world.committed();
  }
  return due.length > 0;
}

export function startDue(world: World): boolean {
  const { now } = world;
  const due = [...world.store.tasks.values()].filter((task) => isDueToStart(task, now));
  for (const task of due) {
    writeMoved(world, world.store.lockAccount(task.customerId), startTask(task, now));
    world.committed();
  }
  return due.length > 0;
}

/** The operator changes the balance of a customer. */
export function post(world: World, type: 'topup' | 'adjustment', customerNumber: number, parts: number): boolean {
  const customer = world.customer(customerNumber);
  if (customer === undefined) return false;
  const account = world.store.lockAccount(customer.id);
  postEntry(account, { type, amount: priceOfParts(parts) }, world.now);
  world.store.writeAccount(account);
  world.committed();
  return true;
}

/** The operator changes how much a customer may freeze in a day. */
export function limitDay(world: World, customerNumber: number, parts: number | null): boolean {
  const customer = world.customer(customerNumber);
  if (customer === undefined) return false;
  const dailyLimit = parts === null ? null : priceOfParts(parts);
  world.store.writeAccount({ ...world.store.lockAccount(customer.id), dailyLimit });
  world.model.limitDay(customerNumber, dailyLimit);
  world.committed();
  return true;
}

/** The operator changes when a customer is charged: it holds for what is frozen from now on. */
export function bill(
  world: World,
  { customer: name, chargeOn, refundOnFailure }: Extract<Step, { do: 'bill' }>,
): boolean {
  const customer = world.customer(name);
  if (customer === undefined) return false;
  customer.rules = { ...customer.rules, chargeOn, refundOnFailure };
  world.model.changeBilling(name, { chargeOn, refundOnFailure });
  return true;
}

/** The recipient of a number opts out of what its customer sends. */
export function optOut(world: World, name: number, seq: number): boolean {
  const task = world.task(name);
  if (task === undefined) return false;
  const key = taskKeyOf(task);
  const phones = phonesOf(world.kinds.get(key) ?? [], name);
  const phone = phones[seq - 1] ?? '';
  if (phone.length < 11) return false;
  world.store.optedOut.add(`${task.customerId}/86${phone}`);
  for (const [at, other] of phones.entries()) if (other === phone) world.model.optOut(name, at + 1);
  return true;
}

export function refreeze(world: World): boolean {
  let hasFrozen = false;
  const tasks = [...world.store.tasks.values()].filter(({ insufficientFunds }) => insufficientFunds);
  for (const task of tasks.sort((one, other) => Number(one.taskId - other.taskId))) {
    const account = world.store.lockAccount(task.customerId);
    const next = refreezeTask(task, account, world.customerOf(task.customerId).rules, world.now);
    if (next === undefined) continue;
    writeMoved(world, account, next);
    world.committed();
    hasFrozen = true;
  }
  return hasFrozen;
}

/** The operator decides unknown numbers: all of them, or one. */
export function resolve(world: World, name: number, outcome: 'accepted' | 'not_accepted', seq?: number): boolean {
  const task = world.task(name);
  if (task === undefined) return false;
  const chosen = [...world.store.unknown.values()].filter(
    (row) => row.taskId === task.taskId && (seq === undefined || row.seq === seq),
  );
  const { task: next } = resolveByHand(task, chosen.length > 0);
  if (next === undefined || chosen.length === 0) return false;
  world.model.resolve(name, outcome);
  settleNow(world, resolvedEvents(world, chosen, outcome));
  return true;
}
