import type { Command, Invocation } from '../../command.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { showAll } from '../../output/columns.js';
import { chooseFormat, createRecordPrinter, outputOptions } from '../../output/records.js';

const findingShape = showAll('check fits detail');

async function runUpgradeCheck(invocation: Invocation): Promise<ExitCode> {
  const { openDatabase } = await import('../../access/database-access.js');
  const { checkUpgrade } = await import('../../../store/migrate/upgrade-check.js');
  const { version } = await import('../../../service/version.js');
  const { terminal } = invocation;
  const database = await openDatabase(terminal);
  try {
    const findings = await checkUpgrade(database.sql, version);
    const fits = findings.every((finding) => finding.fits);
    const format = chooseFormat(invocation);
    if (format === 'json') await terminal.out.write(`${JSON.stringify({ version, fits, findings })}\n`);
    else await createRecordPrinter(terminal.out, findingShape, format)(findings);
    const sentence = fits ? `Release ${version} fits.` : `Release ${version} does not fit.`;
    await terminal.err.write(`${sentence}\n`);
    return fits ? exitCodes.ok : exitCodes.failure;
  } finally {
    await database.close();
  }
}

export const upgradeCheckCommand: Command = {
  path: ['upgrade-check'],
  summary: 'check that the database and all running processes fit this release',
  description: [
    'Run it from the new release, before its first process starts. Looks at the migrations, the versions of the processes that run, transactions',
    'that would delay a migration, and held channels. Changes nothing. Exits with 1 where something does not fit.',
  ].join('\n'),
  options: outputOptions,
  examples: [{ command: 'postrider upgrade-check', shows: 'before step 3 of an upgrade' }],
  run: runUpgradeCheck,
};
