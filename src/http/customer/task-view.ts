// A task as its customer sees it.

import { type CustomerId, formatNo } from '../../domain/id.js';
import { fitsFrom, frozenToday } from '../../domain/money/freeze.js';
import { formatMoney } from '../../domain/money/money.js';
import { decodeContent, hideCodes, sharedVariables } from '../../domain/request/content.js';
import { formatTime, formatTimeOrNull } from '../../domain/rfc3339.js';
import { type SendingHours, sendingHoursAt } from '../../domain/rules/send-windows.js';
import { waitsFor } from '../../domain/task/schedule.js';
import { accountingState, receiptState } from '../../domain/task/stages.js';
import { heldOf, type Task, wasPrepared } from '../../domain/task/task.js';
import { databaseClock } from '../../store/database-clock.js';
import { type Balance, readBalance } from '../../store/money/balance.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { Sql } from '../../store/sql.js';
import { readContent } from '../../store/task/task.js';
import { readVerification, type Verification } from '../../store/wire/unknown-part.js';
import { clientRequestIdOf } from './request-key.js';

/** Names come from the configuration: it keeps disabled templates and accounts, and none is ever deleted. */
export function renderTask(task: Task, snapshot: Snapshot) {
  const { counts, hold } = task;
  const hours = findClosedHours(task, snapshot);
  return {
    task_no: formatNo('T', task.taskId),
    client_request_id: clientRequestIdOf(task.requestKey),
    batch_id: task.batchId,
    title: task.title,
    template_no: snapshot.templateById(task.templateId)?.templateNo ?? null,
    class: snapshot.classOf(task.templateId),
    service_account_no: snapshot.serviceAccountById(task.serviceAccountId)?.serviceAccountNo ?? null,
    target_firms: task.targetFirms ?? [],
    auto_prepare: task.autoPrepare,
    auto_freeze: task.autoFreeze,
    auto_submit: task.autoSubmit,
    ...showStates(task, hours),
    next_send_at: hours === undefined ? null : new Date(hours.changesAt).toISOString(),
    send_at: formatTimeOrNull(task.sendAt),
    expires_at: formatTimeOrNull(task.expiresAt),
    counts: { ...counts },
    cancelled: task.cancelled,
    amounts: {
      currency: currencyOf(snapshot, task.customerId),
      price: wasPrepared(task) ? formatMoney(task.price) : null,
      frozen: formatMoney(hold.frozen),
      charged: formatMoney(hold.charged),
      released: formatMoney(hold.released),
      refunded: formatMoney(hold.refunded),
      held: formatMoney(heldOf(hold)),
    },
    created_at: formatTime(task.createdAt),
    updated_at: formatTime(task.updatedAt),
    completed_at: formatTimeOrNull(task.completedAt),
  };
}

/** The hours that the queued messages of a task wait for. */
function findClosedHours(task: Task, snapshot: Snapshot): SendingHours | undefined {
  if (task.stage !== 'submitting' || task.counts.unsent === 0) return undefined;
  const windows = snapshot.customer(task.customerId)?.sendWindows ?? [];
  const state = sendingHoursAt(windows, snapshot.classOf(task.templateId), databaseClock.now());
  return state.isOpen || state.outside === 'reject' || waitsFor(task, true) !== 'window' ? undefined : state;
}

/** Where it stands, in every respect. */
export function showStates(task: Task, hours?: SendingHours) {
  const { counts, hold } = task;
  return {
    stage: task.stage,
    accounting_state: accountingState({
      frozenAt: task.frozenAt ?? undefined,
      insufficient: task.insufficientFunds,
      hold,
      // Before the freeze there are no terms, and nothing that they could change.
      chargeOn: task.terms?.chargeOn ?? 'submit',
      refundOnFailure: task.terms?.refundOnFailure ?? false,
      outstanding: counts.unsent + counts.unknown + counts.awaiting,
    }),
    receipt_state: receiptState(counts),
    failure: task.failure,
    waits_for: waitsFor(task, hours !== undefined),
  };
}

/** With its text and timeline, without codes for those who may not see them, and what is behind a wait for verification or for the limit of the day. */
export async function showTaskDetail(sql: Sql, task: Task, snapshot: Snapshot, hidesCodes: boolean) {
  const verification = task.stage === 'submit_unknown' ? await readVerification(sql, task, task.taskId) : undefined;
  const balance = waitsFor(task) === 'limit' ? await readBalance(sql, task) : undefined;
  const kept = decodeContent(await readContent(sql, task));
  const content = kept && hidesCodes && snapshot.classOf(task.templateId) === 'otp' ? hideCodes(kept) : kept;
  return {
    ...renderTask(task, snapshot),
    template_body: content?.body ?? null,
    variable_values: content === undefined ? null : sharedVariables(content),
    timeline: task.timeline.map(({ stage, at }) => ({ stage, at: new Date(at).toISOString() })),
    ...(verification && { verification: renderVerification(task, verification) }),
    ...(balance && { limit: renderLimit(task, balance) }),
  };
}

function renderVerification({ counts }: Task, { since, deadline }: Verification) {
  return { since: since.toISOString(), deadline: deadline.toISOString(), unknown: counts.unknown };
}

function renderLimit({ price }: Task, balance: Balance) {
  const { dailyLimit, now } = balance;
  return {
    // Null for the moment between the end of a limit and the freeze that it allows.
    daily_limit: dailyLimit === null ? null : formatMoney(dailyLimit),
    frozen_today: formatMoney(frozenToday(balance, now)),
    fits_from: fitsFrom(balance, price, now)?.toISOString() ?? null,
  };
}

function currencyOf(snapshot: Snapshot, customerId: CustomerId): string {
  const customer = snapshot.customer(customerId);
  if (customer === undefined) throw new Error(`customer ${customerId} has a task and is not in the snapshot`);
  return customer.currency;
}
