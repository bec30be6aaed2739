// Channels over HTTP of a whole service: TLS with a private authority, answers that say nothing, and a service that is killed
// while an upstream has its request. Whatever happens, no number is asked for twice.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createChannels, createSender, operatorAt, type Sender } from '../../support/campaign.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { createAuthority } from '../../support/network/certificates.js';
import { buildCode } from '../../support/service-process.js';
import { type SpawnedService, spawnService } from '../../support/spawned.js';
import { until } from '../../support/until.js';
import { createConfig } from './peer.js';
import { type Answer, accept, startUpstream, type Upstream } from './upstream.js';

const FLAGS = { auto_freeze: true, auto_submit: true };
const authority = createAuthority('Trusted');
const stranger = createAuthority('Stranger');

let database: TestDatabase;
let service: SpawnedService;
const upstreams: Upstream[] = [];

beforeAll(buildCode);
afterAll(() => {
  authority.remove();
  stranger.remove();
});
afterEach(async () => {
  await service.end('SIGKILL');
  await database.drop();
  for (const upstream of upstreams.splice(0)) await upstream.stop();
});

/** On the database of the test. */
function startService(): Promise<SpawnedService> {
  return spawnService({
    databaseUrl: database.url,
    env: {
      NODE_EXTRA_CA_CERTS: authority.certFile,
      POSTRIDER_UPSTREAM_ALLOW: '127.0.0.0/8',
      POSTRIDER_UNKNOWN_TIMEOUT: '2s',
    },
  });
}

interface Line {
  readonly upstream: Upstream;
  readonly channelNo: string;
  readonly sender: Sender;
}

/** A service with one channel, to an upstream that answers so, and a customer of it. */
async function open(answer: Answer, certificate?: Parameters<typeof startUpstream>[1]): Promise<Line> {
  database = await createTestDatabase();
  service = await startService();
  const upstream = await startUpstream(answer, certificate);
  upstreams.push(upstream);
  const config = { ...createConfig(0), url: upstream.url, timeout_ms: 60_000 };
  const [channelNo = ''] = await createChannels(service.url, [{ name: 'Upstream', kind: 'http', config }]);
  return { upstream, channelNo, sender: await createSender(service.url, [channelNo], { name: 'Customer' }) };
}

async function send({ sender }: Line, ...phones: string[]): Promise<string> {
  const { task_no } = await sender.at(service.url).send({ template_no: sender.templateNo, phones, ...FLAGS });
  return task_no;
}

async function readSubmits({ sender }: Line): Promise<Record<string, string>> {
  const { items } = await sender.at(service.url).submits({ pageSize: 100 }).page();
  return Object.fromEntries(items.map(({ phone, status, code }) => [phone, `${status} ${code}`]));
}

const readHealth = async ({ channelNo }: Line) => (await operatorAt(service.url).channel(channelNo)).health;
const isUp = async (line: Line) => (await readHealth(line)).state === 'up';

async function untilCompleted({ sender }: Line, taskNo: string): Promise<void> {
  const client = sender.at(service.url);
  await until('the task is completed', async () => (await client.task(taskNo)).stage === 'completed');
}

describe('TLS', () => {
  it('reaches an upstream whose certificate is of an authority that the service was given', async () => {
    const line = await open(accept, authority.issue('IP:127.0.0.1'));
    await until('the channel is up', () => isUp(line));
    await send(line, '13800000001');
    await until('it is accepted', async () => (await readSubmits(line))['13800000001'] === 'accepted null');
    expect([...line.upstream.requests]).toEqual([['+8613800000001', 1]]);
  });

  it.each([
    ['of an authority that it does not know', () => stranger.issue('IP:127.0.0.1'), /certificate/],
    ['for another name', () => authority.issue('DNS:sms.test'), /does not match certificate/],
  ])('makes no request where the certificate is %s', async (_, issue, detail) => {
    const line = await open(accept, issue());
    await until('the channel says why', async () => detail.test((await readHealth(line)).detail ?? ''));
    await send(line, '13800000001');
    expect(await readHealth(line)).toMatchObject({ state: 'down' });
    expect([...line.upstream.requests]).toEqual([]);
  });

  it('keeps what it has while a certificate is wrong, and sends it once when it is right again', async () => {
    const right = authority.issue('IP:127.0.0.1');
    const line = await open(accept, right);
    await until('the channel is up', () => isUp(line));
    line.upstream.present(stranger.issue('IP:127.0.0.1'));
    await send(line, '13800000001');
    await until('the channel is down', async () => (await readHealth(line)).state === 'down');
    expect([...line.upstream.requests]).toEqual([]);
    line.upstream.present(right);
    await until('it is accepted', async () => (await readSubmits(line))['13800000001'] === 'accepted null');
    expect([...line.upstream.requests]).toEqual([['+8613800000001', 1]]);
  });
});

it('leaves numbers unknown after 500, 502, 503 and 504, and asks for none of them again', async () => {
  const line = await open((phone, response) => void response.writeHead(Number(phone.slice(-3))).end('<html>'));
  await until('the channel is up', () => isUp(line));
  const phones = ['500', '502', '503', '504'].map((status) => `13800000${status}`);
  const unknown = Object.fromEntries(phones.map((phone) => [phone, `unknown ${phone.slice(-3)}`]));
  const taskNo = await send(line, ...phones);
  await until('all are unknown', async () => Object.keys(await readSubmits(line)).length === phones.length);
  expect(await readSubmits(line)).toEqual(unknown);
  await service.end('SIGKILL');
  service = await startService();
  // Past the time after which unknown numbers are given up.
  await untilCompleted(line, taskNo);
  expect([...line.upstream.requests].toSorted()).toEqual(phones.map((phone) => [`+86${phone}`, 1]));
});

it('leaves a number unknown when the service is killed before the answer, and does not ask for it again', async () => {
  const line = await open((phone, response) => {
    if (!phone.endsWith('1')) accept(phone, response);
  });
  await until('the channel is up', () => isUp(line));
  const taskNo = await send(line, '13800000001');
  await until('the upstream has the request', () => line.upstream.requests.size === 1);
  await service.end('SIGKILL');
  service = await startService();
  await until('it is unknown', async () => /^unknown/.test((await readSubmits(line))['13800000001'] ?? ''));
  await until('the channel is up', () => isUp(line));
  await send(line, '13800000002');
  await until('the next one is accepted', async () => (await readSubmits(line))['13800000002'] === 'accepted null');
  await untilCompleted(line, taskNo);
  expect([...line.upstream.requests]).toEqual([
    ['+8613800000001', 1],
    ['+8613800000002', 1],
  ]);
});
