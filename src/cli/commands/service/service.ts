import type { Command, Invocation } from '../../command.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { UsageError } from '../../failure.js';
import { showAll } from '../../output/columns.js';
import { createProgressLine } from '../../output/progress-line.js';
import { chooseFormat, createRecordPrinter, outputOptions } from '../../output/records.js';
import { benchCommand } from './bench.js';
import { bucketCommands } from './bucket.js';
import {
  cmppCentreCommand,
  httpCentreCommand,
  sgipCentreCommand,
  smgpCentreCommand,
  smscCommand,
} from './message-centre.js';
import { retentionCommand } from './retention.js';
import { rotateSecretKeyCommand } from './rotate-secret-key.js';

// These run parts of the service itself. Each is imported only when it is asked for: sending a message need not load a
// database driver.

async function runMigrate(invocation: Invocation): Promise<ExitCode> {
  const { openDatabase } = await import('../../access/database-access.js');
  const { migrate } = await import('../../../store/migrate/migrate.js');
  const { terminal } = invocation;
  const database = await openDatabase(terminal);
  try {
    const say = (line: string) => void terminal.err.write(`${line}\n`);
    const applied = await migrate(database.sql, { say });
    const text =
      applied.length === 0 ? 'The schema is up to date.' : applied.map((name) => `Applied ${name}`).join('\n');
    await terminal.out.write(`${text}\n`);
    return exitCodes.ok;
  } finally {
    await database.close();
  }
}

const MIN_SHARDS = 2;
const MAX_SHARDS = 256;

async function runDistribute(invocation: Invocation): Promise<ExitCode> {
  const { openDatabase } = await import('../../access/database-access.js');
  const { migrate } = await import('../../../store/migrate/migrate.js');
  const { ensurePartitions } = await import('../../../store/partitions.js');
  const { distribute } = await import('../../../store/cluster/distribute.js');
  const { terminal } = invocation;
  const shards = invocation.wholeNumber('shards');
  if (shards !== undefined && (shards < MIN_SHARDS || shards > MAX_SHARDS)) {
    throw new UsageError(`--shards takes ${MIN_SHARDS} to ${MAX_SHARDS}, not ${shards}.`);
  }
  const database = await openDatabase(terminal);
  const say = (line: string) => void terminal.out.write(`${line}\n`);
  try {
    for (const name of await migrate(database.sql, { say })) say(`Applied ${name}`);
    await ensurePartitions(database.sql, new Date());
    await distribute(database.sql, { ...(shards === undefined ? {} : { shards }), say });
    say('The database is spread over its cluster. Start the service as before.');
    return exitCodes.ok;
  } finally {
    await database.close();
  }
}

export interface PrintedAudit {
  readonly imbalances: readonly { readonly customer: string; readonly rule: string; readonly detail: string }[];
  readonly read: { readonly entries: number; readonly tasks: number };
  readonly notRead: {
    readonly slices: number;
    readonly entries: number;
    readonly tasks: number;
    readonly oldestProof: Date | null;
  };
}

export async function printAudit(invocation: Invocation, audit: PrintedAudit): Promise<ExitCode> {
  const { out, err } = invocation.terminal;
  const format = chooseFormat(invocation);
  const { imbalances, read, notRead } = audit;
  const sound = imbalances.length === 0;
  if (format === 'json') {
    const { oldestProof, ...counts } = notRead;
    const not_read = { ...counts, oldest_proof: oldestProof?.toISOString() ?? null };
    await out.write(`${JSON.stringify({ sound, imbalances, read, not_read })}\n`);
  } else if (format === 'csv' || !sound) await createRecordPrinter(out, imbalanceShape, format)(imbalances);
  if (notRead.slices > 0) await err.write(`${describeNotRead(notRead)}\n`);
  // The sentence is the result for people; for programs it is the rows.
  const result = format === 'table' ? out : err;
  if (sound) await result.write('Everything adds up.\n');
  else await result.write(`${imbalances.length} ${imbalances.length === 1 ? 'thing does' : 'things do'} not add up.\n`);
  return sound ? exitCodes.ok : exitCodes.failure;
}

function describeNotRead({ slices, entries, tasks, oldestProof }: PrintedAudit['notRead']): string {
  const what = `${slices} closed ${slices === 1 ? 'slice' : 'slices'} (${entries} entries, ${tasks} tasks)`;
  return `Not read again: ${what} proved since ${oldestProof?.toISOString() ?? '-'}. With --full they are.`;
}

/** A quick audit is over before it needs a progress line. */
const PROGRESS_AFTER_MS = 1000;

