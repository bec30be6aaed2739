// The bad neighbour: ten customers work alone for a while, then beside one with every bad habit at once. Nothing may be refused to
// them, what they wait for may take at most twice as long, and the service stops within ten seconds in the middle of it.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { connectDatabase } from '../../../src/store/connect.js';
import { createChannels, createSender, operatorAt, type Sender } from '../../support/campaign.js';
import { createTestDatabase } from '../../support/database.js';
import { startNameServer } from '../../support/name-server.js';
import { startReceiver } from '../../support/receiver.js';
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
/** What the promise says, and what fails the scenario: the customers and the neighbour use the same processors as the service. */
const PROMISED_RATIO = 2;
const FAILING_RATIO = 4;
/** Where other work already takes all processors, what is measured is mostly waiting for one. */
const BUSY_FACTOR = 6;
/** Below this nobody waits, whatever the ratio. */
const UNNOTICED_MS = 400;
const STOP_MS = 10_000;
const BUSY_STOP_MS = 30_000;
const WARM_UP_MS = 3000;
const UNTOLD_MS = 60_000;
/** More than the buffers of the sockets take, so that an export that is not read stays open. */
const EXPORTED_ROWS = 60_000;

export async function runNeighbour({ seconds, root }: NeighbourOptions): Promise<NeighbourReport> {
  const startedAt = performance.now();
  const isBusy = (loadavg()[0] ?? 0) > availableParallelism();
  const closers: (() => unknown)[] = [];
  try {
    const database = await createTestDatabase();
    closers.push(database.drop);
    const names = await startNameServer({ isSilent: () => true });
    closers.push(names.stop);
    const env = {
      POSTRIDER_WEBHOOK_ALLOW: '127.0.0.0/8',
      POSTRIDER_LOG_LEVEL: 'warn',
      NAME_SERVER: names.address,
      NODE_OPTIONS: `--import=${pathToFileURL(join(folder, 'silent-names.mjs')).href}`,
    };
    const service = await spawnService({ databaseUrl: database.url, env, ...(root === undefined ? {} : { root }) });
    closers.push(() => service.end('SIGKILL'));
    const config = { answer_ms: 5, receipt_ms: 20, test_numbers: false };
    const channelNos = await createChannels(service.url, [{ name: 'Simulator', kind: 'simulator', config }]);
    const others = await startOthers(service.url, channelNos);
    closers.push(others.close, others.stop);

    await sleep(WARM_UP_MS);
    others.begin();
    await sleep(seconds * 1000);
    const alone = summarize(others);

    const receiver = await startReceiver();
    closers.push(receiver.kill);
    const bad = await createSender(service.url, channelNos, { name: 'bad' });
    await fillReceipts(database.address, bad);
    const neighbour = await startNeighbour(service, bad, receiver.url);
    closers.push(() => neighbour.kill('SIGKILL'));
    await sleep(WARM_UP_MS);
    others.begin();
    await sleep(seconds * 1000);
    const beside = summarize(others);
    await others.stop();

    const violations = [...judgeWaiting(alone, beside, isBusy), ...judgeRefusals(others)];
    const isTold = await until('all receipts are told', () => others.untold() === 0, UNTOLD_MS).catch(() => false);
    if (isTold === false) violations.push({ rule: 'others are told everything', detail: `${others.untold()} are not` });
    // Its endpoints that upgrade take lanes of its own alone, and give them back: its other endpoint is still served.
    const before = receiver.calls.length;
    const isServed = await until('a call', () => receiver.calls.length > before, UNTOLD_MS / 2).catch(() => false);
    if (isServed === false)
      violations.push({ rule: 'calls that upgrade end', detail: 'the neighbour gets no calls at its good endpoint' });
    const answers = await askAnswers(neighbour);
    violations.push(...(await judgeStop(service, isBusy ? BUSY_STOP_MS : STOP_MS)));
    const figures = `${describe(alone, beside, answers)}${isBusy ? BUSY_NOTE : ''}`;
    return { violations, figures, tookMs: Math.round(performance.now() - startedAt), log: service.log() };
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

const BUSY_NOTE = '\nOther work took all processors: the figures say little, and only gross delays were judged.';

type Summary = Readonly<Record<Doing, { readonly count: number; readonly p95: number }>>;

function summarize({ took }: Others): Summary {
  const of = (list: readonly number[]) => {
    const sorted = list.toSorted((one, other) => one - other);
    return { count: sorted.length, p95: sorted[Math.floor(sorted.length * 0.95)] ?? Number.POSITIVE_INFINITY };
  };
  return { send: of(took.send), read: of(took.read), export: of(took.export), webhook: of(took.webhook) };
}

const DOINGS: readonly Doing[] = ['send', 'read', 'export', 'webhook'];

function judgeWaiting(alone: Summary, beside: Summary, isBusy: boolean): Violation[] {
  const limit = FAILING_RATIO * (isBusy ? BUSY_FACTOR : 1);
  return DOINGS.flatMap((doing) => {
    const [before, after] = [alone[doing].p95, beside[doing].p95];
    const isFelt = after > UNNOTICED_MS && !(after <= limit * before);
    const detail = `p95 of ${doing}: ${before.toFixed(0)} ms alone, ${after.toFixed(0)} ms beside the neighbour`;
    return isFelt ? [{ rule: 'others do not wait for the neighbour', detail }] : [];
  });
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
    const [before, after] = [alone[doing], beside[doing]];
    const ratio = after.p95 / before.p95;
    const sign = ratio > PROMISED_RATIO ? ', MORE THAN PROMISED' : '';
    return `  ${doing}: p95 ${before.p95.toFixed(0)} ms of ${before.count} alone, ${after.p95.toFixed(0)} ms of ${after.count} beside: ${ratio.toFixed(2)} times${sign}`;
  });
  const habits = Object.entries(answers).map(([habit, statuses]) => `  ${habit}: ${JSON.stringify(statuses)}`);
  return ['others:', ...lines, 'answers to the neighbour, by status:', ...habits].join('\n');
}
