// The bad neighbour: ten customers work beside one with every bad habit at once, and ten others do the same at a second service
// without it, at the same time on the same machine. Nothing may be refused to the first ten, what they wait for may take at most
// twice as long as for the others, and the service stops within ten seconds in the middle of it.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { connectDatabase } from '../../../src/store/connect.js';
import { createChannels, createSender, operatorAt, type Sender } from '../../support/campaign.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { startNameServer } from '../../support/network/name-server.js';
import { startReceiver } from '../../support/network/receiver.js';
import { checkout } from '../../support/service-process.js';
import { type SpawnedService, spawnService } from '../../support/spawned.js';
import { until } from '../../support/until.js';
import type { Violation } from '../rules/rules.js';
import { type Doing, type Others, startOthers } from './others.js';

export interface NeighbourOptions {
  readonly seconds: number;
  /** A copy of the build to run. */
  readonly root?: string;
}

export interface NeighbourReport {
  readonly violations: readonly Violation[];
  readonly figures: string;
  readonly tookMs: number;
  readonly log: string;
}

const folder = join(checkout, 'test/faults/neighbour');
/** What the promise says, and what fails the scenario: two p95 of a few hundred waits differ by chance, too. */
const PROMISED_RATIO = 2;
const FAILING_RATIO = 3;
/** Below this no customer waits, whatever the ratio. */
const UNNOTICED_MS = 100;
/** Who waits twice as long for everything still gets more than this share of the answers. */
const MIN_ANSWERS = 0.5;
const STOP_MS = 10_000;
/** Where other work takes all processors. */
const BUSY_STOP_MS = 30_000;
const WARM_UP_MS = 3000;
const UNPUSHED_MS = 60_000;
/** More than the buffers of the sockets take, so that an export that is not read stays open. */
const EXPORTED_ROWS = 60_000;

