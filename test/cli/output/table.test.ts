import { expect, test } from 'vitest';
import { createRecordPrinter } from '../../../src/cli/output/records.js';
import { createTable } from '../../../src/cli/output/table.js';
import { createCapture } from '../capture.js';

test('columns line up, also with characters that take two places, and numbers stand to the right', async () => {
  const output = createCapture();
  const table = createTable(output, [{ title: 'NAME' }, { title: 'COUNT', align: 'right' }, { title: 'NOTE' }]);
  await table.write([
    ['中国移动', '1', 'x'],
    ['ab', '1000000', ''],
  ]);
  expect(output.text.split('\n')).toEqual(['NAME        COUNT  NOTE', '中国移动        1  x', 'ab        1000000', '']);
});

test('later rows come without a second header and keep the widths', async () => {
  const output = createCapture();
  const table = createTable(output, [{ title: 'A' }, { title: 'B' }]);
  await table.write([['1', '2']]);
  await table.write([['3', '4']]);
  expect(output.text).toBe('A  B\n1  2\n3  4\n');
});

test('text of others cannot drive the terminal or break the table', async () => {
  const output = createCapture();
  await createTable(output, [{ title: 'CONTENT' }]).write([['a\u001b[2Jb\nc\u0007']]);
  expect(output.text).toBe('CONTENT\na [2Jb c \n'.replace('c \n', 'c\n'));
});

test('a narrow terminal does without what can be done without, a file gets all of it', async () => {
  const columns = [{ title: 'PHONE' }, { title: 'CODE', dispensable: 2 }, { title: 'NOTE', dispensable: 1 }];
  const row = ['13800139001', 'DELIVRD', 'a longer description'];
  const print = async (isTty: boolean, width: number) => {
    const output = { ...createCapture(isTty), columns: width };
    await createTable(output, columns).write([row]);
    return output.text.split('\n')[1];
  };
  expect(await print(true, 42)).toBe('13800139001  DELIVRD  a longer description');
  expect(await print(true, 41)).toBe('13800139001  DELIVRD');
  expect(await print(true, 15)).toBe('13800139001');
  expect(await print(false, 15)).toBe('13800139001  DELIVRD  a longer description');
});

test('a very long cell is cut with an ellipsis', async () => {
  const output = createCapture();
  await createTable(output, [{ title: 'A' }, { title: 'B' }]).write([['x'.repeat(500), 'y']]);
  expect(output.text.split('\n')[1]).toBe(`${'x'.repeat(47)}…  y`);
});

test('what is made of parts is shown in words, and times in them as everywhere', async () => {
  const output = createCapture();
  const shape = { fields: [], columns: [{ title: 'PROGRESS', field: 'progress' }] };
  const progress = [
    { event: 'receipts', failures: 2, failing_since: '2026-11-15T03:46:56.000Z' },
    { event: 'uplinks', failures: 0, failing_since: null },
  ];
  await createRecordPrinter(output, shape, 'table')([{ progress }, { progress: ['a', 'b'] }, { progress: {} }]);
  expect(output.text.split('\n').slice(1, 4)).toEqual([
    'event receipts, failures 2, failing_since 2026-11-15 03:46:56; event uplinks, failures 0, failing_since –',
    'a b',
    '{}',
  ]);
});
