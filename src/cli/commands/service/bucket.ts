import type { Bucket, Worker } from '../../../store/cluster/buckets.js';
import type { MoveProgress } from '../../../store/cluster/move-bucket.js';
import type { Split, SplitPlaces } from '../../../store/cluster/split-bucket.js';
import type { Sql } from '../../../store/sql.js';
import type { Command, Invocation } from '../../command.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { BrokenOffError, UsageError } from '../../failure.js';
import { createProgressLine } from '../../output/progress-line.js';
import { chooseFormat, createRecordPrinter, outputOptions, type RecordShape } from '../../output/records.js';
import { writeAdvice } from '../../spell-command.js';

const bucketShape: RecordShape = {
  fields: ['bucket', 'worker', 'customers', 'bytes'],
  columns: [
    { title: 'BUCKET', field: 'bucket', align: 'right' },
    { title: 'WORKER', field: 'worker' },
    { title: 'CUSTOMERS', field: 'customers', align: 'right' },
    { title: 'SIZE', field: 'size_shown', align: 'right' },
  ],
};

/** Runs on the coordinator of a database that is spread over a cluster, and says so where it is none. */
async function onCluster(invocation: Invocation, run: (sql: Sql) => Promise<ExitCode>): Promise<ExitCode> {
  const { openDatabase } = await import('../../access/database-access.js');
  const { isMigrated } = await import('../../../store/migrate/migrate.js');
  const { detectDistribution, isDatabaseDistributed } = await import('../../../store/cluster/distribution.js');
  const { findOtherCoordinator } = await import('../../../store/cluster/buckets.js');
  const database = await openDatabase(invocation.terminal);
  const { sql } = database;
  try {
    if (!(await isDatabaseDistributed(sql))) {
      // Throws where it is half-way there.
      if (await isMigrated(sql)) await detectDistribution(sql);
      throw new UsageError(
        'This database is not distributed: there are no buckets to list, move or split.',
        (spell) =>
          `Name the coordinator of a cluster with POSTRIDER_DATABASE_URL. To spread a database over its machines: ${spell('distribute')}`,
      );
    }
    const coordinator = await findOtherCoordinator(sql);
    if (coordinator !== undefined) {
      throw new UsageError(
        'POSTRIDER_DATABASE_URL names a worker of the cluster.',
        `Name its coordinator, ${nameOf(coordinator)}.`,
      );
    }
    return await run(sql);
  } finally {
    await database.close();
  }
}

async function runList(invocation: Invocation): Promise<ExitCode> {
  const { out } = invocation.terminal;
  const format = chooseFormat(invocation);
  return await onCluster(invocation, async (sql) => {
    const { readBuckets } = await import('../../../store/cluster/buckets.js');
    const buckets = (await readBuckets(sql)).map(({ bucket, worker, customers, bytes }) => {
      const shown = { bucket, worker: nameOf(worker), customers, bytes };
      return format === 'table' ? { ...shown, size_shown: bytes === null ? null : showSize(bytes) } : shown;
    });
    await createRecordPrinter(out, bucketShape, format)(buckets);
    return exitCodes.ok;
  });
}

async function runMove(invocation: Invocation): Promise<ExitCode> {
  const number = readNumber(invocation.argument(0));
  const target = readTarget(invocation.required('to'));
  return await onCluster(invocation, async (sql) => {
    const { readBuckets, readBucketWorkers } = await import('../../../store/cluster/buckets.js');
    const { isMoveUnderWay } = await import('../../../store/cluster/move-bucket.js');
    const bucket = findBucket(await readBuckets(sql), number);
    checkWorker(await readBucketWorkers(sql), target);
    if (nameOf(bucket.worker) === nameOf(target)) {
      throw new UsageError(`Bucket ${number} is on ${nameOf(target)} already.`, 'There is nothing to do.');
    }
    if (await isMoveUnderWay(sql)) throw anotherMove();
    return await move(invocation, sql, bucket, target);
  });
}

function findBucket(buckets: readonly Bucket[], number: number): Bucket {
  const bucket = buckets.find((one) => one.bucket === number);
  if (bucket !== undefined) return bucket;
  throw new UsageError(`There is no bucket ${number}.`, (spell) => `All buckets: ${spell('bucket list')}`);
}

