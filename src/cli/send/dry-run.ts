import type { CutRequest, PostriderClient, Preview } from '@postrider/client';
import type { Invocation } from '../command.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { UsageError } from '../failure.js';
import { showAll, showSome } from '../output/columns.js';
import { chooseFormat, createRecordPrinter } from '../output/records.js';

const firmShape = showAll('firm numbers parts unit_price price');

const sampleShape = showSome(
  ['seq', 'phone', 'text', 'encoding', 'parts', 'price'],
  'seq:1 phone parts price:3 encoding:2 text',
);

const rejectionShape = showSome(['seq', 'phone', 'code', 'description'], 'seq phone code description:1');

const previewShape = showAll('total sendable rejected parts price currency available affordable waits_for');

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
