import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpService, startHttpService, type TestCustomer } from '../../support/http-service.js';

const SEND = '/openapi/v1/messages/send/';
const TASKS = '/openapi/v1/messages/tasks/';

let service: HttpService;
let ann: TestCustomer;
let bob: TestCustomer;

beforeAll(async () => {
  service = await startHttpService({ hasWorker: true });
  ann = await service.addCustomer('ann');
  bob = await service.addCustomer('bob');
});
afterAll(() => service.stop());

const send = async (flags: object = {}) => {
  const body = { template_no: ann.templateNo, phones: ['13800138000', '13800138001'], ...flags };
  return (await service.call(ann, SEND, { body })).body.task_no as string;
};
const move = (taskNo: string, name: string, customer = ann, options = {}) =>
  service.call(customer, `${TASKS}${taskNo}/${name}/`, { method: 'POST', ...options });
const stageOf = async (taskNo: string) => (await service.call(ann, `${TASKS}${taskNo}/`)).body.stage;
const topUp = (amount: bigint) => service.sql`
  update account set available = available + ${amount} where customer_id = ${ann.customerId}`;

it('refuses a content type that is no media type, though a move takes no body', async () => {
  const taskNo = await send({ auto_prepare: false });
  for (const type of ['nonsense', 'a/b c', '/', ' ']) {
    const answer = await move(taskNo, 'prepare', ann, { headers: { 'content-type': type } });
    expect([answer.status, answer.body?.code]).toEqual([415, 'unsupported_media_type']);
  }
  expect((await move(taskNo, 'cancel', ann, { headers: { 'content-type': 'text/plain; x' } })).status).toBe(200);
});

describe('a task that stopped', () => {
  it('is prepared, frozen and cancelled by its customer, each harmless when repeated', async () => {
    await topUp(1_000_000n);
    const taskNo = await send({ auto_prepare: false });
    expect(await stageOf(taskNo)).toBe('queued');
    for (let time = 1; time <= 2; time += 1) expect((await move(taskNo, 'prepare')).status).toBe(200);
    await expect.poll(() => stageOf(taskNo)).toBe('prepared');

    for (let time = 1; time <= 2; time += 1) {
      const frozen = await move(taskNo, 'freeze');
      expect(frozen.status).toBe(200);
      expect(frozen.body).toMatchObject({
        task_no: taskNo,
        stage: 'prepared',
        accounting_state: 'frozen',
        amounts: { frozen: '0.100000', held: '0.100000' },
      });
    }
    for (let time = 1; time <= 2; time += 1) {
      const cancelled = await move(taskNo, 'cancel');
      expect(cancelled.status).toBe(200);
      expect(cancelled.body).toMatchObject({
        stage: 'cancelled',
        accounting_state: 'settled',
        amounts: { frozen: '0.100000', released: '0.100000', held: '0.000000' },
      });
    }
    const late = await move(taskNo, 'freeze');
    expect([late.status, late.body.code, late.body.stage]).toEqual([409, 'invalid_stage', 'cancelled']);
    const types = (await service.call(ann, `/openapi/v1/finance/ledgers/?task_no=${taskNo}`)).body.items;
    expect(types.map((entry: { type: string }) => entry.type)).toEqual(['release', 'freeze']);
  });

  it('is not submitted before it is frozen', async () => {
    const taskNo = await send();
    await expect.poll(() => stageOf(taskNo)).toBe('prepared');
    const answer = await move(taskNo, 'submit');
    expect([answer.status, answer.body.code]).toEqual([409, 'invalid_stage']);
    expect(answer.body.stage).toBe('prepared');
  });

  it('is not frozen without the money', async () => {
    await service.sql`update account set available = 0 where customer_id = ${ann.customerId}`;
    const taskNo = await send();
    await expect.poll(() => stageOf(taskNo)).toBe('prepared');
    const answer = await move(taskNo, 'freeze');
    expect([answer.status, answer.body.code]).toEqual([409, 'insufficient_funds']);
  });

  it('takes an empty body or an empty object, and nothing else', async () => {
    const taskNo = await send({ auto_prepare: false });
    expect((await move(taskNo, 'cancel', ann, { body: '{}' })).status).toBe(200);
    const field = await move(taskNo, 'cancel', ann, { body: { force: true } });
    expect(field.body.errors).toMatchObject([{ pointer: '/force', code: 'unknown_field' }]);
    expect((await move(taskNo, 'cancel', ann, { body: '[]' })).body.errors).toMatchObject([{ code: 'type' }]);
    expect((await move(taskNo, 'cancel', ann, { body: '{' })).body.code).toBe('malformed_json');
    const query = await service.call(ann, `${TASKS}${taskNo}/cancel/?force=1`, { method: 'POST' });
    expect(query.body.errors).toMatchObject([{ pointer: '?force', code: 'unknown_field' }]);
  });
});

describe('a task of someone else', () => {
  it.each(['prepare', 'freeze', 'submit', 'pause', 'resume', 'cancel'])('cannot be moved by %s', async (name) => {
    const taskNo = await send({ auto_prepare: false });
    const answer = await move(taskNo, name, bob);
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    expect((await move('T0000000000000', name)).status).toBe(404);
    expect((await move('nonsense', name)).status).toBe(404);
    expect(await stageOf(taskNo)).toBe('queued');
  });
});
