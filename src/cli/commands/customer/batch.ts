import type { Batch, PostriderClient, TaskMove } from '@postrider/client';
import { quoteForShell } from '../../../service/checkout.js';
import { connectAsCustomer } from '../../access/connection.js';
import { createOwnListCommand } from '../../api-command.js';
import type { ArgumentSpec, Command, Invocation } from '../../command.js';
import { wrapProse } from '../../display-width.js';
import { parseDurationMs } from '../../duration.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { timeFilters, titleFilter } from '../../list-filters.js';
import { createMoveCommands } from '../../move-commands.js';
import { createProgressLine } from '../../output/progress-line.js';
import { chooseFormat, outputOptions, printRecord } from '../../output/records.js';
import { batchShape } from '../../output/shapes.js';
import { pause } from '../../pause.js';
import { formatBatchPieces } from '../../send/summary.js';
import { spellCommand } from '../../spell-command.js';
import type { Terminal } from '../../terminal.js';

const batchArgument: ArgumentSpec = { name: 'ID', summary: 'the batch_id, or the --id of a send', required: true };

async function showBatch(invocation: Invocation): Promise<ExitCode> {
  const { signal } = invocation.terminal;
  const client = await connectAsCustomer(invocation);
  const batchId = invocation.argument(0);
  if (invocation.flag('follow')) return await followBatch(invocation, client, batchId);
  await printRecord(invocation, await client.batch(batchId, { signal }), batchShape);
  return exitCodes.ok;
}

const firstPauseMs = 200;
const maxPauseMs = 2_000;
/** Tasks that stay prepared or queued for this long wait for a call or for money. */
const stillMs = 3_000;

async function followBatch(invocation: Invocation, client: PostriderClient, batchId: string): Promise<ExitCode> {
  const { err, signal } = invocation.terminal;
  const timeout = invocation.text('timeout');
  const startedMs = Date.now();
  const endMs = timeout === undefined ? Number.POSITIVE_INFINITY : startedMs + parseDurationMs(timeout, 'timeout');
  const line = createProgressLine(err, Date.now);
  let batch = await client.batch(batchId, { signal });
  let changedAtMs = startedMs;
  let pauseMs = firstPauseMs;
  const needsAction = () => !isUnderWay(batch) && Date.now() - changedAtMs >= stillMs;
  while (batch.completed_at === null && Date.now() < endMs && !needsAction()) {
    await line.show(formatBatchPieces(batch));
    await pause(pauseMs, signal);
    signal.throwIfAborted();
    const seen = await client.batch(batchId, { signal });
    const hasChanged = seen.updated_at !== batch.updated_at || seen.tasks !== batch.tasks;
    if (hasChanged) changedAtMs = Date.now();
    pauseMs = hasChanged ? firstPauseMs : Math.min(maxPauseMs, pauseMs * 1.5);
    batch = seen;
  }
  await line.finish(formatBatchPieces(batch, err).join(' · '));
  if (chooseFormat(invocation) !== 'table') await printRecord(invocation, batch, batchShape);
  if (batch.completed_at === null) {
    await err.write(`${wrapProse(explainOpen(invocation.terminal, batch), err)}\n`);
  }
  return batch.counts.delivered === batch.counts.total ? exitCodes.ok : exitCodes.incomplete;
}

function isUnderWay({ stages }: Batch): boolean {
  return (stages.submitting ?? 0) + (stages.waiting_receipt ?? 0) + (stages.submit_unknown ?? 0) > 0;
}

function explainOpen(terminal: Terminal, batch: Batch): string {
  const id = quoteForShell(batch.batch_id);
  return isUnderWay(batch)
    ? `It is still under way and continues automatically. Go on watching: ${spellCommand(terminal, `batch ${id} --follow`)}`
    : `Some of its tasks wait. See for what: ${spellCommand(terminal, `tasks --batch ${id}`)}`;
}

async function moveBatch(invocation: Invocation, move: TaskMove): Promise<void> {
  const client = await connectAsCustomer(invocation);
  const { err, signal } = invocation.terminal;
  const { applied, ...batch } = await client.moveBatch(invocation.argument(0), move, { signal });
  const format = chooseFormat(invocation);
  await printRecord(invocation, format === 'json' ? { ...batch, applied } : batch, batchShape);
  if (format === 'table') await err.write(`Applied to ${applied.toLocaleString('en')} of ${batch.tasks} tasks.\n`);
}

export const batchCommands: readonly Command[] = [
  {
    path: ['batch'],
    summary: 'one batch: all tasks of a send, added up',
    arguments: [batchArgument],
    options: {
      follow: { type: 'boolean', short: 'f', summary: 'follow it until all its tasks have ended or wait' },
      timeout: { type: 'string', value: 'DURATION', summary: 'with --follow: give up after this long' },
      ...outputOptions,
    },
    examples: [
      { command: 'postrider batch may-campaign', shows: 'where it stands: stages, numbers, money' },
      { command: 'postrider batch may-campaign --follow', shows: 'until every number has its receipt' },
    ],
    run: showBatch,
  },
  ...createMoveCommands({
    noun: 'batch',
    argument: batchArgument,
    example: 'may-campaign',
    summaries: {
      prepare: 'check, route and price the queued tasks of a batch',
      freeze: 'reserve the money of the prepared tasks of a batch',
      submit: 'hand the tasks of a batch that have reserved money to the upstream',
      cancel: 'end a batch: what is unsent is not sent, and its money released',
      pause: 'hand nothing new of a batch over',
      resume: 'resume a paused batch',
    },
    options: outputOptions,
    run: moveBatch,
  }),
  createOwnListCommand({
    path: ['batches'],
    summary: 'batches, newest first',
    filters: { title: titleFilter, ...timeFilters },
    examples: [{ command: 'postrider batches --start 1d', shows: 'what was sent since yesterday' }],
    shape: batchShape,
    noun: 'batches',
    call: (client, _args, options) => client.batches(options),
  }),
];
