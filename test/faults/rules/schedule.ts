// Times, pauses and cancels: nothing goes out before its time, after it, while it is paused, or once it was called off.

import type { Receipt, SubmitRecord, TaskDetail } from '@postrider/client';
import { groupBy } from '../../../src/domain/group-by.js';
import type { Evidence } from '../evidence.js';
import type { Call } from '../history.js';
import type { SentRequest } from '../load/action.js';
import { SESSIONS } from '../world/carriers.js';
import type { JournalEntry } from '../world/centre.js';
import { HELD } from '../world.js';
import { type FinalRule, isRefusal, nationalOf } from './rule.js';
import { listTraces } from './traces.js';

/** A task with what the message centres got of it, the earliest first. */
interface HandedOver {
  readonly task: TaskDetail;
  readonly parts: readonly { readonly entry: JournalEntry; readonly atMs: number }[];
}

/** On both channels, so much may be under way at any moment. */
const UNDER_WAY = 2 * HELD * SESSIONS;
/** What is under way arrives within this time, unless something holds it up. */
const PROMPT_MS = 2500;
/** What may hold up a part that was meant to go out: its sender, the answer to its intent, or the way. */
const HOLDING_UP = /pause|stale|network|database|backend|disk|centre/;

/** Whether so many parts, the last of them then, may have been under way at that time. */
export function mayBeUnderWay({ history }: Evidence, count: number, sinceMs: number, lastMs: number): boolean {
  const isHeldUp = history
    .faults()
    .filter(({ name }) => HOLDING_UP.test(name))
    .some(({ startMs, endMs }) => {
      const [start, end] = [history.startedAt + startMs, history.startedAt + endMs];
      return start <= lastMs && end + PROMPT_MS >= sinceMs;
    });
  return count <= UNDER_WAY && (isHeldUp || lastMs <= sinceMs + PROMPT_MS);
}

function matchUp({ views, sent, accepted }: Evidence): HandedOver[] {
  const phones = new Map<string, SentRequest>();
  for (const request of sent) for (const phone of request.request.phones) phones.set(phone, request);
  const tasks = new Map(views.flatMap((view) => view.tasks).map((task) => [task.client_request_id, task]));
  const byTask = groupBy(accepted, ({ to }) => phones.get(nationalOf(to))?.request.client_request_id ?? '');
  return [...byTask].flatMap(([id, entries]) => {
    const task = tasks.get(id);
    const parts = entries
      .map((entry) => ({ entry, atMs: Date.parse(entry.at) }))
      .sort((left, right) => left.atMs - right.atMs);
    return task === undefined ? [] : [{ task, parts }];
  });
}

const notBefore: FinalRule = {
  name: 'nothing is handed over before send_at',
  check(evidence) {
    for (const { task, parts } of matchUp(evidence)) {
      const [first] = parts;
      if (first === undefined || task.send_at === null || first.atMs >= Date.parse(task.send_at)) continue;
      return `${first.entry.to} of ${task.task_no} arrived at ${first.entry.at}, and was to be sent at ${task.send_at}`;
    }
    return undefined;
  },
};

const notAfter: FinalRule = {
  name: 'nothing is handed over after expires_at but what was under way',
  check(evidence) {
    for (const { task, parts } of matchUp(evidence)) {
      if (task.expires_at === null) continue;
      const endMs = Date.parse(task.expires_at);
      const begun = new Set(parts.filter(({ atMs }) => atMs <= endMs).map(({ entry }) => entry.to));
      const late = parts.filter(({ atMs, entry }) => atMs > endMs && !begun.has(entry.to));
      const last = late.at(-1);
      if (last === undefined) continue;
      const numbers = new Set(late.map(({ entry }) => entry.to)).size;
      if (mayBeUnderWay(evidence, numbers, endMs, last.atMs)) continue;
      const traces = listTraces(evidence, last.entry.to);
      return `${numbers} numbers of ${task.task_no} arrived after ${task.expires_at}, the last at ${last.entry.at}${traces}`;
    }
    return undefined;
  },
};

