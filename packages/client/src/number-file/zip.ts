// Reads files out of a zip archive in memory: its central directory, and deflate as the platform has it.

export interface Zip {
  /** Undefined where the archive has no such file. */
  read(path: string): Promise<Uint8Array | undefined>;
}

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
/** Deflate packs no better. */
const MAX_DEFLATE_RATIO = 1_040;

interface Entry {
  readonly method: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly offset: number;
}

/** `maxBytes` bounds what is unpacked in all: a small archive can hold very large files. */
export function openZip(archive: Uint8Array, maxBytes: number): Zip {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const entries = readDirectory(archive, view);
  let leftBytes = maxBytes;
  return {
    async read(path) {
      const entry = entries.get(path);
      if (entry === undefined) return undefined;
      // No memory is taken for what cannot be in there.
      if (entry.bytes > Math.min(leftBytes, entry.packedBytes * MAX_DEFLATE_RATIO))
        throw new Error(`${path} is too large`);
      leftBytes -= entry.bytes;
      // The local header repeats the name, and has extra fields of another length than the directory.
      const start =
        entry.offset + 30 + view.getUint16(entry.offset + 26, true) + view.getUint16(entry.offset + 28, true);
      const packed = archive.slice(start, start + entry.packedBytes);
      if (entry.method === 0) return packed;
      if (entry.method !== 8) throw new Error(`${path} is packed in an unknown way`);
      return inflate(packed, entry.bytes);
    },
  };
}

function readDirectory(archive: Uint8Array, view: DataView): Map<string, Entry> {
  const lowest = Math.max(0, archive.length - END_BYTES - MAX_COMMENT_BYTES);
  let end = archive.length - END_BYTES;
  while (end >= lowest && view.getUint32(end, true) !== END_SIGNATURE) end -= 1;
  if (end < lowest) throw new Error('the archive has no directory');
  const entries = new Map<string, Entry>();
  let at = view.getUint32(end + 16, true);
  for (let count = view.getUint16(end + 10, true); count > 0; count -= 1) {
    if (view.getUint32(at, true) !== ENTRY_SIGNATURE) throw new Error('the directory of the archive is damaged');
    const nameBytes = view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(archive.subarray(at + 46, at + 46 + nameBytes));
    entries.set(name, {
      method: view.getUint16(at + 10, true),
      packedBytes: view.getUint32(at + 20, true),
      bytes: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    });
    at += 46 + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

/** Stops at the length that the directory promises, so that a false one cannot fill the memory. */
async function inflate(packed: Uint8Array<ArrayBuffer>, bytes: number): Promise<Uint8Array> {
  const unpacked = new Uint8Array(bytes);
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  let filled = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (filled + next.value.length > bytes) throw new Error('a file of the archive is longer than its directory says');
    unpacked.set(next.value, filled);
    filled += next.value.length;
  }
  if (filled !== bytes) throw new Error('a file of the archive is cut off');
  return unpacked;
}
