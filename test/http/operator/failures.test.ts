// From a count of an error code to the message parts behind it, over all customers and buckets.

import type { Failure } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CustomerId, firstIdAt, formatNo } from '../../../src/domain/id.js';
import { faultsOf, type OperatorApi, startOperatorApi } from '../../support/operator-api.js';

interface Made {
  readonly customerNo: string;
  readonly bucket: number;
  readonly customerId: CustomerId;
}

let api: OperatorApi;
let ann: Made;
let bob: Made;
let channelNo = '';
let otherNo = '';

beforeAll(async () => {
  api = await startOperatorApi();
  // On a cluster there are several already.
  await api.database.sql`insert into bucket values (1) on conflict do nothing`;
  await api.snapshot.refresh();
  [ann, bob] = [await createCustomer('Ann', 0), await createCustomer('Bob', 1)];
  await api.call('POST', '/firms', { firm: 'any' });
  channelNo = await createChannel('Sim');
  otherNo = await createChannel('Other');
  await addSubmit(ann, '2026-11-05T10:00:00Z', 'rejected', 'E1');
  await addSubmit(bob, '2026-11-05T11:00:00Z', 'rejected', 'E1');
  // At the very same moment, under the very same id.
  await addSubmit(ann, '2026-11-05T11:00:00Z', 'rejected', 'E1');
  await addSubmit(bob, '2026-10-05T10:00:00Z', 'rejected', 'E1');
  await addSubmit(ann, '2026-11-05T12:00:00Z', 'rejected', 'E2');
  await addSubmit(ann, '2026-11-05T13:00:00Z', 'unknown', 'E1');
  await addSubmit(ann, '2026-11-05T14:00:00Z', 'accepted', 'E1');
  await addSubmit(ann, '2026-11-05T15:00:00Z', 'rejected', 'E1', otherNo);
  await addReport(ann, '2026-11-05T10:00:00Z', 'undelivered', 'E1');
  await addReport(bob, '2026-11-05T16:00:00Z', 'undelivered', 'E1');
  await addReport(bob, '2026-11-05T17:00:00Z', 'rejected', 'E1');
  await addReport(bob, '2026-11-05T18:00:00Z', 'expired', 'E1');
  await addReport(bob, '2026-11-05T19:00:00Z', 'undelivered', 'E1', otherNo);
});
afterAll(() => api.close());

async function createCustomer(name: string, bucket: number): Promise<Made> {
  const body = { name, unit_price: '0', bucket };
  const customerNo: string = (await api.call('POST', '/customers', body)).body.customer_no;
  const customer = api.snapshot.current().customerByNo(customerNo);
  if (customer === undefined) throw new Error('the node does not see its own write');
  return { customerNo, bucket: customer.bucket, customerId: customer.customerId };
}

async function createChannel(name: string): Promise<string> {
  return (await api.call('POST', '/channels', { name, kind: 'simulator', firms: ['any'] })).body.channel_no;
}

const idAt = (at: string) => firstIdAt(new Date(at));
const channelIdOf = (no: string) => api.snapshot.current().channelByNo(no)?.channelId ?? 0n;

async function addSubmit({ bucket, customerId }: Made, at: string, status: string, code: string, on = channelNo) {
  await api.database.sql`
    insert into submit (bucket, customer_id, submit_id, task_id, seq, part, parts, channel_id, phone_key, phone, firm, status, code)
    values (${bucket}, ${customerId}, ${idAt(at)}, ${idAt(at)}, 2, 1, 3, ${channelIdOf(on)}, 8613800138000, '138 0013 8000', 'any',
      ${status}, ${code})`;
}

async function addReport({ bucket, customerId }: Made, at: string, status: string, code: string, on = channelNo) {
  await api.database.sql`
    insert into delivery (bucket, customer_id, delivery_id, task_id, seq, part, parts, channel_id, phone_key, phone, firm, status,
      code, upstream_message_id)
    values (${bucket}, ${customerId}, ${idAt(at)}, ${idAt(at)}, 1, 1, 1, ${channelIdOf(on)}, 8613800138000, '13800138000', 'any',
      ${status}, ${code}, 'abc')`;
}

