// A ZIP archive, as .xlsx files are. Each file is deflated by the browser.

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;
const VERSION = 20;
const UTF8_NAMES = 0x0800;
const DEFLATED = 8;
/** 1 January 1980, the first day that the format knows. */
const NO_DATE = 0x21;
const LOCAL_LENGTH = 30;
const CENTRAL_LENGTH = 46;
const END_LENGTH = 22;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

function checksum(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}

async function deflate(content: Blob): Promise<Blob> {
  return await new Response(content.stream().pipeThrough(new CompressionStream('deflate-raw'))).blob();
}

/** The fields that both headers of a file have, as numbers of two or four bytes. */
function writeFields(
  length: number,
  fields: readonly (readonly [size: 2 | 4, value: number])[],
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [size, value] of fields) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}

export async function writeZip(files: ReadonlyMap<string, Blob>, type: string): Promise<Blob> {
  const parts: BlobPart[] = [];
  const directory: BlobPart[] = [];
  let offset = 0;
  let directoryLength = 0;
  for (const [path, content] of files) {
    const name = new TextEncoder().encode(path);
    const packed = await deflate(content);
    const crc = checksum(new Uint8Array(await content.arrayBuffer()));
    const shared = [
      [2, VERSION],
      [2, UTF8_NAMES],
      [2, DEFLATED],
      [2, 0],
      [2, NO_DATE],
      [4, crc],
      [4, packed.size],
      [4, content.size],
      [2, name.length],
    ] as const;
    parts.push(writeFields(LOCAL_LENGTH, [[4, LOCAL_HEADER], ...shared]), name, packed);
    // No extra field, comment, disk or attributes, then where the file begins.
    const central = [[4, CENTRAL_HEADER], [2, VERSION], ...shared] as const;
    const rest = [2, 2, 2, 2].map((size) => [size as 2, 0] as const);
    directory.push(writeFields(CENTRAL_LENGTH, [...central, ...rest, [4, 0], [4, offset]]), name);
    offset += LOCAL_LENGTH + name.length + packed.size;
    directoryLength += CENTRAL_LENGTH + name.length;
  }
  const count = files.size;
  const end = writeFields(END_LENGTH, [
    [4, END_OF_DIRECTORY],
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, directoryLength],
    [4, offset],
  ]);
  return new Blob([...parts, ...directory, end], { type });
}
