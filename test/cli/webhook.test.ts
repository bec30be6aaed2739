// A customer sets up a webhook from a terminal, against a whole service and a real receiver.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../src/cli/main.js';
import { type Receiver, startReceiver, verify } from '../support/network/receiver.js';
import { type Service, type ServiceCustomer, startService } from '../support/service.js';
import { until } from '../support/until.js';
import { createTestTerminal } from './capture.js';

let service: Service;
let customer: ServiceCustomer;
let receiver: Receiver;
let env: Record<string, string>;

beforeAll(async () => {
  service = await startService({ env: { POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8' } });
  customer = await service.addCustomer();
  receiver = await startReceiver();
  const { api_key, api_secret } = await service.operator.createCredential(customer.customerNo);
  env = { POSTRIDER_URL: service.url, POSTRIDER_API_KEY: api_key, POSTRIDER_API_SECRET: api_secret };
});
afterAll(async () => {
  await receiver.kill();
  await service.stop();
});

/** What a command prints for machines: one object a line. */
async function read(...words: string[]) {
  const terminal = createTestTerminal({ env });
  expect(await runCommandLine(['webhook', ...words, '--json'], terminal), terminal.err.text).toBe(0);
  return terminal.out.text
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

test('a webhook is created, tried, changed, replayed and deleted', async () => {
  const [{ webhook_no, secret }] = await read('create', '--to', receiver.url, '--event', 'receipts,uplinks');
  expect((await read('test', webhook_no))[0]).toMatchObject({ event: 'test', status: 204 });
  const [message] = receiver.accepted;
  expect(message && verify(secret, message)).toMatchObject({ type: 'test' });
  expect((await read('update', webhook_no, '--event', 'receipts'))[0]).toMatchObject({ events: ['receipts'] });
  await customer.completed((await customer.send(['13800138000'])).task_no);
  await until(() => receiver.accepted.length === 2);
  expect((await read('replay', webhook_no, '--from', '1h'))[0]).toMatchObject({ webhook_no });
  await until(() => receiver.accepted.length === 3);
  expect(receiver.accepted[2]?.data).toEqual(receiver.accepted[1]?.data);
  expect((await read('rotate', webhook_no))[0].secret).not.toBe(secret);
  expect((await read('attempts', webhook_no)).map(({ event }) => event)).toEqual(['receipts', 'receipts', 'test']);
  expect((await read('show', webhook_no))[0]).toMatchObject({ status: 'active' });
  expect(await read('list')).toHaveLength(1);
  await read('delete', webhook_no);
  expect(await read('list')).toEqual([]);
});