const read = (query: string, no = channelNo) => api.call('GET', `/channels/${no}/failures?${query}`);
const nameOf = ({ customer_no: no, at }: Failure) => `${no === ann.customerNo ? 'ann' : 'bob'} ${at.slice(5, 16)}`;
const listed = async (query: string) => ((await read(query)).body.items as Failure[]).map(nameOf);
const REFUSED = ['bob 11-05T11:00', 'ann 11-05T11:00', 'ann 11-05T10:00', 'bob 10-05T10:00'];

describe('the failures of a channel', () => {
  it('are the parts of all customers that had this code, newest first', async () => {
    expect(await listed('event=refused&code=E1')).toEqual(REFUSED);
    const { body } = await read('event=refused&code=E1');
    expect(body).toMatchObject({ total: 4, total_is_exact: true, next_cursor: null });
    expect(body.items[2]).toEqual({
      event: 'refused',
      code: 'E1',
      customer_no: ann.customerNo,
      task_no: formatNo('T', idAt('2026-11-05T10:00:00Z')),
      seq: 2,
      part: 1,
      parts: 3,
      phone: '138 0013 8000',
      firm: 'any',
      upstream_message_id: null,
      at: '2026-11-05T10:00:00.000Z',
    });
  });

  it('are those of the event that was counted: an answer or a report', async () => {
    expect(await listed('event=unknown&code=E1')).toEqual(['ann 11-05T13:00']);
    expect(await listed('event=refused&code=E2')).toEqual(['ann 11-05T12:00']);
    expect(await listed('event=undelivered&code=E1')).toEqual(['bob 11-05T16:00', 'ann 11-05T10:00']);
    expect(await listed('event=rejected&code=E1')).toEqual(['bob 11-05T17:00']);
    expect(await listed('event=expired&code=E1')).toEqual(['bob 11-05T18:00']);
    expect((await read('event=expired&code=E1')).body.items[0].upstream_message_id).toBe('abc');
    expect(await listed('event=expired&code=e1')).toEqual([]);
  });

  it('are narrowed by time', async () => {
    const november = 'event=refused&code=E1&start_at=2026-11-01T00:00:00Z';
    expect(await listed(november)).toEqual(REFUSED.slice(0, 3));
    expect(await listed(`${november}&end_at=2026-11-05T11:00:00Z`)).toEqual(REFUSED.slice(2, 3));
    expect((await read(`${november}&page_size=1`)).body.total).toBe(3);
  });

  it('are walked by cursor and by page, each part once', async () => {
    for (const size of [1, 2, 3]) {
      const seen: string[] = [];
      let cursor = '';
      do {
        const { body } = await read(`event=refused&code=E1&page_size=${size}${cursor}`);
        seen.push(...body.items.map(nameOf));
        cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
      } while (cursor !== '');
      expect(seen).toEqual(REFUSED);
    }
    expect(await listed('event=refused&code=E1&page_size=1&page=3')).toEqual(REFUSED.slice(2, 3));
  });

  it('take an event and a code, and tell all that is wrong at once', async () => {
    expect(faultsOf(await read(''))).toEqual(['?code required', '?event required']);
    expect(faultsOf(await read(`event=throttled&code=${'x'.repeat(65)}&colour=red`))).toEqual([
      '?code too_long',
      '?colour unknown_field',
      '?event out_of_range',
    ]);
    expect(faultsOf(await read('event=refused&code=E1&cursor=abc'))).toEqual(['?cursor format']);
  });

  it('of a channel that does not exist are not found', async () => {
    expect((await read('event=refused&code=E1', 'H0')).status).toBe(404);
    expect((await read('event=refused&code=E1', '%00')).status).toBe(404);
  });
});
