// Receipts as a workbook, in the words of the viewer: what was cancelled is called so, carriers have their names.

import type { Receipt } from '@postrider/client';
import { outcomeOfReceipt } from '../api/receipt-outcome.js';
import { nameZone } from '../format/moment.js';
import type { Zone } from '../preferences.js';
import { type Say, sayValue } from '../words/say.js';
import { sayReason } from '../words/say-reason.js';
import { type Cell, MAX_WORKBOOK_ROWS, writeWorkbook } from './workbook.js';

export class TooManyRowsError extends Error {
  override readonly name = 'TooManyRowsError';
}

export interface WorkbookWords {
  readonly say: Say;
  readonly zone: Zone;
  readonly nameFirm: (firm: string) => string;
}

const MINUTE_MS = 60_000;

/** Excel has no zones: the time is the one on the viewer's clock. */
function momentOf(at: string | null, zone: Zone): Cell {
  if (at === null) return null;
  const atMs = Date.parse(at);
  return { kind: 'moment', atMs: zone === 'utc' ? atMs : atMs - new Date(atMs).getTimezoneOffset() * MINUTE_MS };
}

/** Each line of the export is one receipt. */
async function* readLines(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

export async function writeReceiptWorkbook(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { say, zone, nameFirm }: WorkbookWords,
): Promise<Blob> {
  const rows: Cell[][] = [];
  for await (const line of readLines(body)) {
    if (rows.length >= MAX_WORKBOOK_ROWS)
      throw new TooManyRowsError(say('receipts.tooMany', { count: MAX_WORKBOOK_ROWS }));
    const receipt = JSON.parse(line) as Receipt;
    const { phone, firm, code, text, parts, price, charged } = receipt;
    rows.push([
      phone,
      sayValue(say, 'outcome', outcomeOfReceipt(receipt)),
      code,
      sayReason(say, receipt),
      text ?? null,
      { kind: 'count', value: parts },
      { kind: 'amount', value: price },
      { kind: 'amount', value: charged },
      firm === null ? say('overview.noFirm') : nameFirm(firm),
      receipt.task_no,
      receipt.client_request_id,
      momentOf(receipt.submitted_at, zone),
      momentOf(receipt.received_at, zone),
    ]);
  }
  const zoneName = nameZone(zone, Date.now());
  const columns: readonly (readonly [name: string, width: number])[] = [
    [say('record.phone'), 16],
    [say('record.result'), 14],
    [say('record.code'), 18],
    [say('record.description'), 36],
    [say('task.text'), 60],
    [say('record.parts'), 10],
    [say('record.price'), 12],
    [say('record.charged'), 12],
    [say('record.firm'), 16],
    [say('record.task'), 18],
    [say('tasks.filter.requestId'), 24],
    [`${say('record.submitted')} (${zoneName})`, 22],
    [`${say('record.received')} (${zoneName})`, 22],
  ];
  const [head, widths] = [columns.map(([name]) => name), columns.map(([, width]) => width)];
  return await writeWorkbook({ name: say('nav.receipts'), head, widths, rows });
}
