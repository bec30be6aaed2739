import type { Command, Invocation } from '../../command.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { UsageError } from '../../failure.js';
import { showAll } from '../../output/columns.js';
import { chooseFormat, createRecordPrinter, outputOptions } from '../../output/records.js';

const rotatedShape = showAll('table column values resealed unopened');

async function runRotate(invocation: Invocation): Promise<ExitCode> {
  const { openDatabase } = await import('../../access/database-access.js');
  const { readConfig } = await import('../../../service/config.js');
  const { loadSecretKeys } = await import('../../../service/secrets.js');
  const { createSealer } = await import('../../../store/secrets/seal.js');
  const { rotateKey } = await import('../../../store/secrets/rotate-key.js');
  const { readNodes } = await import('../../../store/node.js');
  const { recordAudit } = await import('../../../store/operator/change.js');
  const { terminal } = invocation;
  const warn = (line: string) => void terminal.err.write(`${line}\n`);
  const { secretKey, oldSecretKey } = await loadSecretKeys(readConfig(terminal.env), { info: () => {}, warn });
  if (oldSecretKey === undefined) {
    throw new UsageError(
      'POSTRIDER_SECRET_KEY holds one key: there is nothing to rotate.',
      'Give it two, as new,old, to this command and to every process of the service.',
    );
  }
  const database = await openDatabase(terminal);
  try {
    const { sql } = database;
    const current = createSealer(secretKey);
    const columns = await rotateKey(sql, { current, both: createSealer(secretKey, oldSecretKey) }, terminal.signal);
    const resealed = columns.reduce((sum, column) => sum + column.resealed, 0);
    if (resealed > 0) {
      await recordAudit(sql, 'command line', {
        action: 'secret_key.rotate',
        subject: 'secret_key',
        change: { resealed },
      });
    }
    const alive = (await readNodes(sql)).filter(({ is_alive }) => is_alive);
    const behind = alive.filter(({ figures }) => figures.sealing_key !== current.keyId).map(({ node }) => node);
    return await printRotation(invocation, columns, behind);
  } finally {
    await database.close();
  }
}

async function printRotation(
  invocation: Invocation,
  columns: readonly { readonly table: string; readonly unopened: number }[],
  behind: readonly string[],
): Promise<ExitCode> {
  const { out, err } = invocation.terminal;
  const format = chooseFormat(invocation);
  const unopened = columns.reduce((sum, column) => sum + column.unopened, 0);
  const canRemoveOld = behind.length === 0 && unopened === 0;
  if (format === 'json') {
    await out.write(
      `${JSON.stringify({ can_remove_old: canRemoveOld, columns, processes_with_another_key: behind })}\n`,
    );
  } else await createRecordPrinter(out, rotatedShape, format)(columns);
  if (unopened > 0) await err.write(`Neither key opens ${unopened} values. They are left as they are.\n`);
  if (behind.length > 0) {
    await err.write(`These processes seal with another key: ${behind.join(', ')}.\n`);
    await err.write('Restart them with POSTRIDER_SECRET_KEY=new,old, then run this again.\n');
  }
  if (canRemoveOld) await err.write('The old key can go: everything is sealed under the new one.\n');
  return canRemoveOld ? exitCodes.ok : exitCodes.failure;
}

export const rotateSecretKeyCommand: Command = {
  path: ['rotate-secret-key'],
  summary: 're-seal all stored secrets under the new secret key',
  description: [
    'For a database whose processes run with POSTRIDER_SECRET_KEY=new,old, while they run. The environment of this command',
    'has the same two keys. Says when the old key can go; exits with 1 while it cannot. Running it again continues where it was',
    'interrupted. The steps are in docs/guides/production.md.',
  ].join('\n'),
  options: outputOptions,
  examples: [{ command: 'POSTRIDER_SECRET_KEY=new,old postrider rotate-secret-key', shows: 'while the service runs' }],
  run: runRotate,
};
