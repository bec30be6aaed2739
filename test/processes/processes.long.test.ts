// Several processes behind one port: what they share, what happens when one of them ends, and how they stop.

import { request } from 'node:http';
import { PostriderError } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { FREE_FAILURES } from '../../src/http/limits/guess-guard.js';
import {
  awaitOutcomes,
  checkBooks,
  createChannels,
  createPhones,
  createSender,
  operatorAt,
  type Sender,
} from '../support/campaign.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { isAlive } from '../support/is-alive.js';
import { buildCode } from '../support/service-process.js';
import { OPERATOR_TOKEN, type SpawnedService, spawnService, spawnUnready } from '../support/spawned.js';
import { tell } from '../support/tell.js';
import { until } from '../support/until.js';

const PROCESSES = 3;

let database: TestDatabase;
let service: SpawnedService;

beforeAll(async () => {
  await buildCode();
  database = await createTestDatabase();
  service = await spawnService({ databaseUrl: database.url, env: { POSTRIDER_PROCESSES: String(PROCESSES) } });
});
afterAll(async () => {
  await service?.end('SIGKILL');
  await database?.drop();
});

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** On a connection of its own, which goes to the next process. */
function ask(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(`${service.url}${path}`, { headers, agent: false }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (piece: string) => {
        body += piece;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
    });
    asked.on('error', reject).end();
  });
}

/** The sum over all series that begin so. */
async function readMetric(series: string): Promise<number> {
  const { body } = await ask('/metrics');
  const lines = body.split('\n').filter((line) => line.startsWith(series));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

/** The processes that are up, as they say themselves. */
async function readPids(): Promise<number[]> {
  const rows = await database.sql<
    { node: string }[]
  >`select node from node where seen_at > now() - interval '15 seconds'`;
  return rows.map(({ node }) => Number(node.split(':')[1])).filter(isAlive);
}

let senders = 0;
async function addSender(channels: readonly string[] = []): Promise<Sender> {
  senders += 1;
  return await createSender(service.url, channels, { name: `Sender ${senders}` });
}

describe('what they share', () => {
  test('readiness and metrics speak for all', async () => {
    expect(await ask('/readyz')).toMatchObject({ status: 200 });
    expect(await readMetric('postrider_processes')).toBe(PROCESSES);
    const before = await readMetric('postrider_http_request_duration_seconds_count{method="GET",route="/healthz"');
    for (let asked = 0; asked < 12; asked += 1) await ask('/healthz');
    const after = await readMetric('postrider_http_request_duration_seconds_count{method="GET",route="/healthz"');
    expect(after - before).toBe(12);
  });

  test('a process that hangs makes the machine unready, and names it', async () => {
    const [pid = 0] = await until('all say that they are there', async () => {
      const pids = await readPids();
      return pids.length === PROCESSES && pids;
    });
    process.kill(pid, 'SIGSTOP');
    try {
      const unready = await until('it is found out', async () => {
        const answer = await Promise.race([
          ask('/readyz'),
          new Promise<undefined>((resolve) => setTimeout(resolve, 4000)),
        ]);
        return answer?.status === 503 && answer;
      });
      expect(unready.body).toMatch(/process \d: it does not answer/);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await until('the machine is ready again', async () => (await ask('/readyz')).status === 200);
  });

  test('a limit of requests per second holds for all of them together', async () => {
    const sender = await addSender();
    const limit = 40;
    await operatorAt(service.url).updateCustomer(sender.customerNo, { requests_per_second: limit });
    const client = sender.at(service.url, 1);
    const sinceMs = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 5 * limit }, () =>
        client
          .tasks({ pageSize: 1 })
          .page()
          .then(
            () => 'allowed',
            (error: unknown) => (error instanceof PostriderError ? error.code : String(error)),
          ),
      ),
    );
    const seconds = (performance.now() - sinceMs) / 1000;
    const allowed = answers.filter((answer) => answer === 'allowed').length;
    expect(new Set(answers)).toEqual(new Set(['allowed', 'rate_limited']));
    // One bucket, and what came into it meanwhile.
    expect(allowed).toBeGreaterThanOrEqual(limit);
    expect(allowed).toBeLessThanOrEqual(limit + Math.ceil(limit * seconds));
  });

  test('wrong operator tokens are counted together', async () => {
    const guess = () => ask('/operator/v1/customers', { authorization: 'Bearer wrong-token-of-the-tests' });
    let wrong = 0;
    while (wrong < FREE_FAILURES * PROCESSES && (await guess()).status !== 429) wrong += 1;
    // One more may arrive before the other processes have heard of it.
    expect(wrong).toBeLessThanOrEqual(FREE_FAILURES + PROCESSES - 1);
    expect(await ask('/operator/v1/customers', { authorization: `Bearer ${OPERATOR_TOKEN}` })).toMatchObject({
      status: 200,
    });
  });

  test('a change is known to every process when it is answered', async () => {
    const operator = operatorAt(service.url);
    const sender = await addSender();
    const [account] = (await operator.serviceAccounts(sender.customerNo).page()).items;
    for (let round = 0; round < 3; round += 1) {
      const template = await operator.createTemplate(sender.customerNo, {
        name: `Round ${round}`,
        body: `Round ${round}`,
        service_account_no: account?.service_account_no ?? '',
      });
      const preview = () =>
        sender.at(service.url).preview({ template_no: template.template_no, phones: ['13800138000'] });
      const previewByAll = () => Promise.allSettled(Array.from({ length: 2 * PROCESSES }, preview));
      for (const answer of await previewByAll()) expect(answer.status).toBe('fulfilled');
      await operator.updateTemplate(sender.customerNo, template.template_no, { status: 'disabled' });
      for (const answer of await previewByAll())
        expect(answer).toMatchObject({ reason: { code: 'template_unavailable' } });
    }
  });

  test('channels are spread evenly over them', async () => {
    const names = Array.from({ length: 2 * PROCESSES }, (_, at) => `Spread ${at}`);
    const operator = operatorAt(service.url);
    await operator.createFirm({ firm: 'spread', prefixes: ['999'] });
    for (const name of names) await operator.createChannel({ name, kind: 'simulator', firms: ['spread'], config: {} });
    const owners = await until('all are owned', async () => {
      const rows = await database.sql<{ owner: string }[]>`
        select f.owner from channel_fence f join channel c using (channel_id) join channel_heartbeat h using (channel_id)
        where h.expires_at > now() and c.name like 'Spread %'`;
      return rows.length === names.length && rows.map(({ owner }) => owner);
    });
    for (const owner of new Set(owners)) expect(owners.filter((each) => each === owner)).toHaveLength(2);
    expect(new Set(owners).size).toBe(PROCESSES);
  });
});

