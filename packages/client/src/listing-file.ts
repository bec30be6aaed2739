import { createRowCutter, type FileType, readCursor } from './cut-rows.js';
import { PostriderConnectionError } from './errors.js';
import { retryDelayMs } from './retry.js';
import type { Call, Transport } from './transport.js';

export interface FileOptions {
  /** Goes on behind this row: the `cursor` of the last one you have. */
  readonly cursor?: string;
}

export interface CsvOptions extends FileOptions {
  /** False leaves the names of the columns out, for what is appended to a file that has them. */
  readonly head?: boolean;
}

/**
 * A list as a file, on its way: text in pieces that end where a row ends. It can be read once, and is fetched no faster than
 * it is read.
 */
export interface ListingFile extends AsyncIterable<string> {
  /** Rows handed out so far. */
  readonly rows: number;
  /** Of the last row handed out; of the options before the first. What a later file goes on from. */
  readonly cursor: string | null;
}

const mediaTypes: Record<FileType, string> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

/** After a lost connection it reconnects and continues after the last complete row. */
export function openListingFile(
  transport: Transport,
  call: Call,
  type: FileType,
  { cursor: startCursor, head: wantsHead = true }: CsvOptions,
): ListingFile {
  let cursor = startCursor ?? null;
  let rows = 0;
  let head: string | undefined;

  async function* readOnce(): AsyncGenerator<string> {
    const cutter = createRowCutter(type);
    const query = cursor === null ? call.query : { ...call.query, cursor };
    let isHeadNext = type === 'csv';
    for await (const piece of transport.stream({ ...call, query: query ?? {} }, mediaTypes[type])) {
      const cut = cutter.push(piece);
      if (cut.rows === 0) continue;
      let { text } = cut;
      let count = cut.rows;
      if (isHeadNext) {
        const first = text.slice(0, text.indexOf('\n') + 1);
        if (head === undefined ? !wantsHead : isSameHead(head, first)) text = text.slice(first.length);
        head ??= first;
        isHeadNext = false;
        count -= 1;
      }
      rows += count;
      if (count > 0) cursor = readCursor(type, cut.last);
      if (text !== '') yield text;
    }
    if (cutter.rest !== '') throw new PostriderConnectionError('broken', 'The file ended within a row', undefined);
  }

  async function* read(): AsyncGenerator<string> {
    for (let failures = 0; ; ) {
      const rowsBefore = rows;
      try {
        yield* readOnce();
        return;
      } catch (error) {
        failures = rows > rowsBefore ? 1 : failures + 1;
        const delayMs = retryDelayMs(error, failures, 'repeatable', transport.retry, transport.random);
        if (delayMs === null) throw error;
        await transport.clock.sleep(delayMs, call.signal);
      }
    }
  }

  const text = read();
  return {
    get rows() {
      return rows;
    },
    get cursor() {
      return cursor;
    },
    [Symbol.asyncIterator]: () => text,
  };
}

/** Rows of another version of the service must not get under the head of this one. */
function isSameHead(head: string, other: string): true {
  if (other === head) return true;
  throw new PostriderConnectionError('unreadable', 'The columns have changed while the file was read', undefined);
}
