import type { Command, Invocation } from '../../command.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { showAll } from '../../output/columns.js';
import { chooseFormat, createRecordPrinter, outputOptions } from '../../output/records.js';

const monthShape = showAll('month state ends_at records bytes open_tasks unsummed_customers');

async function runRetention(invocation: Invocation): Promise<ExitCode> {
  const { openDatabase } = await import('../../access/database-access.js');
  const { readConfig } = await import('../../../service/config.js');
  const { planRetention } = await import('../../../store/retention/plan.js');
  const { terminal } = invocation;
  const { retentionMs } = readConfig(terminal.env);
  const database = await openDatabase(terminal);
  try {
    const months = await planRetention(database.sql, retentionMs);
    const shown = months.map(({ ends_at, ...month }) => ({ ...month, ends_at: ends_at?.toISOString() ?? null }));
    await createRecordPrinter(terminal.out, monthShape, chooseFormat(invocation))(shown);
    const days = retentionMs === null ? undefined : retentionMs / 86_400_000;
    const kept =
      days === undefined
        ? 'History is kept for ever: POSTRIDER_RETENTION is not set.'
        : `History is kept for ${days} days.`;
    await terminal.err.write(`${kept}\n`);
    return exitCodes.ok;
  } finally {
    await database.close();
  }
}

export const retentionCommand: Command = {
  path: ['retention'],
  summary: 'show which history ends when',
  description: [
    'Every month of history, oldest first: kept, due, open (due, and something in it is not finished) or ended, with when it ends by',
    'POSTRIDER_RETENTION of this environment. Changes nothing: the service ends what is due. Records are what the database estimates.',
  ].join('\n'),
  options: outputOptions,
  examples: [{ command: 'POSTRIDER_RETENTION=400d postrider retention', shows: 'what would go, and when' }],
  run: runRetention,
};
