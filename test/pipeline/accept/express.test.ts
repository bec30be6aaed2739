// The express lane: one transaction from the request to the intent, and the ordinary way wherever that does not fit.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditAll } from '../../../src/store/money/audit-money.js';
import { type Service, type ServiceCustomer, startService } from '../../support/service.js';
import { until } from '../../support/until.js';

let service: Service;

/** A message that waits too long for the express lane takes the ordinary way, as it may on a busy machine: then it is tried again. */
const AGAIN = { retry: 5 };

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  expect(await auditAll(service.sql)).toEqual([]);
  await service.stop();
});

/** Which transactions wrote the rows of a customer, and how its one chunk stands. */
async function readWritten({ customerNo }: ServiceCustomer) {
  const [row] = await service.sql`
    select t.stage, t.payload, t.xmin = c.xmin and t.xmin = l.xmin as "isOne", encode(c.part_states, 'hex') as states,
      c.intended_at as "intendedAt", t.frozen, a.frozen as "heldByAccount"
    from customer join task t on t.customer_id = customer.customer_id
    join account a on a.customer_id = t.customer_id
    left join chunk c on c.customer_id = t.customer_id and c.task_id = t.task_id
    left join ledger_entry l on l.customer_id = t.customer_id and l.task_id = t.task_id and l.type = 'freeze'
    where customer.customer_no = ${customerNo}`;
  return row;
}

describe('a message that goes all the way', AGAIN, () => {
  it('is accepted, planned, frozen, queued and intended in one transaction', async () => {
    const channelNo = await service.addChannel(['cmcc'], { answer_ms: 60_000 });
    const customer = await service.addCustomer({ channelNos: [channelNo] });
    const task = await customer.send(['13800000001'], { client_request_id: 'one' });
    expect(task).toMatchObject({ stage: 'submitting', amounts: { price: '0.050000', frozen: '0.050000' } });
    const written = await readWritten(customer);
    expect(written).toMatchObject({ isOne: true, stage: 'submitting', payload: null, states: '01', frozen: 50_000n });
    expect(written).toMatchObject({ heldByAccount: 50_000n, intendedAt: expect.any(Date) });
    // A repeat finds it, whichever way it was accepted.
    expect(await customer.send(['13800000001'], { client_request_id: 'one' })).toMatchObject({ task_no: task.task_no });
    await expect(customer.send(['13800000002'], { client_request_id: 'one' })).rejects.toMatchObject({ status: 409 });
  });

  it('is sent once and charged once, however many come at the same time and are repeated', async () => {
    const customer = await service.addCustomer();
    const sends = Array.from({ length: 60 }, (_, at) =>
      customer.send([`138000001${String(at % 30).padStart(2, '0')}`], { client_request_id: `r${at % 30}` }),
    );
    const tasks = await Promise.all(sends);
    expect(new Set(tasks.map(({ task_no }) => task_no)).size).toBe(30);
    for (const { task_no } of tasks) {
      expect(await customer.completed(task_no)).toMatchObject({ amounts: { charged: '0.050000', held: '0.000000' } });
    }
    const [{ submits } = { submits: -1 }] = await service.sql<{ submits: number }[]>`
      select count(*)::int as submits from submit s join customer c on c.customer_id = s.customer_id
      where c.customer_no = ${customer.customerNo}`;
    expect(submits).toBe(30);
  });

  it('waits for money that is not there', async () => {
    const customer = await service.addCustomer({ balance: '0' });
    const task = await customer.send(['13800000200']);
    expect(task).toMatchObject({ stage: 'prepared', accounting_state: 'insufficient_funds' });
    await service.operator.topUp(customer.customerNo, { amount: '1', remark: 'Test' });
    expect((await customer.completed(task.task_no)).amounts.charged).toBe('0.050000');
  });

  it('has its receipt at once where its number is none', async () => {
    const customer = await service.addCustomer();
    const task = await customer.send(['12']);
    expect(task).toMatchObject({ stage: 'completed', counts: { rejected: 1 } });
  });
});

describe('the ordinary way is taken', () => {
  it('by a customer whose account is locked: it is accepted without waiting', async () => {
    const customer = await service.addCustomer();
    const [row] = await service.sql`select customer_id from customer where customer_no = ${customer.customerNo}`;
    const task = await service.sql.begin(async (tx) => {
      await tx`select 1 from account where customer_id = ${row?.customer_id} for update`;
      return await customer.send(['13800000300']);
    });
    expect(task.stage).toBe('queued');
    await customer.completed(task.task_no);
  });

  it('up to the queue, where the pace has no room', AGAIN, async () => {
    const channelNo = await service.addChannel(['cmcc'], {}, 1);
    const customer = await service.addCustomer({ channelNos: [channelNo] });
    const first = await customer.send(['13800000400']);
    const second = await customer.send(['13800000401']);
    expect(second.stage).toBe('submitting');
    const [chunk] = await service.sql`
      select encode(part_states, 'hex') as states from chunk c join channel on channel.channel_id = c.channel_id
      where channel_no = ${channelNo} order by c.task_id desc limit 1`;
    expect(chunk).toMatchObject({ states: '00' });
    await customer.completed(first.task_no);
    await customer.completed(second.task_no);
  });

  it('by what its customer decides on, what is for later, and what is large', async () => {
    const customer = await service.addCustomer();
    const later = new Date(Date.now() + 3_600_000).toISOString();
    expect((await customer.send(['13800000500'], { auto_submit: false })).stage).toBe('queued');
    expect((await customer.send(['13800000501'], { send_at: later })).stage).toBe('queued');
    const many = Array.from({ length: 11 }, (_, at) => String(13_800_000_600 + at));
    expect((await customer.send(many)).stage).toBe('queued');
    await until(async () => (await customer.client.tasks({ stage: 'queued' }).page()).items.length === 0);
  });
});
