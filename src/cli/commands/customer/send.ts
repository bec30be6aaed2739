import { cutRequests, isFinished, type PostriderClient, type Task } from '@postrider/client';
import { quoteForShell } from '../../../service/checkout.js';
import { createCustomerClient, requireConnection } from '../../access/connection.js';
import type { Command, Invocation } from '../../command.js';
import { wrapProse } from '../../display-width.js';
import { parseDurationMs } from '../../duration.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { UsageError } from '../../failure.js';
import { explainNextMoves } from '../../next-move.js';
import { chooseFormat, createRecordPrinter, outputOptions } from '../../output/records.js';
import { receiptShape, taskShape } from '../../output/shapes.js';
import { runDryRun } from '../../send/dry-run.js';
import {
  explainRepeating,
  openNumbers,
  readNumbersPerTask,
  readRequest,
  readStopAt,
  readVariables,
  type StopAt,
} from '../../send/options.js';
import { explainBadResults } from '../../send/outcome.js';
import { runSend } from '../../send/run.js';
import { addCounts } from '../../send/summary.js';
import { spellCommand } from '../../spell-command.js';

/** Receipts say more than counts where they fit on a screen. */
const receiptsShownUpTo = 20;

async function printResult(invocation: Invocation, client: PostriderClient, tasks: readonly Task[]): Promise<void> {
  const { out } = invocation.terminal;
  const format = chooseFormat(invocation);
  const [task] = tasks;
  if (
    format === 'table' &&
    task?.stage === 'completed' &&
    tasks.length === 1 &&
    task.counts.total <= receiptsShownUpTo
  ) {
    const page = await client.receipts({ taskNo: task.task_no, pageSize: receiptsShownUpTo }).page();
    const bySeq = page.items.sort((one, other) => one.seq - other.seq);
    if (bySeq.length > 0) return createRecordPrinter(out, receiptShape, format)(bySeq);
  }
  await createRecordPrinter(out, taskShape, format)(tasks);
  if (format === 'table' && !invocation.terminal.signal.aborted) {
    await explainBadResults(invocation.terminal, client, tasks);
  }
}

/** How far a task goes under `--stop-at`, or that it goes no further at all. */
const hasStopped: Record<StopAt, (task: Task) => boolean> = {
  queued: () => true,
  prepared: (task) => isFinished(task) || task.stage !== 'queued',
  frozen: (task) => isFinished(task) || task.accounting_state !== 'none',
};

/** Receipts take their time; preparing and freezing do not, unless the customer's configuration delays them. */
const defaultTimeouts = { receipts: '10m', stage: '30s' };

/** No number has fewer digits; said first, whatever else is wrong with the request. */
const shortestNumber = 7;

async function noteShortNumbers({ arguments: words, terminal }: Invocation): Promise<void> {
  const short = words.filter((word) => word !== '-' && word.replaceAll(/\D/g, '').length < shortestNumber);
  if (short.length === 0) return;
  const [what, end] = short.length === 1 ? ['is', 'It'] : ['are', 'They'];
  await terminal.err.write(`${short.join(', ')} ${what} too short for a phone number. ${end} would be rejected.\n`);
}

/** A variable that the template does not have changes nothing, and is often a slip. */
async function noteUnusedVariables(
  { terminal }: Invocation,
  client: PostriderClient,
  [task]: readonly Task[],
  given: readonly string[],
): Promise<void> {
  if (task === undefined || given.length === 0 || terminal.signal.aborted) return;
  // The messages are sent: a failure to look at them again is no failure of the command.
  const body = await client.task(task.task_no).then(
    (seen) => seen.template_body,
    () => null,
  );
  const unused = given.filter((name) => body?.includes(`{${name}}`) === false);
  if (unused.length === 0) return;
  await terminal.err.write(`The template has no ${unused.map((name) => `{${name}}`).join(', ')}: not used.\n`);
}

async function send(invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation;
  chooseFormat(invocation);
  const connection = await requireConnection(invocation, 'customer');
  const request = readRequest(invocation, invocation.text('template') ?? connection.profile.template_no);
  const numbersPerTask = readNumbersPerTask(invocation);
  const numbers = openNumbers(invocation);
  const client = createCustomerClient(terminal, connection);
  await noteShortNumbers(invocation);
  if (invocation.flag('dry-run')) {
    return runDryRun(invocation, client, cutRequests(request, numbers, numbersPerTask));
  }
  // A send for later does not wait for its receipts, unless asked to.
  const waits = invocation.choice('wait') ?? request.send_at === undefined;
  const stopAt = readStopAt(invocation);
  const timeout = invocation.text('timeout') ?? defaultTimeouts[stopAt === undefined ? 'receipts' : 'stage'];
  const result = await runSend({
    client,
    terminal,
    request,
    numbers,
    numbersPerTask,
    repeatHint: explainRepeating(request.batch_id, invocation.text('id') !== undefined),
    waitMs: waits ? parseDurationMs(timeout, 'timeout') : null,
    ...(stopAt === undefined ? {} : { until: hasStopped[stopAt] }),
    now: Date.now,
  });
  if (result.tasks.length === 0) {
    if (result.interrupted) return exitCodes.interrupted;
    throw new UsageError('There were no numbers to send to.');
  }
  await printResult(invocation, client, result.tasks);
  await noteUnusedVariables(invocation, client, result.tasks, Object.keys(readVariables(invocation)));
  if (result.interrupted) return exitCodes.interrupted;
  if (!waits) return exitCodes.ok;
  if (stopAt !== undefined) {
    const reached = result.tasks.every((task) => hasStopped[stopAt](task) && task.stage !== 'failed');
    const next = explainNextMoves(terminal, result.tasks);
    const look = spellCommand(terminal, `batch ${quoteForShell(result.batchId ?? '')}`);
    await terminal.err.write(
      reached ? next : `${wrapProse(`Not everything is ${stopAt}. Look again: ${look}`, terminal.err)}\n`,
    );
    return reached ? exitCodes.ok : exitCodes.incomplete;
  }
  const counts = addCounts(result.tasks);
  return result.tasks.every(isFinished) && counts.delivered === counts.total ? exitCodes.ok : exitCodes.incomplete;
}

