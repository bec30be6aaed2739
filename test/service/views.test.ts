// An operator sees what a customer sees: everything of that customer, nothing of others, and can change nothing.

import { createHash } from 'node:crypto';
import { OperatorClient, PostriderClient } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCustomerApi } from '../../src/http/customer/api.js';
import { createFindViewer } from '../../src/http/view-grant.js';
import { createSealer } from '../../src/store/secrets/seal.js';
import { type Service, type ServiceCustomer, startService } from '../support/service.js';
import { until } from '../support/until.js';

let service: Service;
let ours: ServiceCustomer;
let theirs: ServiceCustomer;
let taskNo: string;
let theirTaskNo: string;

beforeAll(async () => {
  service = await startService();
  ours = await service.addCustomer();
  theirs = await service.addCustomer();
  taskNo = (await ours.send(['13900139001'], { client_request_id: 'ours' })).task_no;
  theirTaskNo = (await theirs.send(['13900139001'], { client_request_id: 'theirs' })).task_no;
  await Promise.all([ours.completed(taskNo), theirs.completed(theirTaskNo)]);
});
afterAll(() => service.stop());

const look = async (operator = service.operator) => {
  const { token: viewToken } = await operator.viewCustomer(ours.customerNo);
  return new PostriderClient({ baseUrl: service.url, viewToken, retry: { attempts: 1 } });
};
const addOperator = async (name: string, role: 'admin' | 'support' | 'finance' | 'viewer') => {
  const { token, operator_no: operatorNo } = await service.operator.createOperator({ name, role });
  return { operatorNo, client: new OperatorClient({ baseUrl: service.url, token }) };
};
const ended = { status: 401, code: 'invalid_signature' };

describe('who sees as a customer does', () => {
  it('sees what the customer sees, to the last field', async () => {
    const view = await look();
    expect(await view.task(taskNo)).toEqual(await ours.client.task(taskNo));
    expect(await view.account()).toEqual(await ours.client.account());
    expect((await view.receipts().page()).items).toEqual((await ours.client.receipts().page()).items);
    expect((await view.ledgers().page()).items).toEqual((await ours.client.ledgers().page()).items);
    expect((await view.webhooks().page()).items).toEqual([]);
  });

  it('reaches nothing of any other customer', async () => {
    const view = await look();
    await expect(view.task(theirTaskNo)).rejects.toMatchObject({ status: 404 });
    expect((await view.tasks().page()).items.map((task) => task.client_request_id)).toEqual(['ours']);
    for (const list of [view.receipts({ taskNo: theirTaskNo }), view.submits({ taskNo: theirTaskNo })]) {
      expect((await list.page()).items).toEqual([]);
    }
  });

  it('can change nothing, by any call there is', async () => {
    const { token } = await service.operator.viewCustomer(ours.customerNo);
    const before =
      await service.sql`select (select max(audit_id) from audit) as audit, (select count(*) from task) as tasks`;
    const writes = createCustomerApi({} as never).operations.filter(({ method }) => method !== 'GET');
    expect(writes.length).toBeGreaterThan(10);
    for (const { method, path } of writes) {
      const target = path.replaceAll(/\{\w+\}/g, taskNo);
      const answer = await fetch(service.url + target, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ template_no: ours.templateNo, phones: ['13900139001'] }),
      });
      expect([answer.status, (await answer.json()).code], `${method} ${path}`).toEqual([403, 'not_permitted']);
    }
    const after =
      await service.sql`select (select max(audit_id) from audit) as audit, (select count(*) from task) as tasks`;
    expect(after).toEqual(before);
  });

  it('is no operator by that token', async () => {
    const { token } = await service.operator.viewCustomer(ours.customerNo);
    const client = new OperatorClient({ baseUrl: service.url, token, retry: { attempts: 1 } });
    await expect(client.customer(ours.customerNo)).rejects.toMatchObject(ended);
  });

  it('is named in the audit log', async () => {
    const { client } = await addOperator('Sue', 'support');
    await look(client);
    const { items } = await service.operator.auditLog({ action: 'customer.view', subject: ours.customerNo }).page();
    expect(items[0]).toMatchObject({ actor: 'Sue', change: { expires_at: expect.any(String) } });
  });

  it('is an admin or of support', async () => {
    for (const role of ['finance', 'viewer'] as const) {
      const { client } = await addOperator(role, role);
      await expect(client.viewCustomer(ours.customerNo)).rejects.toMatchObject({ code: 'not_permitted' });
    }
  });

  it('also sees a customer that is suspended', async () => {
    const view = await look();
    await service.operator.updateCustomer(theirs.customerNo, { status: 'suspended' });
    await service.operator.updateCustomer(ours.customerNo, { status: 'suspended' });
    await until(() =>
      ours.client.account().then(
        () => false,
        ({ code }) => code === 'customer_suspended',
      ),
    );
    expect((await view.account()).customer_no).toBe(ours.customerNo);
    await service.operator.updateCustomer(ours.customerNo, { status: 'active' });
  });
});

describe('a view ends', () => {
  it('with its operator', async () => {
    const { client, operatorNo } = await addOperator('Tom', 'support');
    const view = await look(client);
    await view.account();
    await service.operator.removeOperator(operatorNo);
    await expect(view.account()).rejects.toMatchObject(ended);
  });

  it('with the role that allowed it', async () => {
    const { client, operatorNo } = await addOperator('Uma', 'admin');
    const view = await look(client);
    await view.account();
    await service.operator.updateOperator(operatorNo, { role: 'viewer' });
    await expect(view.account()).rejects.toMatchObject(ended);
  });

  it('with its time', async () => {
    const { token, expires_at: expiresAt } = await service.operator.viewCustomer(ours.customerNo);
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(15 * 60_000);
    const customer = { customerNo: ours.customerNo };
    const snapshot = { current: () => ({ customerByNo: () => customer }), refreshIfStale: async () => {} } as never;
    const secret = createHash('sha256').update('a secret key of the tests, long enough').digest();
    const at = (now: number) =>
      createFindViewer({
        sql: service.sql,
        sealer: createSealer(secret),
        snapshot,
        rootTokens: ['operator-token-of-the-tests'],
        now: () => now,
      })(token);
    expect(await at(Date.parse(expiresAt) - 1)).toMatchObject({ actor: 'root', customer });
    expect(await at(Date.parse(expiresAt))).toBeUndefined();
  });

  it('before it begins, where it is made up or altered', async () => {
    const { token } = await service.operator.viewCustomer(ours.customerNo);
    const altered = token.slice(0, -3) + (token.endsWith('AAA') ? 'BBB' : 'AAA');
    for (const viewToken of ['view_', 'view_nonsense', altered]) {
      const client = new PostriderClient({ baseUrl: service.url, viewToken, retry: { attempts: 1 } });
      await expect(client.account()).rejects.toMatchObject(ended);
    }
  });
});
