import { isFinished, type PostriderClient, type Task, type VariableName } from '@postrider/client';
import type { Command, Invocation } from '../command.js';
import { createCustomerClient, requireConnection } from '../connection.js';
import { parseDurationMs } from '../duration.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import { type InputNumber, isVariableName, readInput, readNumbers, type Variables } from '../recipients-input.js';
import { chooseFormat, createRecordPrinter, outputOptions } from '../records.js';
import { buildRequests, explainRepeating, type Naming, type SendSettings } from '../send-requests.js';
import { runSend } from '../send-run.js';
import { addCounts } from '../send-summary.js';
import { receiptShape, taskShape } from '../shapes.js';

/** `name=value` pairs of a repeated option. */
function readPairs(invocation: Invocation, option: string): [string, string][] {
  return invocation.list(option).map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`--${option} takes NAME=VALUE, not "${pair}".`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
}

function readVariables(invocation: Invocation): Variables {
  const variables: Variables = {};
  for (const [name, value] of readPairs(invocation, 'var')) {
    if (!isVariableName(name)) throw new UsageError(`--var ${name}: variables are called p1 to p18.`);
    variables[name] = value;
  }
  return variables;
}

function readSettings(invocation: Invocation, templateNo: string | undefined): SendSettings {
  if (templateNo === undefined) {
    throw new UsageError(
      '--template is missing: the number of the template to send.',
      'An operator lists them: postrider template list CUSTOMER',
    );
  }
  const chunkSize = invocation.wholeNumber('chunk') ?? 5000;
  if (chunkSize < 1 || chunkSize > 5000) throw new UsageError('--chunk takes 1 to 5000.');
  return {
    templateNo,
    serviceAccountNo: invocation.text('service-account'),
    targetFirms: invocation.words('firm'),
    variables: readVariables(invocation),
    stopAt: invocation.text('stop-at') as SendSettings['stopAt'],
    chunkSize,
  };
}

async function* iterate(phones: readonly string[]): AsyncGenerator<InputNumber> {
  for (const phone of phones) yield { phone, variables: null };
}

function openNumbers(invocation: Invocation): AsyncIterable<InputNumber> {
  const { terminal } = invocation;
  const path = invocation.text('file');
  const typed = invocation.arguments.filter((word) => word !== '-');
  const fromInput = invocation.arguments.includes('-') || (path === undefined && typed.length === 0);
  if ((path !== undefined || fromInput) && typed.length > 0) {
    throw new UsageError('Give numbers as arguments or in a file, not both.');
  }
  if (typed.length > 0) return iterate(typed);
  if (path === undefined && terminal.inputIsTty) {
    throw new UsageError(
      'No numbers were given.',
      'As arguments: postrider send 13800139001. From a file: postrider send --file numbers.csv',
    );
  }
  const columnVariables = new Map<string, VariableName>();
  for (const [column, variable] of readPairs(invocation, 'map')) {
    if (!isVariableName(variable)) throw new UsageError(`--map ${column}=${variable}: variables are called p1 to p18.`);
    columnVariables.set(column, variable);
  }
  const source = path ?? '-';
  return readNumbers(readInput(terminal, source), source, {
    format: invocation.text('format') as 'lines' | 'csv' | undefined,
    columnVariables,
    ignoredColumns: new Set(invocation.list('ignore')),
  });
}

function chooseNaming(invocation: Invocation): Naming {
  const id = invocation.text('id');
  if (id !== undefined) {
    // Room for the dot and the number of the chunk within the 64 characters that the service allows.
    if ([...id].length > 56) throw new UsageError('--id takes at most 56 characters.');
    return { kind: 'given', id };
  }
  // A number typed by hand is meant to be sent now, however often it was sent before; a file is a thing to send once.
  const typed = invocation.arguments.some((word) => word !== '-');
  return typed || invocation.flag('again') ? { kind: 'given', id: `cli-${crypto.randomUUID()}` } : { kind: 'content' };
}

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
}