export const sendCommands: readonly Command[] = [
  {
    path: ['send'],
    summary: 'send a template to numbers, and follow it to its receipts',
    description: [
      'Numbers come as arguments, from a file or from standard input, one a line or as CSV, with commas, semicolons or tabs, in',
      'UTF-8, GB18030 or UTF-16 with its byte order mark; or as an Excel workbook (.xlsx), of which the first sheet is read. A',
      'CSV names its columns in the first line: phone, and p1 to p18 for variables of each number. Inputs of up to 256 MiB go',
      'out in tasks of 5,000, all of one batch: "postrider batch ID" shows it as one, "postrider batch cancel ID" stops it.',
      '',
      'A file or a pipe is recognised by its first 5,000 numbers. The same again sends nothing new (--again does): stopped with',
      'Ctrl-C or cut off, the same command continues where it was. --id names the batch itself. Other content under a name that',
      'was used is refused, never sent as well. Numbers given as arguments are a new message each time, unless --id is given.',
      '',
      'A send to a few numbers ends with their receipts as a table. --json and --csv print its tasks as they stand at the end;',
      '"postrider receipts --batch ID --all --json" has the numbers. Progress goes to standard error.',
    ].join('\n'),
    arguments: [{ name: 'NUMBER', summary: 'numbers to send to; - reads standard input', variadic: true }],
    options: {
      file: { type: 'string', short: 'f', value: 'PATH', summary: 'read numbers from this file; - is standard input' },
      format: { type: 'string', choices: ['lines', 'csv'], summary: 'format of the input (detected)' },
      template: {
        type: 'string',
        short: 't',
        value: 'TEMPLATE',
        summary: "template to send (the demo's or the profile's)",
      },
      var: {
        type: 'string',
        short: 'v',
        multiple: true,
        value: 'p1=TEXT',
        summary: 'a variable for all numbers; repeat it',
      },
      map: { type: 'string', multiple: true, value: 'COLUMN=p1', summary: 'which variable a column of the CSV is' },
      ignore: { type: 'string', multiple: true, value: 'COLUMN', summary: 'a column of the CSV to leave out' },
      firm: { type: 'string', multiple: true, value: 'FIRM', summary: 'reach numbers through these carriers only' },
      'service-account': { type: 'string', value: 'ACCOUNT', summary: "sender account (the template's own)" },
      id: { type: 'string', value: 'ID', summary: 'names this send, its batch_id; the same id never sends twice' },
      title: { type: 'string', value: 'TITLE', summary: 'a title to find it by, up to 100 characters' },
      again: { type: 'boolean', summary: 'send a file or a pipe that was sent before as a new message' },
      'stop-at': {
        type: 'string',
        choices: ['queued', 'prepared', 'frozen'],
        summary: 'stop at this stage; the command that continues is printed',
      },
      'send-at': {
        type: 'string',
        value: 'TIME',
        summary:
          'hand nothing over before: 2026-11-15T09:00:00+08:00, 2026-11-15T09:00 (local time), or 2h from now as 2h',
      },
      'expires-at': { type: 'string', value: 'TIME', summary: 'stop sending at this time' },
      chunk: { type: 'string', value: 'COUNT', summary: 'numbers in one task (5000)' },
      wait: { type: 'boolean', summary: 'wait for receipts or the stage (yes); --no-wait ends at acceptance' },
      timeout: { type: 'string', value: 'DURATION', summary: 'how long to wait for receipts (10m) or the stage (30s)' },
      'dry-run': {
        type: 'boolean',
        summary: 'show what it would cost, who would be rejected and the first texts; send nothing',
      },
      ...outputOptions,
    },
    examples: [
      { command: 'postrider send 13800139001 --var p1=Ann', shows: 'one message, followed to its receipt' },
      { command: 'postrider send --file customers.csv --map name=p1', shows: 'a separate text for each row' },
      {
        command: 'sort numbers.txt | postrider send - --template TPL --no-wait --json',
        shows: 'from a pipe, to a pipe',
      },
      { command: 'postrider send -f may.csv --dry-run', shows: 'what it would cost, and who would be rejected' },
      { command: 'postrider send -f may.csv --id may-campaign', shows: 'never twice, even if the file changes' },
    ],
    run: send,
  },
];
