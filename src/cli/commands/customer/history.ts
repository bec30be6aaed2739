import { type NumberEvent, orderEvents } from '@postrider/client';
import { connectAsCustomer } from '../../access/connection.js';
import type { Command, Invocation } from '../../command.js';
import { wrapProse } from '../../display-width.js';
import { exitCodes } from '../../exit-codes.js';
import { chooseFormat, createRecordPrinter, outputOptions } from '../../output/records.js';
import { numberEventShape } from '../../output/shapes.js';
import { spellCommand } from '../../spell-command.js';

async function showHistory(invocation: Invocation): Promise<typeof exitCodes.ok> {
  const { terminal } = invocation;
  const client = await connectAsCustomer(invocation);
  const history = await client.number(invocation.argument(0), { signal: terminal.signal });
  const format = chooseFormat(invocation);
  const print = createRecordPrinter(terminal.out, numberEventShape, format);
  if (format === 'json') {
    await print([history]);
    return exitCodes.ok;
  }
  const rows = orderEvents(history).map(tellEvent);
  if (format === 'csv' || rows.length > 0) await print(rows);
  if (format === 'csv') return exitCodes.ok;
  if (rows.length === 0) await terminal.err.write(`Nothing happened to ${history.phone}.\n`);
  const notes = [
    history.opted_out_at !== null && `It has opted out, on ${history.opted_out_at.slice(0, 10)}.`,
    !history.is_complete && `There is more: ${spellCommand(terminal, `receipts --phone ${history.phone} --all`)}`,
  ].filter((note) => note !== false);
  if (notes.length > 0) await terminal.err.write(`${wrapProse(notes.join(' '), terminal.err)}\n`);
  return exitCodes.ok;
}

/** One line of the story; what a kind of event does not have is left empty. */
function tellEvent({ kind, at, record }: NumberEvent) {
  const part = 'part' in record ? `${record.part} / ${record.parts}` : null;
  // A part that goes out has no outcome yet: that is its answer's.
  const status = 'result' in record ? record.result : 'status' in record && kind !== 'submitted' ? record.status : null;
  return {
    at,
    event: kind,
    status,
    code: 'code' in record && kind !== 'submitted' ? record.code : null,
    part,
    firm: record.firm,
    task_no: record.task_no,
    text: 'content' in record ? record.content : 'description' in record ? record.description : null,
  };
}

export const historyCommand: Command = {
  path: ['history'],
  summary: 'all activity of a number',
  description:
    'Sent messages, answers, delivery reports, receipts and replies, newest first. Any spelling of the number works.',
  arguments: [{ name: 'PHONE', summary: 'the number', required: true }],
  options: outputOptions,
  examples: [{ command: 'postrider history 13800138000', shows: 'the messages to this number and their outcomes' }],
  run: showHistory,
};
