// A list of numbers as people have it in a file: text in the encoding of their spreadsheet, or the workbook itself. The console and
// the command line read files through this module, so that both accept and refuse the same ones. Needs no more than a browser has.

import { NumberFileError } from './number-file-error.js';

export type NumberFileEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'gb18030' | 'xlsx';

export interface NumberFile {
  /** One number per line, or CSV. A workbook becomes CSV. */
  readonly text: string;
  readonly encoding: NumberFileEncoding;
}

const MAX_BYTES = 256 * 1024 * 1024;

/** Reads a list of numbers from the bytes of a file. */
export async function readNumberFile(bytes: Uint8Array): Promise<NumberFile> {
  if (bytes.length > MAX_BYTES) throw new NumberFileError('too_large');
  if (startsWith(bytes, [0x50, 0x4b, 0x03, 0x04])) {
    // Few lists are workbooks: the reader is loaded for those only.
    const { readWorkbook } = await import('./workbook.js');
    return { text: checkText(await readWorkbook(bytes, MAX_BYTES)), encoding: 'xlsx' };
  }
  if (startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0])) throw new NumberFileError('old_excel');
  const encoding = findEncoding(bytes);
  return { text: checkText(decode(bytes, encoding) ?? ''), encoding };
}

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, index) => bytes[index] === byte);
}

function findEncoding(bytes: Uint8Array): Exclude<NumberFileEncoding, 'xlsx'> {
  if (startsWith(bytes, [0xff, 0xfe])) return 'utf-16le';
  if (startsWith(bytes, [0xfe, 0xff])) return 'utf-16be';
  if (bytes.some(isBinary)) throw new NumberFileError('binary');
  if (decode(bytes, 'utf-8') !== null) return 'utf-8';
  // Text in GB18030 is hardly ever valid UTF-8, but the reverse is common, so UTF-8 is tried first.
  if (decode(bytes, 'gb18030') !== null) return 'gb18030';
  throw new NumberFileError('unknown_encoding');
}

/** A control character that no text has. Tab, line ends, form feed and the DOS end of file (Ctrl-Z) are text. */
function isBinary(byte: number): boolean {
  return byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d) && byte !== 0x1a;
}

/** Null where the bytes are not of this encoding. Drops the byte order mark. */
function decode(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function checkText(text: string): string {
  if (text.includes('\uFFFD')) throw new NumberFileError('damaged_characters');
  if (text.includes('\0')) throw new NumberFileError('binary');
  return text;
}