const CALLED_OFF = new Set(['cancelled', 'expired_unsent']);

const calledOffStays: FinalRule = {
  name: 'a number that was cancelled or expired unsent was never handed over whole',
  check({ views, accepted }) {
    const arrived = new Map(accepted.map((entry) => [nationalOf(entry.to), entry]));
    for (const { receipts, submits, tasks } of views) {
      const expiring = new Map(tasks.map((task) => [task.task_no, task.expires_at]));
      // What was refused was not handed over, and may be called off on its way to another channel.
      const taken = submits.filter((row) => !isRefusal(row));
      const recorded = groupBy(taken, ({ task_no, seq }) => `${task_no}/${seq}`);
      for (const receipt of receipts.filter(({ code }) => CALLED_OFF.has(code ?? ''))) {
        const fault = findTrace(receipt, arrived, recorded, expiring.get(receipt.task_no) ?? null);
        if (fault !== undefined) return `${receipt.phone} of ${receipt.task_no} reads ${receipt.code}, and ${fault}`;
      }
    }
    return undefined;
  },
};

function findTrace(
  { phone, task_no, seq, parts, code, received_at }: Receipt,
  arrived: ReadonlyMap<string, JournalEntry>,
  recorded: ReadonlyMap<string, readonly SubmitRecord[]>,
  expiresAt: string | null,
): string | undefined {
  const submits = recorded.get(`${task_no}/${seq}`) ?? [];
  // Of a long message some parts may be out when its rest is called off.
  const isWhole = submits.some((one) => submits.length >= one.parts);
  if (isWhole) return 'has a submit record of every part';
  const entry = parts === 1 ? arrived.get(phone) : undefined;
  if (entry !== undefined) return `arrived at ${entry.at}`;
  const isTooEarly = code === 'expired_unsent' && (expiresAt === null || received_at < expiresAt);
  return isTooEarly ? `was given up at ${received_at}, before ${expiresAt}` : undefined;
}

const isMove = (call: Call, move: string, { task_no, batch_id }: TaskDetail): boolean =>
  call.target.endsWith(`/tasks/${task_no}/${move}/`) ||
  (batch_id !== null && call.target.endsWith(`/batches/${batch_id}/${move}/`));

const pausedRests: FinalRule = {
  name: 'while a task is paused nothing is handed over but what was under way',
  check(evidence) {
    const { history, views } = evidence;
    const owners = new Map(views.flatMap(({ customer, tasks }) => tasks.map((task) => [task, customer.name])));
    const calls = [...history.calls('move'), ...history.calls('move-batch')];
    // What is paused is resumed when the load is over, before the windows are lifted.
    const load = history.calls().filter(({ action }) => action !== 'lift-windows');
    const overMs = Math.max(0, ...load.map(({ endMs }) => endMs));
    for (const { task, parts } of matchUp(evidence)) {
      const own = calls.filter(({ customer }) => customer === owners.get(task));
      // Answered or not, it may have had its effect from its beginning on.
      const resumes = own.filter((call) => isMove(call, 'resume', task));
      const pauses = own.filter((call) => call.status === 200 && isMove(call, 'pause', task));
      for (const { startMs, endMs } of pauses.filter(({ action }) => action === 'move')) {
        const resumed = resumes.filter((call) => call.endMs > startMs).map((call) => call.startMs);
        const [from, until] = [history.startedAt + endMs, history.startedAt + Math.min(overMs, ...resumed)];
        const begun = new Set(parts.filter(({ atMs }) => atMs <= from).map(({ entry }) => entry.to));
        const news = parts.filter(({ atMs, entry }) => atMs > from && atMs < until && !begun.has(entry.to));
        const last = news.at(-1);
        if (last === undefined || mayBeUnderWay(evidence, news.length, from, last.atMs)) continue;
        return `${news.length} parts of ${task.task_no} arrived after it was paused at ${endMs} ms, until ${last.entry.at}`;
      }
    }
    return undefined;
  },
};

export const SCHEDULE_RULES = { running: [], final: [notBefore, notAfter, calledOffStays, pausedRests] };