async function dryRun(invocation: Invocation, settings: SendSettings): Promise<ExitCode> {
  const { out, err } = invocation.terminal;
  let requests = 0;
  let numbers = 0;
  for await (const { request } of buildRequests(openNumbers(invocation), settings, chooseNaming(invocation))) {
    if (requests === 0) await out.write(`${JSON.stringify(request)}\n`);
    requests += 1;
    numbers += request.phones?.length ?? request.recipients?.length ?? 0;
  }
  await err.write(
    `${numbers.toLocaleString('en')} numbers in ${requests} requests; the first is shown. Nothing was sent.\n`,
  );
  return exitCodes.ok;
}

async function send(invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation;
  chooseFormat(invocation);
  const connection = await requireConnection(invocation, 'customer');
  const settings = readSettings(invocation, invocation.text('template') ?? connection.profile.template_no);
  if (invocation.flag('dry-run')) return dryRun(invocation, settings);
  const client = createCustomerClient(connection);
  const waits = invocation.choice('wait') !== false && settings.stopAt === undefined;
  const naming = chooseNaming(invocation);
  const result = await runSend({
    client,
    terminal,
    requests: buildRequests(openNumbers(invocation), settings, naming),
    repeatHint: explainRepeating(naming, invocation.text('id') !== undefined),
    waitMs: waits ? parseDurationMs(invocation.text('timeout') ?? '10m', 'timeout') : null,
  });
  if (result.tasks.length === 0) {
    if (result.interrupted) return exitCodes.interrupted;
    throw new UsageError('There were no numbers to send to.');
  }
  await printResult(invocation, client, result.tasks);
  if (result.interrupted) return exitCodes.interrupted;
  if (!waits) return exitCodes.ok;
  const counts = addCounts(result.tasks);
  return result.tasks.every(isFinished) && counts.delivered === counts.total ? exitCodes.ok : exitCodes.incomplete;
}

export const sendCommands: readonly Command[] = [
  {
    path: ['send'],
    summary: 'send a template to numbers, and follow it to its receipts',
    description: [
      'Numbers come as arguments, from a file or from standard input, one a line or as CSV. A CSV names its columns in the',
      'first line: phone, and p1 to p18 for variables of each number. Inputs of any size go out in requests of 5,000.',
      '',
      'A file is sent once: stopped with Ctrl-C or cut off, the same command goes on where it was, and run again it creates',
      'nothing new (--again does). With --id, the id names the send: other content under it is refused, never sent as well.',
      'Numbers given as arguments are a new message each time, unless --id is given.',
    ].join('\n'),
    arguments: [{ name: 'NUMBER', summary: 'numbers to send to; - reads standard input', variadic: true }],
    options: {
      file: { type: 'string', short: 'f', value: 'PATH', summary: 'read numbers from this file; - is standard input' },
      format: { type: 'string', choices: ['lines', 'csv'], summary: 'how the input is written (judged by itself)' },
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
      firm: { type: 'string', multiple: true, value: 'FIRM', summary: 'reach numbers through these firms only' },
      'service-account': { type: 'string', value: 'ACCOUNT', summary: "sender account (the template's own)" },
      id: { type: 'string', value: 'ID', summary: 'names this send; the same id never sends twice' },
      again: { type: 'boolean', summary: 'send a file that was sent before as a new message' },
      'stop-at': {
        type: 'string',
        choices: ['queued', 'prepared', 'frozen'],
        summary: 'go no further than this; "postrider task submit TASK" goes on',
      },
      chunk: { type: 'string', value: 'COUNT', summary: 'numbers in one request (5000)' },
      wait: { type: 'boolean', summary: 'wait for receipts (yes); --no-wait ends at acceptance' },
      timeout: { type: 'string', value: 'DURATION', summary: 'how long to wait for receipts (10m)' },
      'dry-run': { type: 'boolean', summary: 'show the first request and send nothing' },
      ...outputOptions,
    },
    examples: [
      { command: 'postrider send 13800139001 --var p1=Ann', shows: 'one message, followed to its receipt' },
      { command: 'postrider send --file customers.csv --map name=p1', shows: 'a text of its own for each row' },
      {
        command: 'sort numbers.txt | postrider send - --template TPL --no-wait --json',
        shows: 'from a pipe, to a pipe',
      },
      { command: 'postrider send -f may.csv --id may-campaign', shows: 'never twice, even if the file changes' },
    ],
    run: send,
  },
];
