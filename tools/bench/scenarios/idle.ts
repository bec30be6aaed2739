// What a service costs that does nothing: processor time and transaction ids, with many customers, webhooks, channels that are
// switched off and tasks that wait for their customer.

import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, type Scenario, scaleSize } from '../bench.js';
import { addIdleRows } from '../lab/idle-rows.js';
import { addChannel } from '../lab/lab.js';
import { readProcessorTime } from '../lab/processor-time.js';
import { type BenchService, startBenchService } from '../lab/service.js';

const CUSTOMERS = 10_000;
const WEBHOOKS = 1000;
const MANUAL_TASKS = 300_000;
const CHANNELS_OFF = 20;
/** Until the service has read the configuration and the database has done what a bulk insert leaves to do. */
const SETTLE_S = 20;
/** Every poll comes round, the rarest once a minute. */
const WATCHED_S = 60;

export const idle: Scenario = {
  name: 'idle',
  summary:
    'the cost of doing nothing with 10,000 customers, 1,000 webhooks, 300,000 manual tasks and 20 channels switched off',
  usualS: 130,
  async run(bench) {
    const sizes = {
      customers: scaleSize(bench, CUSTOMERS, 10),
      webhooks: scaleSize(bench, WEBHOOKS, 5),
      tasks: scaleSize(bench, MANUAL_TASKS, 50),
    };
    bench.title(
      `Idle, ${Object.entries(sizes)
        .map(([name, size]) => `${size.toLocaleString('en')} ${name}`)
        .join(', ')}`,
    );
    bench.progress('starting a service');
    const service = await startBenchService(bench.signal);
    try {
      await fill(bench, service, sizes);
      await watch(bench, service);
    } finally {
      bench.progress('stopping the service');
      await service.stop();
    }
  },
};

async function fill(bench: Bench, service: BenchService, sizes: Parameters<typeof addIdleRows>[1]): Promise<void> {
  bench.progress('adding customers, webhooks and tasks');
  // The extra connection must not scan or sort.
  await service.sql.unsafe('set enable_seqscan = on; set enable_sort = on');
  await addIdleRows(service.sql, sizes);
  await service.sql.unsafe('vacuum analyze');
  await addChannel(service, { kind: 'simulator', firm: 'on', config: {} });
  for (let nth = 1; nth <= CHANNELS_OFF; nth += 1) {
    const channelNo = await addChannel(service, { kind: 'simulator', firm: `off-${nth}`, config: {} });
    await service.operator.updateChannel(channelNo, { status: 'disabled' });
  }
  bench.progress('waiting until everything is at rest');
  await delay(scaleSize(bench, SETTLE_S, 2) * 1000, undefined, { signal: bench.signal });
}

async function watch(bench: Bench, { pid, sql, servers }: BenchService): Promise<void> {
  const readXid = async (): Promise<number> => {
    const [row] = await sql<{ next: bigint }[]>`select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next`;
    return Number(row?.next ?? 0n);
  };
  const [xidBefore, before, startedMs] = [await readXid(), await readProcessorTime(pid, servers), performance.now()];
  bench.progress('watching it do nothing');
  await delay(scaleSize(bench, WATCHED_S, 2) * 1000, undefined, { signal: bench.signal });
  const [xidAfter, after, seconds] = [
    await readXid(),
    await readProcessorTime(pid, servers),
    (performance.now() - startedMs) / 1000,
  ];
  const shareOf = (name: 'service_us' | 'database_us'): number =>
    before === undefined || after === undefined ? Number.NaN : (after[name] - before[name]) / seconds / 10_000;
  const [service, database] = [shareOf('service_us'), shareOf('database_us')];
  bench.record({
    key: 'idle',
    label: 'doing nothing',
    figures: {
      core_percent: service + database,
      service_percent: service,
      database_percent: database,
      xids_per_s: (xidAfter - xidBefore) / seconds,
    },
  });
}
