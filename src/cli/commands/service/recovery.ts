import type { ReleaseRequest } from '@postrider/client';
import { UNSENT_CHOICES } from '../../../domain/entities/recovery.js';
import { createRecordCommand } from '../../api-command.js';
import type { Command, Invocation } from '../../command.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { UsageError } from '../../failure.js';
import { recoveryShape, releaseShape, underWayShape } from '../../output/operator-shapes.js';
import { chooseFormat, createRecordPrinter, outputOptions } from '../../output/records.js';

interface Recovered {
  readonly held_at: string;
  /** The last heartbeat in the database: later commits are not in it. */
  readonly last_known_at: string | null;
  readonly under_way: readonly object[];
  readonly marked_tasks: number;
  readonly marked_numbers: number;
  readonly paused_tasks: number;
}

async function runRecover(invocation: Invocation): Promise<ExitCode> {
  const { openDatabase } = await import('../../access/database-access.js');
  const { isMigrated } = await import('../../../store/migrate/migrate.js');
  const { detectDistribution } = await import('../../../store/cluster/distribution.js');
  const { terminal } = invocation;
  const database = await openDatabase(terminal);
  try {
    if (!(await isMigrated(database.sql))) {
      throw new UsageError(
        'This database is empty, or of an earlier release.',
        (spell) => `Bring it up without starting the service: ${spell('migrate')}`,
      );
    }
    await detectDistribution(database.sql);
    await printRecovered(invocation, await recover(invocation, database.sql));
    return exitCodes.ok;
  } finally {
    await database.close();
  }
}

async function recover(invocation: Invocation, sql: import('../../../store/sql.js').Sql): Promise<Recovered> {
  const { readConfig } = await import('../../../service/config.js');
  const { markUnsentUnknown, readUnderWay } = await import('../../../pipeline/recover.js');
  const { holdChannels, readRecovery } = await import('../../../store/recovery/timeline.js');
  const { readCustomerNos, readLastMoment } = await import('../../../store/recovery/under-way.js');
  const { recordAudit } = await import('../../../store/operator/change.js');
  const lastKnown = await readLastMoment(sql);
  const actor = 'command line';
  await holdChannels(sql, actor, { reason: 'restored', detail: 'postrider recover' });
  const { heldAt } = await readRecovery(sql);
  if (heldAt === null) throw new Error('The channels were released meanwhile.');
  const underWay = await readUnderWay(sql, heldAt);
  const names = await readCustomerNos(
    sql,
    underWay.map(({ customerId }) => customerId),
  );
  const marked = await markUnsentUnknown(sql, heldAt, readConfig(invocation.terminal.env));
  const counts = { marked_tasks: marked.tasks, marked_numbers: marked.numbers, paused_tasks: marked.pausedTasks };
  await recordAudit(sql, actor, { action: 'channels.recover', subject: 'channels', change: counts });
  return {
    held_at: heldAt.toISOString(),
    last_known_at: lastKnown?.toISOString() ?? null,
    under_way: underWay.map(({ customerId, tasks, numbers, waitingTasks }) => ({
      customer_no: names.get(customerId) ?? '',
      tasks,
      numbers,
      waiting_tasks: waitingTasks,
    })),
    ...counts,
  };
}

async function printRecovered(invocation: Invocation, recovered: Recovered): Promise<void> {
  const { out, err } = invocation.terminal;
  const format = chooseFormat(invocation);
  if (format === 'json') await out.write(`${JSON.stringify(recovered)}\n`);
  else await createRecordPrinter(out, underWayShape, format)(recovered.under_way);
  const { marked_tasks, marked_numbers, paused_tasks, last_known_at, held_at } = recovered;
  const since = last_known_at ?? 'the time of the backup';
  await err.write(
    [
      'Channels are held: nothing is sent until they are released.',
      `${marked_numbers} numbers of ${marked_tasks} tasks may have been sent. They are unknown now and are not sent again.`,
      `${paused_tasks} tasks that were not queued yet are paused: resume or cancel each.`,
      '',
      `Tell the customers, about the time from ${since} to ${held_at}:`,
      '- Requests that were accepted then are gone: a task_no from then answers 404. Its messages may have been sent.',
      '- Numbers with the code commits_lost may have been sent. Before sending to them again, ask the recipients or the carrier.',
      '- Receipts, replies, charges and top-ups from then are gone. Book the top-ups again.',
      '',
      'Then start the service, compare with the carriers, and release: postrider recovery release --unsent send',
      '',
    ].join('\n'),
  );
}

/** After the database has lost commits. */
export const recoveryCommands: readonly Command[] = [
  createRecordCommand({
    path: ['recovery', 'show'],
    summary: 'whether channels are held, and what may have been sent',
    description: 'Channels are held when the database may have lost commits. See docs/guides/production.md.',
    shape: recoveryShape,
    call: (client, _args, _body, options) => client.recovery(options),
  }),
  createRecordCommand({
    path: ['recovery', 'release'],
    summary: 'release channels that are held',
    fields: {
      unsent: {
        field: 'unsent',
        as: 'text',
        type: 'string',
        choices: [...UNSENT_CHOICES],
        summary: 'what may have been sent: mark it unconfirmed and never send it, or send it',
      },
      remark: { field: 'remark', as: 'text', type: 'string', value: 'TEXT', summary: 'why' },
    },
    shape: releaseShape,
    examples: [
      {
        command: 'postrider recovery release --unsent unknown --remark "Compared with the carrier"',
        shows: 'nothing is sent twice',
      },
    ],
    call: (client, _args, body, options) => client.releaseChannels(body as unknown as ReleaseRequest, options),
  }),
];

export const recoverCommand: Command = {
  path: ['recover'],
  summary: 'make a restored database safe to start on',
  description: [
    'For a database that was restored to an earlier point, before the service starts on it. Holds all channels, lists what was under way, marks',
    'what may have been sent since as unknown, pauses tasks that would continue, and says what to tell customers. Sends nothing. Running it',
    'again continues where it was interrupted. See docs/guides/production.md.',
  ].join('\n'),
  options: outputOptions,
  examples: [
    {
      command: 'POSTRIDER_DATABASE_URL=postgres://… postrider recover',
      shows: 'before the first start after a restore',
    },
  ],
  run: runRecover,
};
