import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { createRowCutter, type FileType, readCursor } from '@postrider/client';

/** What a file of rows holds up to the last that is whole. */
export interface FileEnd {
  readonly rows: number;
  readonly bytes: number;
  /** Of the last row; null where there is none. */
  readonly cursor: string | null;
  /** The first row of CSV; empty otherwise. */
  readonly head: string;
}

const nothing: FileEnd = { rows: 0, bytes: 0, cursor: null, head: '' };

/** Reads the whole file: only its beginning tells whether a line break near its end ends a row or belongs to a cell. */
export async function readFileEnd(path: string, type: FileType): Promise<FileEnd> {
  const cutter = createRowCutter(type);
  let { rows, bytes, head } = nothing;
  let last = '';
  for await (const piece of createReadStream(path, 'utf8')) {
    const cut = cutter.push(String(piece));
    if (cut.rows === 0) continue;
    if (type === 'csv' && bytes === 0) head = cut.text.slice(0, cut.text.indexOf('\n') + 1);
    rows += cut.rows;
    bytes += Buffer.byteLength(cut.text);
    last = cut.last;
  }
  const headRows = head === '' ? 0 : 1;
  if (rows === headRows) return { ...nothing, bytes, head };
  return { rows: rows - headRows, bytes, cursor: readCursor(type, last), head };
}

export interface OutputFile {
  /** Where the rows are until it is complete. */
  readonly path: string;
  /** What it held when it was opened. */
  readonly end: FileEnd;
  readonly isEmpty: boolean;
  write(text: string): Promise<void>;
  /** All rows are there: makes sure that they stay, and gives the file its name. */
  complete(): Promise<void>;
  /** Leaves what is there for a later run; where that is nothing, no file either. */
  close(): Promise<void>;
}

/**
 * Opens a file to write behind `end`. A name of its own until it is complete keeps half a file from being taken for a whole
 * one, and what was there before from being lost to a failure.
 */
export async function openOutputFile(path: string, finalPath: string, end: FileEnd = nothing): Promise<OutputFile> {
  const handle = await open(path, end.bytes === 0 ? 'w' : 'r+');
  // Half a row may have been written before the last run ended.
  await handle.truncate(end.bytes);
  let isOpen = true;
  let at = end.bytes;
  const letGo = async () => {
    if (isOpen) await handle.close();
    isOpen = false;
  };
  return {
    path,
    end,
    get isEmpty() {
      return at === 0;
    },
    async write(text) {
      at += await writeWhole(handle, Buffer.from(text), at);
    },
    async complete() {
      await handle.sync();
      await letGo();
      if (path !== finalPath) await rename(path, finalPath);
    },
    async close() {
      if (!isOpen) return;
      await letGo();
      if (at === 0 && path !== finalPath) await rm(path, { force: true });
    },
  };
}

async function writeWhole(handle: FileHandle, bytes: Buffer, at: number): Promise<number> {
  for (let done = 0; done < bytes.length; ) {
    done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
  }
  return bytes.length;
}
