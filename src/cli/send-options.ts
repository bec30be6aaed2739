// What the options of `send` say: which numbers, with which variables, under which names.

import type { VariableName } from '@postrider/client';
import type { Invocation } from './command.js';
import { UsageError } from './failure.js';
import {
  checkPhone,
  type InputNumber,
  isVariableName,
  readInput,
  readNumbers,
  type Variables,
} from './recipients-input.js';
import type { Naming, SendSettings } from './send-requests.js';

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
    if (variables[name] !== undefined) throw new UsageError(`--var ${name} was given twice.`);
    variables[name] = value;
  }
  return variables;
}

export function readSettings(invocation: Invocation, templateNo: string | undefined): SendSettings {
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
  for (const phone of phones) {
    checkPhone(phone);
    yield { phone, variables: null };
  }
}

export function openNumbers(invocation: Invocation): AsyncIterable<InputNumber> {
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
    if (columnVariables.has(column)) throw new UsageError(`--map ${column} was given twice.`);
    columnVariables.set(column, variable);
  }
  const source = path ?? '-';
  return readNumbers(readInput(terminal, source), source, {
    format: invocation.text('format') as 'lines' | 'csv' | undefined,
    columnVariables,
    ignoredColumns: new Set(invocation.list('ignore')),
  });
}

export function chooseNaming(invocation: Invocation): Naming {
  const id = invocation.text('id');
  if (id !== undefined) {
    // Room for the dot and the number of a later request within the 64 characters that the service allows.
    if ([...id].length > 56) throw new UsageError('--id takes at most 56 characters.');
    return { kind: 'given', id };
  }
  // A number typed by hand is meant to be sent now, however often it was sent before; a file is a thing to send once.
  const typed = invocation.arguments.some((word) => word !== '-');
  return typed || invocation.flag('again') ? { kind: 'given', id: `cli-${crypto.randomUUID()}` } : { kind: 'content' };
}
