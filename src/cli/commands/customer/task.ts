import { type Task, type TaskDetail, type TaskMove, WaitTimeoutError } from '@postrider/client';
import { connectAsCustomer, connectAsOperator } from '../../access/connection.js';
import type { ArgumentSpec, Command, Invocation } from '../../command.js';
import { wrapProse } from '../../display-width.js';
import { parseDurationMs, readLater } from '../../duration.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { UsageError } from '../../failure.js';
import { createMoveCommands } from '../../move-commands.js';
import { explainNextMoves } from '../../next-move.js';
import { createPace } from '../../output/pace.js';
import { createProgressLine } from '../../output/progress-line.js';
import { chooseFormat, outputOptions, printRecord } from '../../output/records.js';
import { taskShape } from '../../output/shapes.js';
import { countDone, formatProgress } from '../../send/progress.js';
import { formatSummary } from '../../send/summary.js';
import { spellCommand } from '../../spell-command.js';
import type { Terminal } from '../../terminal.js';

const taskArgument: ArgumentSpec = { name: 'TASK', summary: 'number of the task', required: true };

async function showTask(invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation;
  const taskNo = invocation.argument(0);
  if (!invocation.flag('follow')) {
    const reader = invocation.flag('operator')
      ? await connectAsOperator(invocation)
      : await connectAsCustomer(invocation);
    const task = await reader.task(taskNo, { signal: terminal.signal });
    const shape = { ...taskShape, fields: [...taskShape.fields, ...(task.verification ? ['verification'] : [])] };
    await printRecord(invocation, task, shape);
    if (chooseFormat(invocation) === 'table') {
      const steps = task.timeline.map((step) => `${step.stage} ${step.at.slice(11, 19)}`).join(' → ');
      await terminal.out.write(`timeline  ${steps}\n`);
    }
    return exitCodes.ok;
  }
  return followTask(invocation, taskNo);
}

async function followTask(invocation: Invocation, taskNo: string): Promise<ExitCode> {
  const { terminal } = invocation;
  const client = await connectAsCustomer(invocation);
  const timeout = invocation.text('timeout');
  const line = createProgressLine(terminal.err, Date.now);
  const pace = createPace(Date.now);
  const show = (seen: Task) => {
    pace.note(countDone([seen]));
    return line.show(formatProgress([seen], { isWhole: true, perSecond: pace.perSecond }));
  };
  try {
    const task = await client.waitForTask(taskNo, {
      signal: terminal.signal,
      ...(timeout === undefined ? {} : { timeoutMs: parseDurationMs(timeout, 'timeout') }),
      onProgress: (seen) => void show(seen),
    });
    await line.finish(formatSummary([task], terminal.err));
    if (chooseFormat(invocation) !== 'table') await printRecord(invocation, task, taskShape);
    if (task.waits_for === 'funds') {
      const topUp = spellCommand(terminal, 'topup CUSTOMER AMOUNT');
      await say(terminal, `The balance does not cover it. It continues after a top-up: ${topUp}`);
    } else if (task.waits_for === 'limit') {
      await say(terminal, explainLimit(task));
    } else if (task.waits_for !== null) {
      await terminal.err.write(`It does not continue automatically. ${explainNextMoves(terminal, [task])}`);
    }
    return task.counts.delivered === task.counts.total ? exitCodes.ok : exitCodes.incomplete;
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error;
    if (error.task !== null) await line.finish(formatSummary([error.task], terminal.err));
    const again = spellCommand(terminal, `task ${taskNo} --follow`);
    await say(
      terminal,
      `Waited ${timeout}, and it is still under way. It continues automatically. Go on watching: ${again}`,
    );
    return exitCodes.incomplete;
  }
}

function say({ err }: Terminal, text: string): Promise<void> {
  return err.write(`${wrapProse(text, err)}\n`);
}

function explainLimit({ amounts, limit }: TaskDetail): string {
  if (limit === undefined || limit.fits_from === null) {
    return `Its price of ${amounts.price} is above the daily limit of ${limit?.daily_limit}. It continues when the operator raises the limit.`;
  }
  return `It is over the daily limit of ${limit.daily_limit}. It continues at ${limit.fits_from}, or when the operator raises the limit.`;
}

