// A whole list as a file: every row of its filter, oldest first, as the database was at one moment. Rows are read a page at
// a time and the next page only when the client has taken the one before, so that memory does not grow with the list.

import { PassThrough, type Readable } from 'node:stream';
import { withRepeatableRead } from '../../store/repeatable-read.js';
import type { AnySql, Sql } from '../../store/sql.js';
import type { RowFormat } from '../export-rows.js';

/** A page of the database: large enough that asking costs little beside the rows, and so small that it dies young. */
const ROWS_A_PAGE = 500;
/** What is written down at once: a few milliseconds of the event loop. */
const ROWS_A_BATCH = 100;
/** What is handed on at once: one call of the system for some hundred rows. */
const PIECE_CHARACTERS = 128 * 1024;
/**
 * A client may fall behind this pace by so much, taken together; then it loses its place, before the database ends the
 * transaction. Only the time that is spent waiting for the client counts.
 */
const PACE: ReadPace = { charactersPerMs: 16, patienceMs: 10_000 };
const MAX_QUIET_MS = 20_000;
/** A long snapshot keeps the database from vacuuming. A longer export continues by cursor. */
const MAX_EXPORT_MS = 15 * 60_000;

interface ReadPace {
  readonly charactersPerMs: number;
  readonly patienceMs: number;
}

/** A list as an export reads it: oldest first, from behind a key. */
export interface ForwardList {
  readForward(after: string | undefined, limit: number): Promise<ForwardPage>;
}

export interface ForwardPage {
  /** As many as there are items. */
  readonly keys: readonly string[];
  readonly items: readonly Item[];
  /** The key to continue after; undefined at the end of the list. A page may be short, or empty, before that. */
  readonly nextKey: string | undefined;
}

export type Item = Readonly<Record<string, unknown>>;

export interface ExportSource {
  readonly sql: Sql;
  /** The cursors of rows with these keys. */
  readonly cursorsOf: (keys: readonly string[]) => readonly string[];
  readonly after: string | undefined;
  readonly format: RowFormat;
  /** Undefined when the filters name something that does not exist. */
  readonly open: (tx: AnySql) => Promise<ForwardList | undefined>;
  /** Resolves when so many rows may be written down. */
  readonly takeRows: (rows: number) => Promise<void>;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicNow: () => number;
  /** Called once, when nothing is read any more. */
  readonly onEnd: () => void;
  /** For tests. */
  readonly pace?: ReadPace;
}

/** Resolves when the first rows are there, so that what fails before can still be answered with a problem. */
export async function startExport(source: ExportSource): Promise<Readable> {
  // Texts go to the socket as they are, which encodes them where no garbage is left to be collected.
  const out = new PassThrough({ objectMode: true, highWaterMark: 1 });
  // An error before the stream is read rejects this promise; an unhandled error of the stream would end the process.
  out.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    withRepeatableRead(source.sql, MAX_QUIET_MS, (tx) => writeAll(tx, source, out, resolve))
      .then(
        () => out.end(),
        (error: unknown) => {
          reject(error);
          // The answer must not look complete: the connection is closed, and the client continues by cursor.
          out.destroy(error instanceof Error ? error : new Error(String(error)));
        },
      )
      .finally(source.onEnd);
  });
  return out;
}

async function writeAll(tx: AnySql, source: ExportSource, out: PassThrough, onBegun: () => void): Promise<void> {
  const { format, cursorsOf, takeRows, monotonicNow } = source;
  const list = (await source.open(tx)) ?? { readForward: async () => ({ keys: [], items: [], nextKey: undefined }) };
  const write = createPacedWriter(out, monotonicNow, source.pace ?? PACE);
  const startedMs = monotonicNow();
  let text = format.head;
  let reading: Promise<ForwardPage> | undefined = list.readForward(source.after, ROWS_A_PAGE);
  while (reading !== undefined) {
    const { keys, items, nextKey }: ForwardPage = await reading;
    // The database reads the next page while this one is written down and taken.
    reading = nextKey === undefined ? undefined : list.readForward(nextKey, ROWS_A_PAGE);
    reading?.catch(() => undefined);
    for (let first = 0; first < items.length; first += ROWS_A_BATCH) {
      const batch = items.slice(first, first + ROWS_A_BATCH);
      await takeRows(batch.length);
      const cursors = cursorsOf(keys.slice(first, first + ROWS_A_BATCH));
      for (const [at, item] of batch.entries()) {
        text += format.write(item, cursors[at] ?? '');
        if (text.length < PIECE_CHARACTERS) continue;
        onBegun();
        await write(text);
        text = '';
      }
    }
    if (monotonicNow() - startedMs > MAX_EXPORT_MS) throw new Error('the export took too long');
  }
  const taken = write(text);
  onBegun();
  await taken;
}

/** Its promise resolves when there is room for more, and rejects for a client that is gone or too slow. */
function createPacedWriter(out: PassThrough, now: () => number, { charactersPerMs, patienceMs }: ReadPace) {
  let patienceLeftMs = patienceMs;
  return async (text: string): Promise<void> => {
    if (out.destroyed) throw new Error('the client of an export is gone');
    if (text === '' || out.write(text)) return;
    const startedMs = now();
    await waitForDrain(out, patienceLeftMs);
    const waitedMs = now() - startedMs;
    patienceLeftMs = Math.min(patienceMs, patienceLeftMs - waitedMs + text.length / charactersPerMs);
    if (patienceLeftMs <= 0) throw new Error(TOO_SLOW);
  };
}

const TOO_SLOW = 'the client of an export reads too slowly';

function waitForDrain(out: PassThrough, limitMs: number): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const settle = (error?: Error) => {
      clearTimeout(timer);
      out.off('drain', settle);
      out.off('close', onClose);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onClose = () => settle(new Error('the client of an export is gone'));
    const timer = setTimeout(() => settle(new Error(TOO_SLOW)), limitMs);
    out.once('drain', settle);
    out.once('close', onClose);
  });
}
