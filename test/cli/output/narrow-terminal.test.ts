// Sixty columns are what a split screen leaves. Nothing may be broken in the middle of a word there.

import { expect, test } from 'vitest';
import { measureWidth, wrapProse, wrapText } from '../../../src/cli/display-width.js';
import { runCommandLine } from '../../../src/cli/main.js';
import { createRecordPrinter } from '../../../src/cli/output/records.js';
import * as shapes from '../../../src/cli/output/shapes.js';
import { listCommands } from '../../../src/cli/parse.js';
import { commandGroups } from '../../../src/cli/table-of-commands.js';
import { createCapture, createTestTerminal } from '../capture.js';

const columns = 60;

function findTooWide(text: string): string[] {
  return text.split('\n').filter((line) => measureWidth(line) > columns);
}

async function runNarrow(words: readonly string[]) {
  const terminal = createTestTerminal();
  const narrow = {
    ...terminal,
    out: { ...createCapture(true), columns },
    err: { ...createCapture(true), columns },
  };
  await runCommandLine(words, narrow);
  return `${narrow.out.text}${narrow.err.text}`;
}

test('the help of every command fits, but for its examples and usage, which are for copying', async () => {
  for (const { path } of listCommands(commandGroups)) {
    const text = (await runNarrow([...path, '--help']))
      .replace(/\nUsage\n.*\n/, '\n')
      .replace(/\nExamples\n[\s\S]*$/, '\n');
    // A single long word, such as the values of an option, stays whole.
    expect(
      findTooWide(text).filter((line) => /\S\s\S/.test(line.trim().replace(/^-\w, /, ''))),
      path.join(' '),
    ).toEqual([]);
  }
});

test('the overview, the exit codes and an error fit', async () => {
  expect(findTooWide(await runNarrow(['--help']))).toEqual([]);
  expect(findTooWide(await runNarrow(['exit-codes']))).toEqual([]);
  const lines = findTooWide(await runNarrow(['receipts', '--task', 'T', '--csv', '--json']));
  expect(lines).toEqual([]);
});

const sample: Readonly<Record<string, string>> = {
  phone: '+8613800139001',
  stage: 'waiting_receipt',
  accounting_state: 'insufficient_funds',
  result: 'undelivered',
  status: 'undelivered',
  content: 'A reply that somebody wrote with some care and at some length, as people do.',
  description: 'The message was not delivered to the handset, and will not be.',
};

test.each(Object.entries(shapes))('a table of the kind %s fits', async (_, shape) => {
  const output = { ...createCapture(true), columns };
  const record: Record<string, unknown> = {};
  for (const { field } of shape.columns) {
    const [outer = '', inner] = field.split('.');
    const isTime = field.endsWith('_at');
    const value = isTime
      ? '2026-11-15T03:46:56.000Z'
      : (sample[field] ??
        (/(amount|price|after|charged|held|avail|frozen|limit)/.test(field) ? '1000.000000' : 'T1M7EN1DEDRV8T'));
    record[outer] = inner === undefined ? value : { ...(record[outer] as object | undefined), [inner]: value };
  }
  await createRecordPrinter(output, shape, 'table')([record]);
  expect(findTooWide(output.text)).toEqual([]);
});

test('prose is filled anew, paragraph by paragraph, and what is set in stays as it is', () => {
  const text = 'one two three four\nfive six\n\nAny of these:\n  a command --with options\n  another';
  expect(wrapProse(text, { isTty: true, columns: 12 })).toBe(
    'one two\nthree four\nfive six\n\nAny of\nthese:\n  a\n      command\n      --with\n      options\n  another',
  );
  expect(wrapProse(text, { isTty: false, columns: 12 })).toBe(text);
  expect(wrapText('unbreakableword and more', 8)).toEqual(['unbreakableword', 'and more']);
});

test('a receipt keeps the outcome of the number, and why', async () => {
  const output = { ...createCapture(true), columns };
  const receipt = {
    phone: '13800139003',
    result: 'rejected',
    code: 'duplicate_number',
    parts: 1,
    price: '0.050000',
    firm: 'demo',
    received_at: '2026-11-15T03:46:56.000Z',
    task_no: 'T1M7EN1DEDRV8T',
    description: 'The number appears earlier in the task.',
  };
  await createRecordPrinter(output, shapes.receiptShape, 'table')([receipt]);
  expect(output.text).toMatch(
    /^PHONE +RESULT +CODE +TASK\n13800139003 .*rejected +duplicate_number +T1M7EN1DEDRV8T\n$/,
  );
});