describe('a process that is killed', () => {
  test('is replaced under load: nothing is lost, nothing is doubled, no counter falls', {
    timeout: 150_000,
  }, async () => {
    onTestFailed(() => tell(service.log()));
    const [channel = ''] = await createChannels(service.url, [{ name: 'Load', kind: 'simulator', config: {} }]);
    const sender = await addSender([channel]);
    const client = sender.at(service.url);
    const numbers = 400;
    const phones = createPhones(numbers);
    let next = 0;
    const sendOn = async (): Promise<void> => {
      for (let at = next++; at < numbers; at = next++) {
        const phone = phones[at] ?? '';
        await client.send({
          template_no: sender.templateNo,
          phones: [phone],
          client_request_id: phone,
          auto_freeze: true,
          auto_submit: true,
        });
      }
    };
    const sending = Promise.all(Array.from({ length: 12 }, sendOn));
    const accepted = () => readMetric('postrider_http_request_duration_seconds_count{method="POST"');
    await until('sending is under way', () => next > numbers / 5);
    const counted = await accepted();
    const [owner] = await database.sql<{ owner: string }[]>`
      select f.owner from channel_fence f join channel c using (channel_id) where c.channel_no = ${channel}`;
    const pid = Number(owner?.owner.split(':')[1]);
    process.kill(pid, 'SIGKILL');
    await sending;
    await until('another took its place', async () => (await readMetric('postrider_process_replacements_total')) === 1);
    // On a busy machine one of them may answer these late.
    await expect.poll(() => readMetric('postrider_processes')).toBe(PROCESSES);
    await expect.poll(() => ask('/readyz')).toMatchObject({ status: 200 });
    expect(await accepted()).toBeGreaterThanOrEqual(counted);
    await awaitOutcomes(database.sql, numbers, 60_000);
    await checkBooks(database.sql, numbers);
  });
});

describe('a process that is killed before it takes its connections', () => {
  test('leaves none of them open', async () => {
    const pids = await until('all say that they are there', async () => {
      const found = await readPids();
      return found.length === PROCESSES && found;
    });
    const [pid = 0] = pids;
    // It stands still, so that what is handed over to it stays untaken.
    process.kill(pid, 'SIGSTOP');
    const asked = Array.from({ length: 3 * PROCESSES }, () => ask('/healthz'));
    await Promise.any(asked);
    process.kill(pid, 'SIGKILL');
    const ends = await Promise.allSettled(asked);
    for (const end of ends) if (end.status === 'fulfilled') expect(end.value.status).toBe(200);
    await until('another took its place', async () => (await readMetric('postrider_processes')) === PROCESSES);
  });
});

describe('an end', () => {
  test('by SIGTERM stops all of them, with exit code 0', async () => {
    onTestFailed(() => tell(service.log()));
    const pids = await until('all say that they are there', async () => {
      const found = await readPids();
      return found.length === PROCESSES && found;
    });
    expect(await service.end('SIGTERM')).toBe(0);
    for (const pid of pids) expect(isAlive(pid)).toBe(false);
    // Those of a process that was killed before run out by themselves.
    const owners = await database.sql<{ owner: string }[]>`
      select owner from channel_fence join channel_heartbeat using (channel_id) where expires_at > now()`;
    expect(owners.filter(({ owner }) => pids.includes(Number(owner.split(':')[1])))).toEqual([]);
  });

  test('of the primary alone stops the others in good order', async () => {
    service = await spawnService({ databaseUrl: database.url, env: { POSTRIDER_PROCESSES: '2' } });
    const pids = await until('both say that they are there', async () => {
      const found = await readPids();
      return found.length === 2 && found;
    });
    await service.end('SIGKILL');
    await until('both are gone', () => !pids.some(isAlive), 20_000);
    // A process that stops in good order takes its row along.
    const left = await database.sql<{ node: string }[]>`select node from node`;
    expect(left.filter(({ node }) => pids.includes(Number(node.split(':')[1])))).toEqual([]);
  });

  test('comes with the reason when a process cannot start', async () => {
    const other = spawnUnready({
      databaseUrl: database.url,
      env: { POSTRIDER_PROCESSES: '2', POSTRIDER_SECRET_KEY: 'another-secret-key-0123456789abcdef' },
    });
    await expect(other.firstLine(/ready on/)).rejects.toThrow('Postrider could not start: no stored secret opens');
    expect(await other.end('SIGTERM')).toBe(1);
  });
});