async function moveTask(invocation: Invocation, move: TaskMove): Promise<void> {
  const client = invocation.flag('operator')
    ? await connectAsOperator(invocation)
    : await connectAsCustomer(invocation);
  const task = await client.moveTask(invocation.argument(0), move, { signal: invocation.terminal.signal });
  await printRecord(invocation, task, taskShape);
}

async function resolveTask(invocation: Invocation): Promise<ExitCode> {
  const client = await connectAsOperator(invocation);
  const remark = invocation.text('remark');
  const seqs = invocation.words('seq')?.map((seq) => {
    if (!/^[1-9]\d{0,3}$/.test(seq))
      throw new UsageError(`--seq takes positions of numbers in the task, not "${seq}".`);
    return Number(seq);
  });
  const taskNo = invocation.argument(0);
  const { terminal } = invocation;
  const before = await client.task(taskNo, { signal: terminal.signal });
  const task = await client.resolveTask(taskNo, {
    outcome: invocation.required('outcome') as 'accepted' | 'not_accepted',
    ...(seqs === undefined ? {} : { seqs }),
    ...(remark === undefined ? {} : { remark }),
  });
  if (before.counts.unknown === task.counts.unknown) {
    const which = seqs === undefined || task.counts.unknown === 0 ? 'No number of this task' : 'None of these numbers';
    await terminal.err.write(`${which} is unconfirmed; nothing changed.\n`);
    if (chooseFormat(invocation) === 'table') return exitCodes.ok;
  }
  await printRecord(invocation, task, taskShape);
  return exitCodes.ok;
}

export const taskCommands: readonly Command[] = [
  {
    path: ['task'],
    summary: 'one task: where it stands, its numbers, its money',
    arguments: [taskArgument],
    options: {
      follow: { type: 'boolean', short: 'f', summary: 'follow it until it has ended or waits for you' },
      timeout: { type: 'string', value: 'DURATION', summary: 'with --follow: give up after this long' },
      operator: { type: 'boolean', summary: 'of any customer, as the operator' },
      ...outputOptions,
    },
    examples: [
      { command: 'postrider task TASK', shows: 'where it stands now' },
      { command: 'postrider task TASK --follow --timeout 5m', shows: 'until every number has its receipt' },
    ],
    run: showTask,
  },
  ...createMoveCommands({
    noun: 'task',
    argument: taskArgument,
    example: 'TASK',
    summaries: {
      prepare: 'check, route and price a queued task',
      freeze: 'reserve the money of a prepared task',
      submit: 'hand a task with reserved money to the upstream',
      cancel: 'end a task: what is unsent is not sent, and its money released',
      pause: 'hand nothing new of a task over',
      resume: 'resume a paused task',
    },
    options: { operator: { type: 'boolean', summary: 'as the operator, for any customer' }, ...outputOptions },
    run: moveTask,
  }),
  {
    path: ['task', 'reschedule'],
    summary: 'reschedule a task, until its first segment is handed over',
    arguments: [taskArgument],
    options: {
      'send-at': {
        type: 'string',
        value: 'TIME',
        required: true,
        summary: '2026-11-15T09:00:00+08:00, 2026-11-15T09:00 (local time), or 2h from now as 2h',
      },
      ...outputOptions,
    },
    examples: [{ command: 'postrider task reschedule TASK --send-at 2h', shows: 'two hours from now' }],
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const sendAt = readLater(invocation, 'send-at') ?? '';
      const { signal } = invocation.terminal;
      await printRecord(invocation, await client.rescheduleTask(invocation.argument(0), sendAt, { signal }), taskShape);
      return exitCodes.ok;
    },
  },
  {
    path: ['task', 'resolve'],
    summary: 'record what the upstream says of unconfirmed numbers (operator)',
    arguments: [taskArgument],
    options: {
      outcome: {
        type: 'string',
        choices: ['accepted', 'not_accepted'],
        required: true,
        summary: 'what the upstream says',
      },
      seq: { type: 'string', multiple: true, value: 'SEQ', summary: 'only these positions (all that are unconfirmed)' },
      remark: { type: 'string', value: 'TEXT', summary: 'why, for the audit log' },
      ...outputOptions,
    },
    examples: [
      {
        command: 'postrider task resolve TASK --outcome not_accepted --remark "carrier ticket 4711"',
        shows: 'money is released',
      },
    ],
    run: resolveTask,
  },
];
