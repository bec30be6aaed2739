// From a number to the customers that sent to it: whose message it was, when only the number is known.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CustomerId, firstIdAt, formatNo } from '../../../src/domain/id.js';
import { type OperatorApi, startOperatorApi } from '../../support/operator-api.js';

const PHONE = '+49 1511 2345678';
const KEY = '4915112345678';

interface Made {
  readonly customerNo: string;
  readonly bucket: number;
  readonly customerId: CustomerId;
}

let api: OperatorApi;
let ann: Made;
let bob: Made;
let cem: Made;

beforeAll(async () => {
  api = await startOperatorApi();
  [ann, bob, cem] = [await createCustomer('Ann'), await createCustomer('Bob'), await createCustomer('Cem')];
  await createCustomer('Dot, who never sent to it');
  await addSubmit(ann, '2026-11-01T08:00:00Z', 'accepted');
  await addReceipt(ann, '2026-11-01T08:00:05Z', 'delivered', 'DELIVRD');
  await addReceipt(ann, '2026-10-01T08:00:00Z', 'undelivered', 'UNDELIV');
  await addSubmit(bob, '2026-11-03T08:00:00Z', 'unknown');
  await addReceipt(cem, '2026-11-01T09:00:00Z', 'delivered', 'DELIVRD');
  await addReply(cem, '2026-11-02T08:00:00Z');
  await addReceipt(cem, '2026-11-09T08:00:00Z', 'rejected', 'opted_out', '4915112345679');
});
afterAll(() => api.close());

async function createCustomer(name: string): Promise<Made> {
  const customerNo: string = (await api.call('POST', '/customers', { name, unit_price: '0' })).body.customer_no;
  const customer = api.snapshot.current().customerByNo(customerNo);
  if (customer === undefined) throw new Error('the node does not see its own write');
  return { customerNo, bucket: customer.bucket, customerId: customer.customerId };
}

const idAt = (at: string) => firstIdAt(new Date(at));

async function addSubmit({ bucket, customerId }: Made, at: string, status: string): Promise<void> {
  await api.database.sql`
    insert into submit (bucket, customer_id, submit_id, task_id, seq, part, parts, channel_id, phone_key, phone, firm, status)
    values (${bucket}, ${customerId}, ${idAt(at)}, ${idAt(at)}, 1, 1, 1, 1, ${KEY}, ${PHONE}, 'f', ${status})`;
}

async function addReceipt(
  { bucket, customerId }: Made,
  at: string,
  result: string,
  code: string,
  key = KEY,
): Promise<void> {
  await api.database.sql`
    insert into receipt (bucket, customer_id, receipt_id, task_id, seq, parts, phone_key, price, phone, result, code)
    values (${bucket}, ${customerId}, ${idAt(at)}, ${idAt(at)}, 1, 1, ${key}, 0, ${PHONE}, ${result}, ${code})`;
}

async function addReply({ bucket, customerId }: Made, at: string): Promise<void> {
  await api.database.sql`
    insert into uplink (bucket, customer_id, uplink_id, phone_key, service_account_id, channel_id, phone, content)
    values (${bucket}, ${customerId}, ${idAt(at)}, ${KEY}, 1, 1, ${KEY}, 'what they wrote')`;
}

const pathOf = (phone: string) => `/numbers/${encodeURIComponent(phone)}/customers`;
const namesOf = (body: { items: { name: string }[] }) => body.items.map(({ name }) => name);

describe('from a number to its customers', () => {
  it('each customer has the last thing that happened, the newest news first', async () => {
    const { status, body } = await api.call('GET', pathOf(PHONE));
    expect(status).toBe(200);
    expect(body).toMatchObject({ total: 3, total_is_exact: true, next_cursor: null });
    expect(body.items).toEqual([
      {
        customer_no: bob.customerNo,
        name: 'Bob',
        phone: PHONE,
        event: 'submit',
        status: 'unknown',
        code: null,
        task_no: formatNo('T', idAt('2026-11-03T08:00:00Z')),
        at: '2026-11-03T08:00:00.000Z',
        opted_out_at: null,
      },
      {
        customer_no: cem.customerNo,
        name: 'Cem',
        phone: KEY,
        event: 'uplink',
        status: null,
        code: null,
        task_no: null,
        at: '2026-11-02T08:00:00.000Z',
        opted_out_at: null,
      },
      {
        customer_no: ann.customerNo,
        name: 'Ann',
        phone: PHONE,
        event: 'receipt',
        status: 'delivered',
        code: 'DELIVRD',
        task_no: formatNo('T', idAt('2026-11-01T08:00:05Z')),
        at: '2026-11-01T08:00:05.000Z',
        opted_out_at: null,
      },
    ]);
    expect(JSON.stringify(body)).not.toContain('what they wrote');
  });

  it('any spelling will do, and another number finds others', async () => {
    for (const spelling of [KEY, `+${KEY}`, '0049 1511 2345678', '+49 (1511) 234-5678'])
      expect(namesOf((await api.call('GET', pathOf(spelling))).body), spelling).toEqual(['Bob', 'Cem', 'Ann']);
    expect(namesOf((await api.call('GET', pathOf('+4915112345679'))).body)).toEqual(['Cem']);
    expect((await api.call('GET', pathOf('+4915112345677'))).body.items).toEqual([]);
    expect((await api.call('GET', pathOf('nonsense'))).body.items).toEqual([]);
    expect((await api.call('GET', pathOf('1'.repeat(33)))).status).toBe(404);
  });

  it('pages by number and by cursor, none twice', async () => {
    const first = (await api.call('GET', `${pathOf(PHONE)}?page_size=2`)).body;
    expect([namesOf(first), first.total]).toEqual([['Bob', 'Cem'], 3]);
    const second = (await api.call('GET', `${pathOf(PHONE)}?page_size=2&cursor=${first.next_cursor}`)).body;
    expect([namesOf(second), second.next_cursor]).toEqual([['Ann'], null]);
    expect(namesOf((await api.call('GET', `${pathOf(PHONE)}?page_size=2&page=2`)).body)).toEqual(['Ann']);
  });

  it('tells that the number wants nothing more from a customer', async () => {
    await api.call('POST', `/customers/${ann.customerNo}/opt-outs`, { phone: PHONE });
    const { body } = await api.call('GET', pathOf(PHONE));
    const optedOut = body.items.map((item: { opted_out_at: string | null }) => item.opted_out_at !== null);
    expect(optedOut).toEqual([false, false, true]);
  });

  it('shows nothing where no trace can be left', async () => {
    const { sql } = api.database;
    await sql`alter table audit add constraint untraceable check (action <> 'number.find') not valid`;
    const { status, body } = await api.call('GET', pathOf(PHONE));
    await sql`alter table audit drop constraint untraceable`;
    expect([status, body.items]).toEqual([503, undefined]);
  });

  it('is in the audit log for every operator', async () => {
    const { token } = (await api.call('POST', '/operators', { name: 'a viewer', role: 'viewer' })).body;
    const { status } = await api.call('GET', pathOf(PHONE), undefined, { authorization: `Bearer ${token}` });
    expect(status).toBe(200);
    const { items } = (await api.call('GET', `/audit?subject=${encodeURIComponent(`+${KEY}`)}&actor=a%20viewer`)).body;
    expect(items).toMatchObject([{ action: 'number.find', actor: 'a viewer' }]);
  });
});
