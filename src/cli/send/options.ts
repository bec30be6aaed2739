// What the options of `send` say: which numbers, with which variables, under which names.

import type { SendAllNumber, SendAllRequest, VariableName } from '@postrider/client';
import type { Invocation } from '../command.js';
import { readLater } from '../duration.js';
import { UsageError } from '../failure.js';
import {
  checkPhone,
  type InputNumber,
  isVariableName,
  readInput,
  readNumbers,
  type Variables,
} from './recipients-input.js';

/** `name=value` pairs of a repeated option. */
function readPairs(invocation: Invocation, option: string): [string, string][] {
  return invocation.list(option).map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`--${option} takes NAME=VALUE, not "${pair}".`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
}

/** Those of `--var`. */
export function readVariables(invocation: Invocation): Variables {
  const variables: Variables = {};
  for (const [name, value] of readPairs(invocation, 'var')) {
    if (!isVariableName(name)) throw new UsageError(`--var ${name}: variables are called p1 to p18.`);
    if (variables[name] !== undefined) throw new UsageError(`--var ${name} was given twice.`);
    variables[name] = value;
  }
  return variables;
}

/** How far the tasks of a send go by themselves. */
export type StopAt = 'queued' | 'prepared' | 'frozen';

/** What all requests of one `send` have in common. */
export function readRequest(invocation: Invocation, templateNo: string | undefined): SendAllRequest {
  if (templateNo === undefined) {
    throw new UsageError(
      '--template is missing: the number of the template to send.',
      (spell) => `Yours are: ${spell('templates')}`,
    );
  }
  const serviceAccountNo = invocation.text('service-account');
  const targetFirms = invocation.words('firm');
  const variables = readVariables(invocation);
  const stopAt = readStopAt(invocation);
  const batchId = chooseBatchId(invocation);
  const title = invocation.text('title');
  const sendAt = readLater(invocation, 'send-at');
  const expiresAt = readLater(invocation, 'expires-at');
  return {
    template_no: templateNo,
    ...(batchId === undefined ? {} : { batch_id: batchId }),
    ...(title === undefined ? {} : { title }),
    ...(Object.keys(variables).length === 0 ? {} : { variable_values: variables }),
    ...(serviceAccountNo === undefined ? {} : { service_account_no: serviceAccountNo }),
    ...(targetFirms === undefined ? {} : { target_firms: targetFirms }),
    auto_prepare: stopAt !== 'queued',
    auto_freeze: stopAt === undefined || stopAt === 'frozen',
    auto_submit: stopAt === undefined,
    ...(sendAt === undefined ? {} : { send_at: sendAt }),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
  };
}

export function readStopAt(invocation: Invocation): StopAt | undefined {
  return invocation.text('stop-at') as StopAt | undefined;
}

export function readNumbersPerTask(invocation: Invocation): number {
  const count = invocation.wholeNumber('chunk') ?? 5000;
  if (count < 1 || count > 5000) throw new UsageError('--chunk takes 1 to 5000.');
  return count;
}

async function* checkPhones(phones: readonly string[]): AsyncGenerator<SendAllNumber> {
  for (const phone of phones) {
    checkPhone(phone);
    yield phone;
  }
}

async function* nameVariables(numbers: AsyncIterable<InputNumber>): AsyncGenerator<SendAllNumber> {
  for await (const { phone, variables } of numbers) {
    yield variables === null ? phone : { phone, variable_values: variables };
  }
}

export function openNumbers(invocation: Invocation): AsyncIterable<SendAllNumber> {
  const { terminal } = invocation;
  const path = invocation.text('file');
  const typed = invocation.arguments.filter((word) => word !== '-');
  const fromInput = invocation.arguments.includes('-') || (path === undefined && typed.length === 0);
  if ((path !== undefined || fromInput) && typed.length > 0) {
    throw new UsageError('Give numbers as arguments or in a file, not both.');
  }
  if (typed.length > 0) return checkPhones(typed);
  if (path === undefined && terminal.inputIsTty) {
    throw new UsageError(
      'No numbers were given.',
      (spell) => `As arguments: ${spell('send 13800139001')}\nFrom a file: ${spell('send --file numbers.csv')}`,
    );
  }
  const columnVariables = new Map<string, VariableName>();
  for (const [column, variable] of readPairs(invocation, 'map')) {
    if (!isVariableName(variable)) throw new UsageError(`--map ${column}=${variable}: variables are called p1 to p18.`);
    if (columnVariables.has(column)) throw new UsageError(`--map ${column} was given twice.`);
    columnVariables.set(column, variable);
  }
  const source = path ?? '-';
  const read = readNumbers(readInput(terminal, source), source, {
    format: invocation.text('format') as 'lines' | 'csv' | undefined,
    columnVariables,
    ignoredColumns: new Set(invocation.list('ignore')),
  });
  return nameVariables(read);
}

/** Undefined: by content, so that the same input sent again is the same batch. */
export function chooseBatchId(invocation: Invocation): string | undefined {
  const id = invocation.text('id');
  if (id !== undefined) {
    if ([...id].length > 64) throw new UsageError('--id takes at most 64 characters.');
    return id;
  }
  // A number typed by hand is meant to be sent now, however often it was sent before; a file is a thing to send once.
  const typed = invocation.arguments.some((word) => word !== '-');
  return typed || invocation.flag('again') ? `cli-${crypto.randomUUID()}` : undefined;
}

/** What to do after a failure or Ctrl-C so that nothing goes out twice. */
export function explainRepeating(batchId: string | undefined, idWasGiven: boolean): string {
  const again =
    batchId === undefined || idWasGiven ? 'Run the same command again' : `Run it again with --id ${batchId}`;
  return `${again} to send what was not accepted; nothing goes out twice.`;
}
