import { Agent, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpService, signHeaders, startHttpService, type TestCustomer } from '../support/http-service.js';

const SEND = '/openapi/v1/messages/send/';
const CONNECTIONS = 64;
const SENDS = 2000;
const IDS = 400;

let first: HttpService;
let second: HttpService;
let ann: TestCustomer;

beforeAll(async () => {
  first = await startHttpService();
  second = await startHttpService({ besides: first });
  ann = await first.addCustomer('ann');
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

describe('two nodes on one database', () => {
  it('make one task of each id, whichever node its repeats arrive at', async () => {
    const ports = [await first.listen(), await second.listen()];
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS / 2 });
    const send = (index: number) =>
      new Promise<{ status: number; id: number; taskNo: string; isReplay: boolean }>((resolve, reject) => {
        const id = index % IDS;
        const body = JSON.stringify({
          template_no: ann.templateNo,
          phones: ['13800138000'],
          client_request_id: `id-${id}`,
        });
        const headers = {
          ...signHeaders(ann, { method: 'POST', target: SEND, body }),
          'content-type': 'application/json',
        };
        // Neighbouring requests go to different nodes, and so do the repeats of one id.
        const port = ports[(index + Math.floor(index / IDS)) % 2];
        const call = httpRequest({ port, agent, method: 'POST', path: SEND, headers }, (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              id,
              taskNo: JSON.parse(text).task_no,
              isReplay: response.headers['idempotent-replayed'] === 'true',
            }),
          );
        });
        call.on('error', reject);
        call.end(body);
      });
    const answers = await Promise.all(Array.from({ length: SENDS }, (_, index) => send(index)));
    agent.destroy();

    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(new Set(answers.map(({ id, taskNo }) => `${id} ${taskNo}`)).size).toBe(IDS);
    expect(answers.filter(({ isReplay }) => !isReplay)).toHaveLength(IDS);
    const [row] = await first.sql<{ count: number }[]>`select count(*)::int as count from task`;
    expect(row?.count).toBe(IDS);
  });

  it('refuse a revoked key on both within two seconds', async () => {
    await first.change(
      (sql, version) =>
        sql`update credential set status = 'revoked', version = ${version} where api_key = ${ann.apiKey}`,
    );
    const status = async (node: HttpService) => (await node.call(ann, '/openapi/v1/messages/tasks/')).status;
    expect(await status(first)).toBe(401);
    await expect.poll(() => status(second), { timeout: 2000 }).toBe(401);
  });
});