function checkWorker(workers: readonly Worker[], target: Worker): void {
  const names = workers.map(nameOf);
  if (names.includes(nameOf(target))) return;
  throw new UsageError(
    `The cluster has no worker ${nameOf(target)} that takes buckets.`,
    `Name one of these: ${names.join(', ')}. How to add one is in docs/guides/many-machines.md.`,
  );
}

async function move(invocation: Invocation, sql: Sql, bucket: Bucket, to: Worker): Promise<ExitCode> {
  const { isMoveRefusedForAnother, moveBucket } = await import('../../../store/cluster/move-bucket.js');
  const { terminal } = invocation;
  const { line, seconds, onProgress } = showOn(invocation);
  await terminal.err.write(`Bucket ${bucket.bucket} goes from ${nameOf(bucket.worker)} to ${nameOf(to)}.\n`);
  try {
    await moveBucket(sql, bucket, to, { signal: terminal.signal, onProgress });
  } catch (error) {
    await line.finish(`Ended after ${seconds()} s.`);
    if (isMoveRefusedForAnother(error)) throw anotherMove();
    throw new BrokenOffError(error, await tellWhereItIs(invocation, sql, bucket, to));
  }
  await line.finish(`Moved in ${seconds()} s.`);
  await terminal.out.write(`Bucket ${bucket.bucket} is on ${nameOf(to)} now.\n`);
  return exitCodes.ok;
}

function showOn({ terminal }: Invocation) {
  const now = () => performance.now();
  const startedAtMs = now();
  const seconds = () => Math.round((now() - startedAtMs) / 1000);
  const line = createProgressLine(terminal.err, now);
  const onProgress = (progress: MoveProgress) => line.show([...showProgress(progress), `${seconds()} s`]);
  return { line, seconds, onProgress };
}

/** A move that was about to end when it was interrupted may have succeeded. */
async function tellWhereItIs({ terminal }: Invocation, sql: Sql, { bucket }: Bucket, to: Worker): Promise<string> {
  const { readWorkers } = await import('../../../store/cluster/placement.js');
  const { cleanUpAfterMove } = await import('../../../store/cluster/move-bucket.js');
  const again = writeAdvice(terminal, (spell) => spell(`bucket move ${bucket} --to ${nameOf(to)}`));
  const place = await readWorkers(sql).then(
    (workers) => workers.get(bucket),
    () => undefined,
  );
  if (place === nameOf(to)) return `Bucket ${bucket} is on ${place} nevertheless: the move was complete.`;
  if (place === undefined) {
    return `The cluster does not say where bucket ${bucket} is. Unless the move was complete, it is where it was. To see it: ${writeAdvice(terminal, (spell) => spell('bucket list'))}`;
  }
  await cleanUpAfterMove(sql);
  return `Bucket ${bucket} is still on ${place}. To move it after all: ${again}`;
}

async function runSplit(invocation: Invocation): Promise<ExitCode> {
  const number = readNumber(invocation.argument(0));
  const readWorker = (name: string) => {
    const text = invocation.text(name);
    return text === undefined ? undefined : readTarget(text, name);
  };
  const [added, rows] = [readWorker('to'), readWorker('rows-to')];
  return await onCluster(invocation, async (sql) => {
    const { readBuckets, readBucketWorkers } = await import('../../../store/cluster/buckets.js');
    const { isMoveUnderWay } = await import('../../../store/cluster/move-bucket.js');
    const { choosePlaces, planSplit } = await import('../../../store/cluster/split-bucket.js');
    const buckets = await readBuckets(sql);
    const bucket = findBucket(buckets, number);
    const workers = await readBucketWorkers(sql);
    for (const target of [added, rows]) if (target !== undefined) checkWorker(workers, target);
    if (rows !== undefined && nameOf(rows) === nameOf(bucket.worker)) {
      throw new UsageError(
        `Bucket ${number} is on ${nameOf(rows)} already. A split takes its rows to another worker.`,
        'Name another one with --rows-to, or leave it out.',
      );
    }
    const places = choosePlaces(bucket, buckets, workers, { ...(added && { added }), ...(rows && { rows }) });
    if (places === undefined) {
      throw new UsageError(
        'A split takes the rows of the bucket to another worker, and the cluster has no other one that takes buckets.',
        'How to add one is in docs/guides/many-machines.md.',
      );
    }
    const plan = await planSplit(sql, bucket);
    if (plan === undefined) {
      throw new UsageError(
        `Bucket ${number} has been split too often: there is no number left for a bucket beside it.`,
        (spell) => `Split another one. All buckets: ${spell('bucket list')}`,
      );
    }
    if (await isMoveUnderWay(sql)) throw anotherMove();
    return await split(invocation, sql, plan, places);
  });
}

