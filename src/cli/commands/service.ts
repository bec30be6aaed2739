import type { Command, Invocation } from '../command.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';

// These run parts of the service itself. Each is imported only when it is asked for: sending a message need not load a
// database driver.

async function runMigrate(invocation: Invocation): Promise<ExitCode> {
  const { openDatabase } = await import('../database-access.js');
  const { migrate } = await import('../../store/migrate.js');
  const { terminal } = invocation;
  const database = await openDatabase(terminal);
  try {
    const applied = await migrate(database.sql);
    const text =
      applied.length === 0 ? 'The schema is up to date.' : applied.map((name) => `Applied ${name}`).join('\n');
    await terminal.out.write(`${text}\n`);
    return exitCodes.ok;
  } finally {
    await database.close();
  }
}

export const serviceCommands: readonly Command[] = [
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
    path: ['smsc'],
    summary: 'a message centre that speaks SMPP, for trying things out',
    readsItsOwnOptions: true,
    examples: [{ command: 'postrider smsc --port 2775 --receipt-ms 500', shows: 'for a channel of kind smpp' }],
    async run(invocation) {
      const { runSmsc } = await import('../../smsc/run-smsc.js');
      return (await runSmsc(invocation.arguments)) === 0 ? exitCodes.ok : exitCodes.usage;
    },
  },
];