export async function runNeighbour({ seconds, root }: NeighbourOptions): Promise<NeighbourReport> {
  const startedAt = performance.now();
  const isBusy = (loadavg()[0] ?? 0) > availableParallelism();
  const closers: Closer[] = [];
  try {
    const names = await startNameServer({ isSilent: () => true });
    closers.push(names.stop);
    const sideOptions = { nameServer: names.address, closers, ...(root === undefined ? {} : { root }) };
    const control = await startSide(sideOptions);
    const { database, service, channelNos, others } = await startSide(sideOptions);

    const receiver = await startReceiver();
    closers.push(receiver.kill);
    const bad = await createSender(service.url, channelNos, { name: 'bad' });
    await fillReceipts(database.address, bad);
    const neighbour = await startNeighbour(service, bad, receiver.url);
    closers.push(() => neighbour.kill('SIGKILL'));
    await sleep(WARM_UP_MS);
    for (const side of [control.others, others]) side.begin();
    await sleep(seconds * 1000);
    const alone = summarize(control.others);
    const beside = summarize(others);
    await Promise.all([control.others.stop(), others.stop()]);
    await control.service.end('SIGKILL');

    const violations = [...judgeWaiting(alone, beside), ...judgeRefusals(others)];
    const arePushed = await until('all receipts are pushed', () => others.unpushed() === 0, UNPUSHED_MS).catch(
      () => false,
    );
    if (arePushed === false)
      violations.push({ rule: 'others get every event', detail: `${others.unpushed()} are not` });
    // Its endpoints that upgrade take its own share of the pool alone, and give it back: its other endpoint is still served.
    const before = receiver.calls.length;
    const isServed = await until('a call', () => receiver.calls.length > before, UNPUSHED_MS / 2).catch(() => false);
    if (isServed === false)
      violations.push({ rule: 'calls that upgrade end', detail: 'the neighbour gets no calls at its good endpoint' });
    const answers = await askAnswers(neighbour);
    violations.push(...(await judgeStop(service, isBusy ? BUSY_STOP_MS : STOP_MS)));
    return {
      violations,
      figures: describe(alone, beside, answers),
      tookMs: Math.round(performance.now() - startedAt),
      log: service.log(),
    };
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

type Closer = () => unknown;

interface Side {
  readonly database: TestDatabase;
  readonly service: SpawnedService;
  readonly channelNos: readonly string[];
  readonly others: Others;
}

/** A service with ten customers at work. */
async function startSide(options: {
  readonly nameServer: string;
  readonly root?: string;
  readonly closers: Closer[];
}): Promise<Side> {
  const { nameServer, root, closers } = options;
  const database = await createTestDatabase();
  closers.push(database.drop);
  const env = {
    POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8',
    POSTRIDER_LOG_LEVEL: 'warn',
    NAME_SERVER: nameServer,
    NODE_OPTIONS: `--import=${pathToFileURL(join(folder, 'silent-names.mjs')).href}`,
  };
  const service = await spawnService({ databaseUrl: database.url, env, ...(root === undefined ? {} : { root }) });
  closers.push(() => service.end('SIGKILL'));
  const config = { answer_ms: 5, receipt_ms: 20, test_numbers: false };
  const channelNos = await createChannels(service.url, [{ name: 'Simulator', kind: 'simulator', config }]);
  const others = await startOthers(service.url, channelNos);
  closers.push(others.close, others.stop);
  return { database, service, channelNos, others };
}

type Summary = Readonly<Record<Doing, { readonly count: number; readonly p95: number }>>;

function summarize({ took }: Others): Summary {
  const of = (list: readonly number[]) => {
    const sorted = list.toSorted((one, other) => one - other);
    return { count: sorted.length, p95: sorted[Math.floor(sorted.length * 0.95)] ?? Number.POSITIVE_INFINITY };
  };
  return { send: of(took.send), read: of(took.read), export: of(took.export), webhook: of(took.webhook) };
}

const DOINGS: readonly Doing[] = ['send', 'read', 'export', 'webhook'];

function judgeWaiting(alone: Summary, beside: Summary): Violation[] {
  return DOINGS.flatMap((doing) => {
    const [without, within] = [alone[doing], beside[doing]];
    const isSlow = within.p95 > UNNOTICED_MS && !(within.p95 <= FAILING_RATIO * without.p95);
    const isStarved = within.count < MIN_ANSWERS * without.count;
    const detail = `p95 of ${doing}: ${describeOne(without)} without the neighbour, ${describeOne(within)} beside it`;
    return isSlow || isStarved ? [{ rule: 'others do not wait for the neighbour', detail }] : [];
  });
}

function describeOne({ count, p95 }: Summary[Doing]): string {
  return `${p95.toFixed(0)} ms of ${count}`;
}

function judgeRefusals({ refused: [first, ...rest] }: Others): Violation[] {
  if (first === undefined) return [];
  return [{ rule: 'nothing is refused to others', detail: `${first} (and ${rest.length} more)` }];
}

async function judgeStop(service: SpawnedService, limitMs: number): Promise<Violation[]> {
  const start = performance.now();
  const late = sleep(2 * limitMs).then(() => 'late' as const);
  const code = await Promise.race([service.end('SIGTERM'), late]);
  const tookMs = Math.round(performance.now() - start);
  const detail = `exit code ${code} after ${tookMs} ms`;
  return code === 0 && tookMs <= limitMs ? [] : [{ rule: 'the service stops within ten seconds', detail }];
}

async function fillReceipts(address: Parameters<typeof connectDatabase>[0], { customerNo }: Sender): Promise<void> {
  const sql = connectDatabase(address, { maxConnections: 1, statementTimeoutMs: 0, applicationName: 'test' });
  await sql`
    insert into receipt (bucket, customer_id, receipt_id, task_id, seq, parts, phone_key, price, phone, firm, result)
    select bucket, customer_id, (extract(epoch from now())::bigint * 1000 << 20) + i, 1, 1, 1, i, 0, '13800138000', 'any',
      'delivered'
    from customer cross join generate_series(1::bigint, ${EXPORTED_ROWS}) i where customer_no = ${customerNo}`;
  await sql.end({ timeout: 1 });
}

async function startNeighbour(service: SpawnedService, bad: Sender, goodUrl: string): Promise<ChildProcess> {
  const { api_key: apiKey, api_secret: apiSecret } = await operatorAt(service.url).createCredential(bad.customerNo);
  const account = { url: service.url, apiKey, apiSecret, templateNo: bad.templateNo, goodUrl };
  const env = { ...process.env, ACCOUNT: JSON.stringify(account) };
  const child = fork(join(folder, 'bad-neighbour.mjs'), { env, execArgv: [] });
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the neighbour ended with ${code}`))),
  ]);
  return child;
}

/** How often each habit got which status; 0 is no answer. */
type Answers = Readonly<Record<string, Readonly<Record<string, number>>>>;

async function askAnswers(neighbour: ChildProcess): Promise<Answers> {
  const answered = once(neighbour, 'message');
  neighbour.send('answers');
  const [answers] = await answered;
  return answers as Answers;
}

function describe(alone: Summary, beside: Summary, answers: Answers): string {
  const lines = DOINGS.map((doing) => {
    const [without, within] = [alone[doing], beside[doing]];
    const ratio = within.p95 / without.p95;
    const sign = ratio > PROMISED_RATIO ? ', MORE THAN PROMISED' : '';
    return `  ${doing}: p95 ${describeOne(without)} without, ${describeOne(within)} beside: ${ratio.toFixed(2)} times${sign}`;
  });
  const habits = Object.entries(answers).map(([habit, statuses]) => `  ${habit}: ${JSON.stringify(statuses)}`);
  return ['others:', ...lines, 'answers to the neighbour, by status:', ...habits].join('\n');
}