async function split(invocation: Invocation, sql: Sql, plan: Split, places: SplitPlaces): Promise<ExitCode> {
  const { isMoveRefusedForAnother } = await import('../../../store/cluster/move-bucket.js');
  const { isDecoderRefused, isSplitForbidden, splitBucket } = await import('../../../store/cluster/split-bucket.js');
  const { terminal } = invocation;
  const { bucket, added } = plan;
  const { line, seconds, onProgress } = showOn(invocation);
  const isBlocking = invocation.flag('block-writes');
  await terminal.err.write(
    `Bucket ${bucket.bucket} goes from ${nameOf(bucket.worker)} to ${nameOf(places.rows)} with its customers; the new bucket is ${added}.\n`,
  );
  try {
    await splitBucket(sql, plan, places, { signal: terminal.signal, onProgress, isBlocking });
  } catch (error) {
    await line.finish(`Ended after ${seconds()} s.`);
    if (isMoveRefusedForAnother(error)) throw anotherMove();
    const outcome = await tellWhetherSplit(invocation, sql, plan);
    if (isDecoderRefused(error)) throw decoderRefused();
    if (isSplitForbidden(error)) {
      throw new UsageError(
        'The user of POSTRIDER_DATABASE_URL may not split buckets: it does not own the tables.',
        'Use the user that the service runs as, or a superuser.',
      );
    }
    throw new BrokenOffError(error, outcome);
  }
  await line.finish(`Split in ${seconds()} s.`);
  await terminal.out.write(
    `Bucket ${added} is new, on ${nameOf(places.added)}. Bucket ${bucket.bucket} is on ${nameOf(places.rows)} now.\n`,
  );
  return exitCodes.ok;
}

/** A split that was about to end when it was interrupted may have succeeded. */
async function tellWhetherSplit({ terminal }: Invocation, sql: Sql, { bucket, added }: Split): Promise<string> {
  const { readWorkers } = await import('../../../store/cluster/placement.js');
  const { cleanUpAfterMove } = await import('../../../store/cluster/move-bucket.js');
  const list = writeAdvice(terminal, (spell) => spell('bucket list'));
  const workers = await readWorkers(sql).catch(() => undefined);
  if (workers === undefined) {
    return `The cluster does not say whether bucket ${bucket.bucket} was split. If it was, there is a bucket ${added}: ${list}`;
  }
  if (workers.has(added)) return `There is a bucket ${added} nevertheless: the split was complete. To see it: ${list}`;
  await cleanUpAfterMove(sql);
  const again = writeAdvice(terminal, (spell) => spell(`bucket split ${bucket.bucket}`));
  return `Nothing has changed. To split it after all: ${again}`;
}

function decoderRefused(): UsageError {
  return new UsageError(
    'A machine of the cluster does not let Citus copy the rows while they are written. Nothing has changed.',
    (spell) =>
      'Allow its library on every machine, as a superuser: alter database NAME set output_plugin_libraries = pgoutput, citus; ' +
      `docs/guides/many-machines.md says what that means. Or have the writes of the bucket wait meanwhile: ${spell('bucket split BUCKET --block-writes')}`,
  );
}

function anotherMove(): UsageError {
  return new UsageError(
    'Another move, a split or a rebalance is under way in this cluster.',
    'Wait for its end, then run this again. What it does: select * from get_rebalance_progress(); select * from citus_rebalance_status();',
  );
}

function readNumber(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new UsageError(`A bucket is a number, not "${text}".`, (spell) => `All buckets: ${spell('bucket list')}`);
}

