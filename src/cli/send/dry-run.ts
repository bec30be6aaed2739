import type { CutRequest, PostriderClient, Preview } from '@postrider/client';
import type { Invocation } from '../command.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import { chooseFormat, createRecordPrinter, type RecordShape } from '../output/records.js';

const firmShape: RecordShape = {
  fields: ['firm', 'numbers', 'parts', 'unit_price', 'price'],
  columns: [
    { title: 'CARRIER', field: 'firm' },
    { title: 'NUMBERS', field: 'numbers', align: 'right' },
    { title: 'SEGMENTS', field: 'parts', align: 'right' },
    { title: 'UNIT PRICE', field: 'unit_price', align: 'right' },
    { title: 'PRICE', field: 'price', align: 'right' },
  ],
};

const sampleShape: RecordShape = {
  fields: ['seq', 'phone', 'text', 'encoding', 'parts', 'price'],
  columns: [
    { title: 'SEQ', field: 'seq', align: 'right', dispensable: 1 },
    { title: 'PHONE', field: 'phone' },
    { title: 'SEGMENTS', field: 'parts', align: 'right' },
    { title: 'PRICE', field: 'price', align: 'right', dispensable: 3 },
    { title: 'ENCODING', field: 'encoding', dispensable: 2 },
    { title: 'TEXT', field: 'text' },
  ],
};

const rejectionShape: RecordShape = {
  fields: ['seq', 'phone', 'code', 'description'],
  columns: [
    { title: 'SEQ', field: 'seq', align: 'right' },
    { title: 'PHONE', field: 'phone' },
    { title: 'CODE', field: 'code' },
    { title: 'DESCRIPTION', field: 'description', dispensable: 1 },
  ],
};

const previewShape: RecordShape = {
  fields: ['total', 'sendable', 'rejected', 'parts', 'price', 'currency', 'available', 'affordable', 'waits_for'],
  columns: [],
};

/** Prices what `send` would send, as the service would at this moment. */
export async function runDryRun(
  invocation: Invocation,
  client: PostriderClient,
  requests: AsyncIterable<CutRequest>,
): Promise<ExitCode> {
  const { signal, out, err } = invocation.terminal;
  const whole = await client.previewAll(contentsOf(requests), { signal });
  if (whole === null) throw new UsageError('There were no numbers to send to.');
  const format = chooseFormat(invocation);
  if (format !== 'table') await createRecordPrinter(out, previewShape, format)([whole]);
  else await printTables(invocation, whole);
  await err.write(describePreview(whole));
  return whole.affordable ? exitCodes.ok : exitCodes.incomplete;
}

async function* contentsOf(requests: AsyncIterable<CutRequest>): AsyncGenerator<CutRequest['request']> {
  for await (const { request } of requests) yield request;
}

async function printTables({ terminal: { out } }: Invocation, { firms, samples, rejections }: Preview): Promise<void> {
  const tables = [
    { shape: firmShape, rows: firms },
    { shape: sampleShape, rows: samples },
    { shape: rejectionShape, rows: rejections },
  ].filter(({ rows }) => rows.length > 0);
  for (const [index, { shape, rows }] of tables.entries()) {
    if (index > 0) await out.write('\n');
    await createRecordPrinter(out, shape, 'table')(rows);
  }
}

function describePreview({ total, sendable, rejected, parts, price, currency, available, waits_for }: Preview): string {
  const count = (number: number, noun: string) => `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
  const refused = rejected === 0 ? '' : `, ${rejected.toLocaleString('en')} of them rejected unsent`;
  const money = {
    none: `The balance of ${available} covers it.`,
    funds: `The balance of ${available} does not cover it.`,
    limit: 'It is more than the daily limit leaves for today.',
  }[waits_for ?? 'none'];
  const work = sendable === 0 ? 'Nothing would go out.' : `${count(parts, 'segment')}, ${price} ${currency}. ${money}`;
  return `${count(total, 'number')}${refused}: ${work} Nothing was sent.\n`;
}
