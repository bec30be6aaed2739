// A list as a file on this machine. It gets its name when it is whole; what is interrupted is kept under another one, and the
// same command continues after its last row. `--append` continues after the last row of a complete file.

import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { FileListing, FileType, Listing, ListingFile } from '@postrider/client';
import { resolveConnection } from '../access/connection.js';
import type { Invocation } from '../command.js';
import { BrokenOffError, UsageError } from '../failure.js';
import type { Output } from '../terminal.js';
import { type FileEnd, type OutputFile, openOutputFile, readFileEnd } from './output-file.js';
import { createProgressLine } from './progress-line.js';

const typesByEnding: Readonly<Record<string, FileType>> = { csv: 'csv', ndjson: 'ndjson', jsonl: 'ndjson' };

/** By an option, else by the end of the name. */
function chooseFileType(invocation: Invocation, name: string): FileType {
  if (invocation.flag('json') && invocation.flag('csv')) throw new UsageError('--json and --csv exclude each other.');
  if (invocation.flag('json')) return 'ndjson';
  const type = invocation.flag('csv') ? 'csv' : typesByEnding[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''];
  if (type !== undefined) return type;
  throw new UsageError(
    `What to write to "${name}" is not clear.`,
    'End the name with .csv or .ndjson, or add --csv or --json.',
  );
}

function isFileListing<Item>(listing: Listing<Item>): listing is FileListing<Item> {
  return 'csv' in listing;
}

/** How records of this kind are written down, for lists that the service hands out in pages only. */
type MakePrinter = (output: Output, format: 'csv' | 'json') => (records: readonly unknown[]) => Promise<void>;

export async function saveListing<Item>(
  invocation: Invocation,
  listings: readonly Listing<Item>[],
  createPrinter: MakePrinter,
  noun: string,
): Promise<void> {
  const name = invocation.required('output');
  if (invocation.text('limit') !== undefined)
    throw new UsageError('--output takes all of them; --limit does not apply.');
  const path = resolve(invocation.terminal.folder, name);
  const type = chooseFileType(invocation, name);
  const files = listings.filter(isFileListing);
  const [only] = files;
  if (only !== undefined && listings.length === 1) return await saveWithCursor(invocation, only, { path, type, noun });
  if (invocation.flag('append')) {
    throw new UsageError('--append needs a list whose rows have a cursor; this one has none.');
  }
  const file = await openOutputFile(`${path}.part`, path);
  const isAllFiles = files.length === listings.length;
  const write = isAllFiles
    ? () => writeFiles(invocation, file, files, type, noun)
    : () => writePages(invocation, file, listings, type, createPrinter, noun);
  await keepWhole(file, 'Run the command again to start over.', write);
}

interface Target {
  readonly path: string;
  readonly type: FileType;
  readonly noun: string;
}

/** Rows carry their cursor, so that the file itself tells where to go on. */
async function saveWithCursor<Item>(
  invocation: Invocation,
  listing: FileListing<Item>,
  { path, type, noun }: Target,
): Promise<void> {
  const isAppending = invocation.flag('append');
  const partPath = isAppending ? path : `${path}.${await nameRequest(invocation, noun)}.part`;
  const end = await readEndIfAny(partPath, type);
  if (isAppending && end !== undefined && end.rows > 0 && end.cursor === null) {
    throw new UsageError(`${path} has no cursor in its last row, so new rows cannot be found.`);
  }
  const file = await openOutputFile(partPath, path, isAppending || end?.cursor != null ? end : undefined);
  const { rows, cursor, head } = file.end;
  if (rows > 0) {
    await invocation.terminal.err.write(`Going on behind ${rows.toLocaleString('en')} ${noun} in ${partPath}.\n`);
  }
  const source = listing[type](cursor === null ? {} : { cursor });
  await keepWhole(file, `Run the same command again: it continues after the last row in ${partPath}.`, () =>
    copyRows(invocation, file, [{ source, dropHead: head }], noun),
  );
}

async function readEndIfAny(path: string, type: FileType): Promise<FileEnd | undefined> {
  try {
    return await readFileEnd(path, type);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A name derived from the query and the caller, so that rows of another query are never continued as this one. */
async function nameRequest(invocation: Invocation, noun: string): Promise<string> {
  const connection = await resolveConnection(invocation, 'customer');
  const { url, api_key } = connection?.profile ?? {};
  const { output: _, ...options } = invocation.options;
  const request = JSON.stringify([url, api_key, noun, invocation.arguments, Object.entries(options).sort()]);
  return createHash('sha256').update(request).digest('hex').slice(0, 8);
}

function writeFiles<Item>(
  invocation: Invocation,
  file: OutputFile,
  listings: readonly FileListing<Item>[],
  type: FileType,
  noun: string,
): Promise<void> {
  const sources = listings.map((listing, at) => ({
    source: type === 'csv' ? listing.csv({ head: at === 0 }) : listing.ndjson(),
    dropHead: '',
  }));
  return copyRows(invocation, file, sources, noun);
}

interface RowSource {
  readonly source: ListingFile;
  /** The head that the file has already. */
  readonly dropHead: string;
}

async function copyRows(
  invocation: Invocation,
  file: OutputFile,
  sources: readonly RowSource[],
  noun: string,
): Promise<void> {
  const progress = createProgress(invocation, file.end, noun);
  for (const { source, dropHead } of sources) {
    let isFirst = true;
    let rowsBefore = 0;
    for await (const piece of source) {
      const text = isFirst ? withoutHead(piece, dropHead, file.path) : piece;
      isFirst = false;
      await file.write(text);
      await progress.add(source.rows - rowsBefore, text);
      rowsBefore = source.rows;
    }
  }
  await progress.finish();
}

function withoutHead(text: string, head: string, path: string): string {
  if (text.startsWith(head)) return text.slice(head.length);
  throw new UsageError(`The columns of ${path} are not those that the service has now.`, 'Begin a new file.');
}

async function writePages<Item>(
  invocation: Invocation,
  file: OutputFile,
  listings: readonly Listing<Item>[],
  type: FileType,
  createPrinter: MakePrinter,
  noun: string,
): Promise<void> {
  const progress = createProgress(invocation, file.end, noun);
  let text = '';
  const keep = async (more: string) => {
    text += more;
  };
  const output = { isTty: false, columns: 80, color: false, write: keep };
  const print = createPrinter(output, type === 'csv' ? 'csv' : 'json');
  for (const listing of listings) {
    for await (const { items } of listing.pages()) {
      await print(items);
      await file.write(text);
      await progress.add(items.length, text);
      text = '';
    }
  }
  await progress.finish();
}

const progressIntervalMs = 200;

function createProgress({ terminal }: Invocation, end: FileEnd, noun: string) {
  const line = createProgressLine(terminal.err, Date.now);
  let { rows, bytes } = end;
  let shownAtMs = 0;
  const pieces = () => [`${rows.toLocaleString('en')} ${noun}`, `${(bytes / 1e6).toFixed(1)} MB`];
  return {
    async add(newRows: number, text: string): Promise<void> {
      rows += newRows;
      bytes += Buffer.byteLength(text);
      if (Date.now() - shownAtMs < progressIntervalMs) return;
      shownAtMs = Date.now();
      await line.show(pieces());
    },
    finish: () => line.finish(pieces().join(' · ')),
  };
}

async function keepWhole(file: OutputFile, advice: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
    await file.complete();
  } catch (error) {
    throw error instanceof UsageError || file.isEmpty ? error : new BrokenOffError(error, advice);
  } finally {
    await file.close();
  }
}
