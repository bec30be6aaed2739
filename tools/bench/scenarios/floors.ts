// What no service could do better on this machine: the row writes alone, and the HTTP of a request alone.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PostriderClient } from '@postrider/client';
import { connectDatabase } from '#src/store/connect.js';
import { startEmbeddedPostgres } from '#src/store/embedded/start.js';
import { migrate } from '#src/store/migrate/migrate.js';
import { type Bench, type Scenario, scaleSize } from '../bench.js';
import { startBareServer } from '../lab/bare-server.js';
import { createBenchFolder } from '../lab/service.js';
import { createRequests } from '../load/requests.js';
import { prepareRowWrites, writeRows } from '../load/row-writes.js';
import { pickPercentile, sendRequests } from '../load/send.js';

const NUMBERS = 50_000;
const REQUESTS = 20_000;
const CONNECTIONS = 64;

export const floors: Scenario = {
  name: 'floors',
  summary: 'the row writes alone, and a bare HTTP server that checks and parses the same requests',
  usualS: 20,
  async run(bench) {
    bench.title('Floors: what the machine does with nothing else to do');
    await measureRows(bench);
    await measureBareServer(bench);
  },
};

async function measureRows(bench: Bench): Promise<void> {
  const folder = await createBenchFolder();
  const log = { info: () => {}, warn: () => {} };
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log, signal: bench.signal });
  const sql = connectDatabase(server.address, { maxConnections: 1, statementTimeoutMs: 0 });
  try {
    await migrate(sql);
    await prepareRowWrites(sql);
    await writeRows(sql, { numbers: scaleSize(bench, NUMBERS / 10, 500), round: 0, ...bench });
    const numbers = scaleSize(bench, NUMBERS, 500);
    const startedMs = performance.now();
    await writeRows(sql, { numbers, round: 1, ...bench });
    const rate = (numbers * 1000) / (performance.now() - startedMs);
    const label = 'the two rows of a number, 500 numbers a transaction';
    bench.record({ key: 'floors.rows', label, figures: { numbers_per_s: rate } });
  } finally {
    await sql.end();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureBareServer(bench: Bench): Promise<void> {
  const key = { apiKey: 'bench', apiSecret: 'bench-secret' };
  const server = await startBareServer(key.apiSecret);
  try {
    const client = new PostriderClient({ baseUrl: server.url, ...key });
    const customer = { customerNo: '', client, ...key, templateNo: 'T00000000000000000000' };
    const tasks = scaleSize(bench, REQUESTS, 200);
    const order = { customers: [customer], numbersPerTask: 1, firm: 'simulator', isSent: false };
    const options = { url: server.url, connections: CONNECTIONS, signal: bench.signal };
    await sendRequests(createRequests({ ...order, tasks: Math.ceil(tasks / 10) }), options);
    const onAnswer = (answered: number) => bench.progress(`bare server: ${answered} of ${tasks} requests`);
    const sent = await sendRequests(createRequests({ ...order, tasks }), { ...options, onAnswer });
    bench.record({
      key: 'floors.http',
      label: `a bare node:http server, one-number requests, ${CONNECTIONS} connections`,
      figures: {
        requests_per_s: (tasks * 1000) / sent.elapsedMs,
        p50_ms: pickPercentile(sent.latenciesMs, 50) ?? 0,
        p99_ms: pickPercentile(sent.latenciesMs, 99) ?? 0,
      },
    });
  } finally {
    await server.stop();
  }
}