async function runAudit(invocation: Invocation): Promise<ExitCode> {
  const { openDatabase } = await import('../../access/database-access.js');
  const { auditMoney } = await import('../../../store/money/audit-money.js');
  const { isMigrated } = await import('../../../store/migrate/migrate.js');
  const { terminal } = invocation;
  const database = await openDatabase(terminal);
  try {
    if (!(await isMigrated(database.sql))) {
      throw new UsageError(
        'This database is empty, or of an earlier release: there is nothing that could be added up.',
        (spell) =>
          `Name another with POSTRIDER_DATABASE_URL or POSTRIDER_DATA_DIR, or bring it up: ${spell('migrate')}`,
      );
    }
    const now = () => performance.now();
    const startedAtMs = now();
    const line = createProgressLine(terminal.err, now);
    const pieces = (customers: number, ofCustomers: number, entries: number, tasks: number) => [
      `${customers} of ${ofCustomers} customers`,
      `${entries} entries`,
      `${tasks} tasks`,
    ];
    let isShown = false;
    const result = await auditMoney(database.sql, {
      isFull: invocation.flag('full'),
      signal: terminal.signal,
      async onProgress({ customers, ofCustomers, entries, tasks }) {
        if (now() - startedAtMs < PROGRESS_AFTER_MS) return;
        isShown = true;
        await line.show(pieces(customers, ofCustomers, entries, tasks));
      },
    });
    const { entries, tasks } = result.read;
    if (isShown) await line.finish(`Read ${entries} entries and ${tasks} tasks.`);
    if (result.continuedFrom !== null) {
      await terminal.err.write(`Continued the full audit of ${result.continuedFrom.toISOString()}.\n`);
    }
    const imbalances = result.imbalances.map(({ customerId, ...rest }) => ({ customer: String(customerId), ...rest }));
    return await printAudit(invocation, { ...result, imbalances });
  } finally {
    await database.close();
  }
}

const imbalanceShape = showAll('customer rule detail');

export const serviceCommands: readonly Command[] = [
  {
    path: ['serve'],
    summary: 'run the service',
    description: [
      'Configured by the environment: POSTRIDER_HOST, POSTRIDER_PORT, POSTRIDER_DATABASE_URL, POSTRIDER_DATA_DIR and the',
      'others of the reference. Without a database of your own, one is kept in the data folder. Ctrl-C finishes what is in',
      'flight and ends.',
    ].join('\n'),
    options: {
      port: { type: 'string', value: 'PORT', summary: 'where to listen (8080); 0 for any free port' },
      host: { type: 'string', value: 'HOST', summary: 'which address to listen on (127.0.0.1)' },
      'data-dir': { type: 'string', value: 'PATH', summary: 'where the embedded database and secrets are kept' },
      processes: { type: 'string', value: 'N', summary: 'how many processes share the work (1); auto: one a core' },
    },
    examples: [
      { command: 'postrider serve', shows: 'on 127.0.0.1:8080, with a database in the data folder of the checkout' },
      { command: 'postrider serve --port 9000', shows: 'on another port' },
      { command: 'postrider serve --processes auto', shows: 'on every processor core' },
      { command: 'POSTRIDER_ROLES=worker,channels postrider serve', shows: 'one more process on the same database' },
    ],
    async run(invocation) {
      // The service is the process from here on: it minds signals and the exit code.
      invocation.terminal.releaseSignals();
      await import('../../../main.js');
      return exitCodes.ok;
    },
  },
  {
    path: ['migrate'],
    summary: 'bring the database up to this release',
    description: [
      'The service does so itself when it starts; this is for those who want it done before. The database is the one that',
      'POSTRIDER_DATABASE_URL names, or the embedded one in the data folder. Running it again changes nothing.',
    ].join('\n'),
    examples: [{ command: 'POSTRIDER_DATABASE_URL=postgres://… postrider migrate', shows: 'before a rolling upgrade' }],
    run: runMigrate,
  },
  {
    path: ['distribute'],
    summary: 'spread the database over the machines of a Citus cluster',
    description: [
      'For those who outgrow one PostgreSQL. POSTRIDER_DATABASE_URL names the coordinator of a cluster whose workers are',
      'added, and no service may be running on it. Every customer is given a bucket and its rows are moved there. Running it',
      'again continues where it was interrupted, and changes nothing once it is done. The guide is docs/guides/many-machines.md.',
    ].join('\n'),
    options: {
      shards: {
        type: 'string',
        value: 'N',
        summary: 'how many buckets and shards (two a worker); more if you will add workers',
      },
    },
    examples: [
      {
        command: 'POSTRIDER_DATABASE_URL=postgres://… postrider distribute',
        shows: 'once, while the service is stopped',
      },
    ],
    run: runDistribute,
  },
  ...bucketCommands,
  {
    path: ['audit'],
    summary: 'verify that the ledger balances',
    description: [
      'Checks that every balance is the sum of its entries, that entries have no gaps, that what is reserved is what tasks',
      'hold, and that every completed task has exactly its receipts. History is read in short slices, and closed slices are',
      'proved once: the next audit reads what is new, what is open and a sample, and names what it did not read. --full',
      'reads all of it and compares it with the earlier proofs. May run beside a service; interrupted, it continues where',
      'it was. Ends with exit code 1 when something does not add up.',
    ].join('\n'),
    options: {
      full: { type: 'boolean', summary: 'read closed history again and compare it with its proofs' },
      ...outputOptions,
      json: { type: 'boolean', summary: 'print one object: sound, imbalances, read and not_read' },
    },
    examples: [
      { command: 'postrider audit && echo sound', shows: 'in a nightly job' },
      { command: 'postrider audit --full', shows: 'everything, once a month' },
    ],
    run: runAudit,
  },
  rotateSecretKeyCommand,
  retentionCommand,
  smscCommand,
  cmppCentreCommand,
  smgpCentreCommand,
  httpCentreCommand,
  sgipCentreCommand,
  benchCommand,
];