function readTarget(text: string, option = 'to'): Worker {
  const found = /^(.+):(\d{1,5})$/.exec(text);
  if (found !== null) return { host: found[1] ?? '', port: Number(found[2]) };
  throw new UsageError(
    `--${option} takes a worker as HOST:PORT, not "${text}".`,
    (spell) => `As this writes them: ${spell('bucket list')}`,
  );
}

function nameOf({ host, port }: Worker): string {
  return `${host}:${port}`;
}

function showProgress({ copiedBytes, totalBytes, step }: MoveProgress): string[] {
  if (copiedBytes === null || totalBytes === null) return ['getting ready'];
  const share = totalBytes === 0 ? 100 : Math.floor((100 * copiedBytes) / totalBytes);
  return [
    `${showSize(copiedBytes)} of ${showSize(totalBytes)} (${share} %)`,
    ...(step === null ? [] : [step.toLowerCase()]),
  ];
}

const MEBIBYTE = 1_048_576;
const GIBIBYTE = 1_073_741_824;

function showSize(bytes: number): string {
  return bytes < GIBIBYTE ? `${(bytes / MEBIBYTE).toFixed(1)} MiB` : `${(bytes / GIBIBYTE).toFixed(1)} GiB`;
}

/** For a database that is spread over a cluster. */
export const bucketCommands: readonly Command[] = [
  {
    path: ['bucket', 'list'],
    summary: 'show where the buckets of a cluster are',
    description: [
      'Every bucket with its worker, how many customers it has, and its size on disk with indexes; no size while its worker does not',
      'answer. POSTRIDER_DATABASE_URL names the coordinator. The guide is docs/guides/many-machines.md.',
    ].join('\n'),
    options: outputOptions,
    examples: [{ command: 'POSTRIDER_DATABASE_URL=postgres://… postrider bucket list', shows: 'where everything is' }],
    run: runList,
  },
  {
    path: ['bucket', 'move'],
    summary: 'move a bucket to another worker of the cluster',
    description: [
      'With all its tables, while the service runs: rows are copied while they are written, and writes of the bucket wait for a moment',
      'at the end. Progress is what has been copied of its size. Ctrl-C leaves the bucket where it was; running it again is harmless.',
      'POSTRIDER_DATABASE_URL names the coordinator. The guide is docs/guides/many-machines.md.',
    ].join('\n'),
    arguments: [{ name: 'BUCKET', summary: 'its number', required: true }],
    options: {
      to: { type: 'string', value: 'HOST:PORT', summary: 'the worker, as the cluster names it', required: true },
    },
    examples: [{ command: 'postrider bucket move 6 --to worker-3.internal:5432', shows: 'to a worker that was added' }],
    run: runMove,
  },
  {
    path: ['bucket', 'split'],
    summary: 'make room for one bucket more in a cluster',
    description: [
      'For a cluster that is to have more buckets than it was spread over. The range of hashes of BUCKET is halved, and the half without it',
      'becomes a new, empty bucket, which new customers go to first because it has the least work. Customers that exist stay in their',
      'bucket. BUCKET itself goes to another worker with all its rows, as in a move, while the service runs: they are copied while they are',
      'written, and its writes wait for a moment at the end. A small bucket is as good to split as a large one, and is copied sooner.',
      'Ctrl-C leaves everything as it was. POSTRIDER_DATABASE_URL names the coordinator. The guide is docs/guides/many-machines.md.',
    ].join('\n'),
    arguments: [{ name: 'BUCKET', summary: 'its number', required: true }],
    options: {
      to: { type: 'string', value: 'HOST:PORT', summary: 'the worker of the new bucket (the one with the fewest)' },
      'rows-to': {
        type: 'string',
        value: 'HOST:PORT',
        summary: 'the worker that BUCKET goes to (of the others, the one with the fewest)',
      },
      'block-writes': {
        type: 'boolean',
        summary: 'have its writes wait from the start, where the servers refuse the other way',
      },
    },
    examples: [
      {
        command: 'postrider bucket split 6 --to worker-3.internal:5432',
        shows: 'a new bucket on a worker that was added',
      },
    ],
    run: runSplit,
  },
];
