import { OUTCOME_LOOKS, OUTCOMES } from '@postrider/client';
import { expect, test } from 'vitest';
import { createRecordPrinter } from '../../src/cli/output/records.js';
import { receiptShape, submitShape } from '../../src/cli/output/shapes.js';
import { createCapture } from './capture.js';

async function print(isTty: boolean, color: boolean, shape = receiptShape, records: object[] = []): Promise<string> {
  const output = { ...createCapture(isTty), color, columns: 200 };
  await createRecordPrinter(output, shape, 'table')(records);
  return output.text;
}

const receipts = OUTCOMES.map((result) => ({ phone: '13800138000', result, price: '0.050000' }));

test('a terminal shows each outcome with its sign and its colour', async () => {
  const text = await print(true, true, receiptShape, receipts);
  for (const outcome of OUTCOMES) {
    const { sign, terminalColor } = OUTCOME_LOOKS[outcome];
    expect(text).toContain(`\u001b[${terminalColor}m${sign} ${outcome}`);
  }
});

test('without colours the signs stay, and the columns stand', async () => {
  const text = await print(true, false, receiptShape, receipts);
  expect(text).not.toContain('\u001b');
  const lines = text.trimEnd().split('\n').slice(1);
  expect(lines.map((line) => line.indexOf('0.050000'))).toEqual(lines.map(() => lines[0]?.indexOf('0.050000')));
  for (const [index, outcome] of OUTCOMES.entries())
    expect(lines[index]).toContain(`${OUTCOME_LOOKS[outcome].sign} ${outcome}`);
});

test('what was accepted upstream looks like what awaits its receipt', async () => {
  const text = await print(true, false, submitShape, [{ phone: '1', status: 'accepted' }]);
  expect(text).toContain(`${OUTCOME_LOOKS.awaiting.sign} accepted`);
});

test('a program that reads along gets the words alone', async () => {
  const text = await print(false, false, receiptShape, receipts);
  for (const { sign } of Object.values(OUTCOME_LOOKS)) expect(text).not.toContain(sign);
});

test('no two outcomes look alike', () => {
  const looks = Object.values(OUTCOME_LOOKS);
  for (const of of ['sign', 'terminalColor'] as const)
    expect(new Set(looks.map((look) => look[of])).size).toBe(looks.length);
});
