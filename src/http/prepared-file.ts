// A file that is served from memory: its bytes are made once, and compressed when first asked for.

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorText } from '../domain/fault/error-text.js';
import { onceOver } from './once-over.js';
import { unavailable } from './problem/problem.js';

export interface PreparedFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
  readonly compressed: Map<Encoding, Promise<Buffer>>;
}

type Encoding = 'br' | 'gzip';

/** Larger answers cost others time, as many at once do. */
const LARGE_BYTES = 256 * 1024;
const MAX_LARGE_IN_FLIGHT = 4;
let largeInFlight = 0;

export function prepareFile(type: string, bytes: Buffer): PreparedFile {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { type, bytes, etag, compressed: new Map() };
}

/** With an ETag, compressed where the caller can read it. At most a few large answers are sent at a time. */
export async function sendPreparedFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: PreparedFile,
): Promise<FastifyReply> {
  reply.headers({ 'content-type': file.type, etag: file.etag, vary: 'accept-encoding' });
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  const bytes = encoding === undefined ? file.bytes : await compressFile(file, encoding);
  if (bytes.length > LARGE_BYTES) requirePlace(reply);
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  return reply.send(bytes);
}

function requirePlace(reply: FastifyReply): void {
  if (largeInFlight >= MAX_LARGE_IN_FLIGHT) throw unavailable(errorText('too_many_requests'));
  largeInFlight += 1;
  onceOver(reply.raw, () => {
    largeInFlight -= 1;
  });
}

const compressors: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
};

function chooseEncoding(accepted: string | undefined): Encoding | undefined {
  const names = new Set((accepted ?? '').split(',').map((part) => part.split(';')[0]?.trim()));
  return names.has('br') ? 'br' : names.has('gzip') ? 'gzip' : undefined;
}

function compressFile(file: PreparedFile, encoding: Encoding): Promise<Buffer> {
  const known = file.compressed.get(encoding);
  if (known !== undefined) return known;
  const made = compressors[encoding](file.bytes);
  file.compressed.set(encoding, made);
  return made;
}
