// The measurement: the whole service against what its row writes alone would cost, in one run on one machine, because only
// ratios between figures of one run mean anything on a machine that others use too.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asCustomerId, asTaskId } from '../domain/id.js';
import { moneyFromMillionths } from '../domain/money.js';
import { startMessageCentre } from '../smsc/message-centre.js';
import { connectDatabase, type Sql } from '../store/connect.js';
import { startEmbeddedPostgres } from '../store/embedded/start.js';
import { migrate } from '../store/migrate.js';
import { insertDeliveries, insertReceipts, insertSubmits } from '../store/records.js';
import { type BenchCustomer, type BenchService, makeBenchFolder, startBenchService } from './bench-service.js';
import { type Load, type Pace, runLoad } from './load.js';
import { readProcessorTime } from './processor-time.js';

export interface BenchOptions {
  readonly print: (line: string) => void;
  /** Numbers of the bulk load; the other loads are shares of it. */
  readonly numbers: number;
}

const BUCKET = 0;

interface Figures extends Pace {
  readonly numbers: number;
  readonly service_us: number | undefined;
  readonly database_us: number | undefined;
}

export async function runBench({ print, numbers }: BenchOptions): Promise<void> {
  print('The rows of each number alone: three inserts in batches of 500, with all their indexes');
  const floorRate = await measureRows(numbers);
  print(`  ${describeRate(floorRate)} numbers/s`);
  const service = await startBenchService();
  try {
    const simulated = await service.addCustomer({ kind: 'simulator', config: {} });
    await warmUp(service, simulated);
    const bulk = { tasks: Math.ceil(numbers / 5000), numbersPerTask: 5000, connections: 4 };
    const single = { tasks: Math.min(8000, Math.ceil(numbers / 8)), numbersPerTask: 1, connections: 64 };
    report(
      print,
      'Bulk, simulator: tasks of 5,000 numbers, to the last receipt',
      floorRate,
      await measure(service, simulated, bulk),
    );
    report(
      print,
      'Single, simulator: tasks of one number over 64 connections',
      floorRate,
      await measure(service, simulated, single),
    );
    await measureSmpp(print, service, floorRate, bulk);
  } finally {
    await service.stop();
  }
}

async function measureSmpp(
  print: BenchOptions['print'],
  service: BenchService,
  floorRate: number,
  bulk: Load,
): Promise<void> {
  const centre = await startMessageCentre({ port: 0 });
  try {
    const account = { host: '127.0.0.1', port: centre.port, system_id: 'bench', password: 'bench' };
    const customer = await service.addCustomer({ kind: 'smpp', config: { ...account, window: 100 } });
    report(print, 'Bulk, SMPP to a message centre, one session', floorRate, await measure(service, customer, bulk));
  } finally {
    await centre.stop();
  }
}

async function warmUp(service: BenchService, customer: BenchCustomer): Promise<void> {
  await runLoad(service, customer, { tasks: 2, numbersPerTask: 5000, connections: 2 });
  await runLoad(service, customer, { tasks: 500, numbersPerTask: 1, connections: 16 });
}

async function measure(service: BenchService, customer: BenchCustomer, load: Load): Promise<Figures> {
  const before = await readProcessorTime(service.pid);
  const pace = await runLoad(service, customer, load);
  const after = await readProcessorTime(service.pid);
  const spent = (of: 'service_us' | 'database_us') => (before && after ? after[of] - before[of] : undefined);
  const numbers = load.tasks * load.numbersPerTask;
  return { ...pace, numbers, service_us: spent('service_us'), database_us: spent('database_us') };
}

function report(print: BenchOptions['print'], title: string, floorRate: number, figures: Figures): void {
  const rate = (figures.numbers * 1000) / figures.completed_ms;
  const each = (us: number | undefined) => (us === undefined ? 'unknown' : `${(us / figures.numbers).toFixed(0)} µs`);
  print(title);
  print(`  ${describeRate(rate)} numbers/s: ${((rate / floorRate) * 100).toFixed(0)} % of the row writes alone`);
  print(`  processor time a number: service ${each(figures.service_us)}, database ${each(figures.database_us)}`);
}

function describeRate(rate: number): string {
  return Math.round(rate).toLocaleString('en');
}

/** What the database needs for the three rows of a number, with nothing else to do. */
async function measureRows(numbers: number): Promise<number> {
  const folder = await makeBenchFolder();
  const log = { info: () => {}, warn: () => {} };
  const server = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log });
  const sql = connectDatabase(server.address, { maxConnections: 1, statementTimeoutMs: 0 });
  try {
    await migrate(sql);
    await sql`insert into account (bucket, customer_id) values (${BUCKET}, 1)`;
    await writeRows(sql, 5000, 0);
    const started = performance.now();
    await writeRows(sql, numbers, 1);
    return (numbers * 1000) / (performance.now() - started);
  } finally {
    await sql.end();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeRows(sql: Sql, numbers: number, round: number): Promise<void> {
  const customerId = asCustomerId(1n);
  const size = 500;
  for (let start = 0; start < numbers; start += size) {
    const now = new Date();
    const taskId = asTaskId(BigInt(round * 1_000_000 + Math.floor(start / 5000)));
    const rows = Array.from({ length: size }, (_, at) => {
      const phone = String(8_613_000_000_000 + Math.floor(Math.random() * 1_000_000_000));
      const seq = start + at + 1;
      const number = {
        customerId,
        taskId,
        seq,
        part: 1,
        parts: 1,
        phone,
        phoneKey: phone,
        firm: 'bench',
        code: 'DELIVRD',
      };
      return { ...number, upstreamMessageId: `bench-${round}-${seq}`, doneAt: now };
    });
    const price = moneyFromMillionths(50_000n);
    const at = BigInt(round * 10_000_000 + start);
    const ids = rows.map((_, index) => (BigInt(now.getTime()) << 20n) | ((at + BigInt(index)) & 0xfffffn));
    await sql.begin((tx) => [
      insertSubmits(
        tx,
        BUCKET,
        rows.map((row) => ({ ...row, channelId: 1n, status: 'accepted', submittedAt: now.getTime(), answeredAt: now })),
        ids,
      ),
      insertDeliveries(
        tx,
        BUCKET,
        rows.map((row) => ({ ...row, status: 'delivered' })),
        ids,
      ),
      insertReceipts(
        tx,
        BUCKET,
        rows.map((row) => ({ ...row, price, result: 'delivered', submittedAt: now })),
        ids,
      ),
    ]);
  }
}
