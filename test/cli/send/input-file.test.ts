import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorkbook } from '../../../packages/client/test/create-workbook.js';
import { type InputNumber, readInput, readNumbers } from '../../../src/cli/send/recipients-input.js';
import { createTestTerminal } from '../capture.js';

/** 手机号,姓名 and 13800139001,张三 as a Chinese Excel saves them as CSV. */
const GBK = Buffer.from('cad6bbfabac52cd0d5c3fb0d0a31333830303133393030312cd5c5c8fd0d0a', 'hex');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-input-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function readList(path: string, bytes: Uint8Array): Promise<{ numbers: InputNumber[]; notes: string }> {
  await writeFile(join(folder, path), bytes);
  const terminal = createTestTerminal({ folder });
  const options = {
    format: undefined,
    columnVariables: new Map([['姓名', 'p1'] as const]),
    ignoredColumns: new Set<string>(),
  };
  const numbers: InputNumber[] = [];
  for await (const number of readNumbers(readInput(terminal, path), path, options)) numbers.push(number);
  return { numbers, notes: terminal.err.text };
}

const WANTED = [{ phone: '13800139001', variables: { p1: '张三' } }];

test('a CSV that Excel saved in GBK is read as what it says, with a note', async () => {
  const { numbers, notes } = await readList('list.csv', GBK);
  expect(numbers).toEqual(WANTED);
  expect(notes).toContain('list.csv is read as GB18030');
});

test('a workbook is read as it is', async () => {
  const { numbers, notes } = await readList(
    'list.xlsx',
    createWorkbook([
      ['手机号', '姓名'],
      [13800139001, '张三'],
    ]),
  );
  expect(numbers).toEqual(WANTED);
  expect(notes).toBe('');
});

test('damaged characters and binary files are refused with a sentence', async () => {
  await expect(readList('list.csv', Buffer.from('phone,p1\n13800139001,\uFFFD\n'))).rejects.toThrow(
    'list.csv: The file contains damaged characters',
  );
  await expect(readList('list.csv', Buffer.from([0x89, 0x50, 0, 1]))).rejects.toThrow(
    'list.csv: The file is not text.',
  );
});
