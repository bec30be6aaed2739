// What moves a task, and what does not: flags and policy, and the moves by hand of customer and operator.

import type { Policy, PolicyChoice, TaskDetail } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditAll } from '../../../src/store/money/audit-money.js';
import { allOf, type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

let service: Service;

beforeAll(async () => {
  service = await startService({ env: { POSTRIDER_RECEIPT_TIMEOUT: '1h', POSTRIDER_UNKNOWN_TIMEOUT: '1h' } });
});
afterAll(async () => {
  expect(await auditAll(service.sql)).toEqual([]);
  await service.stop();
});

const FLAGS = [
  { auto_prepare: false, auto_freeze: false, auto_submit: false },
  { auto_prepare: true, auto_freeze: false, auto_submit: false },
  { auto_prepare: true, auto_freeze: true, auto_submit: false },
  { auto_prepare: true, auto_freeze: true, auto_submit: true },
];
const CHOICES: readonly PolicyChoice[] = ['by_request', 'always', 'manual'];
const NUMBER = ['13800138000'];

/** How far it goes automatically: it stops at the first step that is not automatic. */
function restOf(flags: (typeof FLAGS)[number], policy: Policy): string {
  const isOn = (choice: PolicyChoice, asked: boolean) => choice === 'always' || (choice === 'by_request' && asked);
  if (!isOn(policy.prepare, flags.auto_prepare)) return 'queued none';
  if (!isOn(policy.freeze, flags.auto_freeze)) return 'prepared none';
  return isOn(policy.submit, flags.auto_submit) ? 'completed settled' : 'prepared frozen';
}

test('flags and policy: every combination stops where it should', async () => {
  const policies = CHOICES.flatMap((prepare) =>
    CHOICES.flatMap((freeze) => CHOICES.map((submit): Policy => ({ prepare, freeze, submit }))),
  );
  const sent = await Promise.all(
    policies.map(async (policy) => {
      const customer = await service.addCustomer({ policy });
      const taskNos = await Promise.all(FLAGS.map(async (flags) => (await customer.send(NUMBER, flags)).task_no));
      return { customer, policy, taskNos };
    }),
  );
  const standing = async () => {
    const seen: string[] = [];
    for (const { customer, policy, taskNos } of sent) {
      const tasks = new Map((await allOf(customer.client.tasks())).map((task) => [task.task_no, task]));
      for (const [at, taskNo] of taskNos.entries()) {
        const task = tasks.get(taskNo);
        seen.push(`${JSON.stringify(policy)} ${at}: ${task?.stage} ${task?.accounting_state}`);
      }
    }
    return seen;
  };
  const expected = sent.flatMap(({ policy }) =>
    FLAGS.map((flags, at) => `${JSON.stringify(policy)} ${at}: ${restOf(flags, policy)}`),
  );
  await until(async () => JSON.stringify(await standing()) === JSON.stringify(expected)).catch(() => undefined);
  expect(await standing()).toEqual(expected);
});

const MOVES = ['prepare', 'freeze', 'submit', 'pause', 'resume', 'cancel'] as const;

/** Brings a task of one number to a stage, by hand. */
async function bringTo(customer: ServiceCustomer, stage: string): Promise<string> {
  const last = { completed: '9001', waiting_receipt: '9007', submit_unknown: '9005' }[stage] ?? '8000';
  const byHand = { auto_prepare: false, auto_freeze: false, auto_submit: false };
  const { task_no: taskNo } = await customer.send([`1380013${last}`], byHand);
  const { client } = customer;
  if (stage === 'queued') return taskNo;
  if (stage === 'cancelled') await client.cancelTask(taskNo);
  else {
    await client.prepareTask(taskNo);
    await customer.taskWhen(taskNo, (task) => task.stage === 'prepared');
    if (stage !== 'prepared') await client.freezeTask(taskNo);
    if (stage === 'frozen' || stage === 'prepared') return taskNo;
    await client.submitTask(taskNo);
  }
  await customer.taskWhen(taskNo, (task) => task.stage === stage);
  return taskNo;
}

/** Which moves apply to a task that stands there; the others are 409. Where a move is done already it changes nothing. */
const APPLICABLE: Record<string, readonly (typeof MOVES)[number][]> = {
  queued: ['prepare', 'pause', 'cancel'],
  prepared: ['prepare', 'freeze', 'pause', 'cancel'],
  frozen: ['prepare', 'freeze', 'submit', 'pause', 'cancel'],
  waiting_receipt: ['prepare', 'freeze', 'submit', 'cancel'],
  submit_unknown: ['prepare', 'freeze', 'submit', 'cancel'],
  completed: ['prepare', 'freeze', 'submit'],
  cancelled: ['cancel'],
};

describe.each(['customer', 'operator'] as const)('moves by the %s', (who) => {
  test.each(Object.keys(APPLICABLE))('on a task that is %s', async (stage) => {
    const customer = await service.addCustomer();
    for (const move of MOVES) {
      const taskNo = await bringTo(customer, stage);
      const mover = who === 'customer' ? customer.client : service.operator;
      const before = await customer.client.task(taskNo);
      if (APPLICABLE[stage]?.includes(move)) {
        await mover.moveTask(taskNo, move);
        // Harmless when repeated.
        await mover.moveTask(taskNo, move);
      } else {
        await expect(mover.moveTask(taskNo, move)).rejects.toMatchObject({ status: 409, code: 'invalid_stage' });
        expect(await customer.client.task(taskNo)).toEqual(before);
      }
      const entries = await allOf(customer.client.ledgers({ taskNo }));
      expect(new Set(entries.map((entry) => entry.type)).size).toBe(entries.length);
    }
  });

  test('on a task that is not there', async () => {
    const customer = await service.addCustomer();
    const other = await service.addCustomer();
    const { task_no: foreign } = await other.send(NUMBER);
    const taskNos = who === 'customer' ? [foreign, 'T0000000000000', 'x'] : ['T0000000000000', 'x'];
    const mover = who === 'customer' ? customer.client : service.operator;
    for (const taskNo of taskNos) {
      for (const move of MOVES) {
        await expect(mover.moveTask(taskNo, move)).rejects.toMatchObject({ status: 404, code: 'not_found' });
      }
    }
  });
});

test('freezing and cancelling are done when they answer, and cancelling releases', async () => {
  const customer = await service.addCustomer({ balance: '1' });
  const taskNo = await bringTo(customer, 'prepared');
  expect(await customer.client.freezeTask(taskNo)).toMatchObject({ accounting_state: 'frozen' });
  expect(await customer.client.account()).toMatchObject({ available: '0.950000', frozen: '0.050000' });
  const cancelled = await customer.client.cancelTask(taskNo);
  expect(cancelled).toMatchObject({
    stage: 'cancelled',
    accounting_state: 'settled',
    receipt_state: 'complete',
    counts: { total: 1, unsent: 0, rejected: 1 },
    amounts: { frozen: '0.050000', charged: '0.000000', released: '0.050000', held: '0.000000' },
  });
  expect(await customer.client.account()).toMatchObject({ available: '1.000000', frozen: '0.000000' });
  const { timeline } = await customer.client.task(taskNo);
  expect(timeline.map((entry) => entry.stage)).toEqual(['queued', 'prepared', 'cancelled']);
  const receipts = await allOf(customer.client.receipts({ taskNo }));
  expect(receipts).toMatchObject([{ seq: 1, result: 'rejected', code: 'cancelled', submitted_at: null }]);
});

describe('unknown numbers', () => {
  const LOST = ['13800139005', '13800239005', '13800339005'];
  const unknown = async (customer: ServiceCustomer): Promise<TaskDetail> => {
    const { task_no: taskNo } = await customer.send(LOST);
    return await customer.taskWhen(taskNo, (task) => task.stage === 'submit_unknown');
  };

  test('the detail says since when, until when and how many', async () => {
    const customer = await service.addCustomer();
    const task = await unknown(customer);
    const { since = '', deadline = '', unknown: count } = task.verification ?? {};
    expect(count).toBe(3);
    expect(Date.parse(deadline) - Date.parse(since)).toBe(3_600_000);
    expect(task).toMatchObject({ accounting_state: 'frozen', receipt_state: 'pending', counts: { unknown: 3 } });
    const submits = await allOf(customer.client.submits({ taskNo: task.task_no }));
    expect(submits.map(({ status, answered_at }) => [status, answered_at])).toEqual(LOST.map(() => ['unknown', null]));
  });

  test('some were accepted, the rest were not, and again changes nothing', async () => {
    const customer = await service.addCustomer({ charge_on: 'submit' });
    const { task_no: taskNo } = await unknown(customer);
    const dueAt = async () => {
      const [row] = await service.sql`
        select due_at as due from chunk join customer using (customer_id) where customer_no = ${customer.customerNo}`;
      return row?.due;
    };
    expect(await dueAt()).toBeNull();
    const before = Date.now();
    const some = await service.operator.resolveTask(taskNo, { outcome: 'accepted', seqs: [2], remark: 'asked' });
    // Its wait for a receipt begins now.
    expect((await dueAt()).getTime()).toBeGreaterThan(before);
    expect(some).toMatchObject({
      stage: 'submit_unknown',
      counts: { unknown: 2, awaiting: 1 },
      amounts: { charged: '0.050000', held: '0.100000' },
    });
    const rest = await service.operator.resolveTask(taskNo, { outcome: 'not_accepted' });
    expect(rest).toMatchObject({
      stage: 'waiting_receipt',
      accounting_state: 'settled',
      counts: { unknown: 0, awaiting: 1, rejected: 2 },
      amounts: { charged: '0.050000', released: '0.100000', held: '0.000000' },
    });
    expect(rest.verification).toBeUndefined();
    for (const outcome of ['accepted', 'not_accepted'] as const) {
      const again = await service.operator.resolveTask(taskNo, { outcome });
      expect(again).toMatchObject({ stage: 'waiting_receipt', counts: rest.counts, amounts: rest.amounts });
    }
    const receipts = await allOf(customer.client.receipts({ taskNo }));
    expect(receipts.map(({ seq, result, code }) => [seq, result, code]).sort()).toEqual([
      [1, 'rejected', 'not_accepted'],
      [3, 'rejected', 'not_accepted'],
    ]);
    const submits = await allOf(customer.client.submits({ taskNo }));
    expect(submits.map(({ seq, status }) => [seq, status]).sort()).toEqual([
      [1, 'rejected'],
      [2, 'accepted'],
      [3, 'rejected'],
    ]);
    const stages = rest.timeline.map((entry) => entry.stage);
    expect(stages).toEqual(['queued', 'prepared', 'submitting', 'submit_unknown', 'waiting_receipt']);
    const audit = await allOf(service.operator.auditLog({ action: 'task.resolve', subject: taskNo }));
    expect(audit[0]).toMatchObject({ change: { outcome: 'accepted', seqs: [2], remark: 'asked' } });
  });

  test('a task that has nothing unknown cannot be resolved', async () => {
    const customer = await service.addCustomer();
    const { task_no: taskNo } = await customer.send(NUMBER);
    await customer.completed(taskNo);
    const resolving = service.operator.resolveTask(taskNo, { outcome: 'accepted' });
    await expect(resolving).rejects.toMatchObject({ status: 409, code: 'invalid_stage' });
  });

  test.each(['accepted', 'not_accepted'] as const)('resolved as %s before the late receipt comes', async (outcome) => {
    const customer = await service.addCustomer({ charge_on: 'delivery' });
    const { task_no: taskNo } = await customer.send(['13800139004']);
    await customer.taskWhen(taskNo, (task) => task.stage === 'submit_unknown');
    const resolved = await service.operator.resolveTask(taskNo, { outcome });
    // The report comes a second after the answer was lost, and is a record in any case.
    await until(async () => (await customer.client.deliveries({ taskNo }).page()).total === 1);
    const task = await customer.completed(taskNo);
    const [receipt, ...others] = await allOf(customer.client.receipts({ taskNo }));
    expect(others).toEqual([]);
    if (outcome === 'accepted') {
      expect(receipt).toMatchObject({ result: 'delivered', code: 'DELIVRD' });
      expect(task.amounts).toMatchObject({ charged: '0.050000', released: '0.000000' });
    } else {
      expect(receipt).toMatchObject({ result: 'rejected', code: 'not_accepted' });
      expect([task.amounts, task.counts]).toEqual([resolved.amounts, resolved.counts]);
      expect(task.amounts).toMatchObject({ charged: '0.000000', released: '0.050000' });
    }
  });
});

test('what the operator resolves and its entry in the audit log are one', async () => {
  const customer = await service.addCustomer();
  const { task_no: taskNo } = await customer.send(['13800139005']);
  const before = await customer.taskWhen(taskNo, (task) => task.stage === 'submit_unknown');
  await service.sql`alter table audit add constraint no_resolve check (action <> 'task.resolve') not valid`;
  await expect(service.operator.resolveTask(taskNo, { outcome: 'accepted' })).rejects.toThrow();
  expect(await customer.client.task(taskNo)).toEqual(before);
  await service.sql`alter table audit drop constraint no_resolve`;
  const resolved = await service.operator.resolveTask(taskNo, { outcome: 'accepted' });
  expect(resolved).toMatchObject({ stage: 'waiting_receipt', amounts: { charged: '0.050000' } });
  const { items } = await service.operator.auditLog({ subject: taskNo }).page();
  expect(items.map(({ actor, action }) => `${actor} ${action}`)).toEqual(['root task.resolve']);
});

test('a move of the operator and its entry in the audit log are one', async () => {
  const customer = await service.addCustomer();
  const taskNo = await bringTo(customer, 'frozen');
  await service.sql`alter table audit add constraint no_cancel check (action <> 'task.cancel') not valid`;
  await expect(service.operator.moveTask(taskNo, 'cancel')).rejects.toThrow();
  expect(await customer.client.task(taskNo)).toMatchObject({ stage: 'prepared', accounting_state: 'frozen' });
  await service.sql`alter table audit drop constraint no_cancel`;
  expect(await service.operator.moveTask(taskNo, 'cancel')).toMatchObject({ stage: 'cancelled' });
  const { items } = await service.operator.auditLog({ subject: taskNo }).page();
  expect(items.map(({ actor, action }) => `${actor} ${action}`)).toEqual(['root task.cancel']);
});

test('the audit log says what a move changed, and nothing of a repeat', async () => {
  const customer = await service.addCustomer();
  const { task_no: taskNo } = await customer.send(NUMBER, {
    auto_prepare: false,
    auto_freeze: false,
    auto_submit: false,
  });
  for (const move of ['prepare', 'pause', 'cancel', 'cancel'] as const) {
    await service.operator.moveTask(taskNo, move);
    if (move === 'prepare') await customer.taskWhen(taskNo, (task) => task.stage === 'prepared');
  }
  const entries = await allOf(service.operator.auditLog({ subject: taskNo }));
  expect(entries.map(({ action, change }) => [action, change])).toEqual([
    ['task.prepare', { waits_for: { before: 'prepare', after: null } }],
    ['task.pause', { waits_for: { before: 'freeze', after: 'resume' } }],
    [
      'task.cancel',
      {
        stage: { before: 'prepared', after: 'cancelled' },
        receipt_state: { before: 'none', after: 'complete' },
        waits_for: { before: 'resume', after: null },
      },
    ],
    ['task.cancel', {}],
  ]);
});
