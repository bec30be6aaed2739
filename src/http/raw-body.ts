// The bytes of a request body, read before anything looks into them, because the signature is over the bytes.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem, unavailable } from './problem.js';

export interface BodyLimits {
  readonly maxBodyBytes: number;
  /** What all requests together may keep in memory; beyond it the service sheds load. */
  readonly maxBufferedBytes: number;
}

export type ReadBody = (request: IncomingMessage, response: ServerResponse) => Promise<Buffer>;

// The client may still be sending what nobody will read, so the connection cannot be used again.
const CLOSE = { connection: 'close' };

/** The client hung up before its body was complete: there is nobody left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

export function makeBodyReader({ maxBodyBytes, maxBufferedBytes }: BodyLimits): ReadBody {
  let bufferedBytes = 0;

  return (request, response) => {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > maxBodyBytes) return Promise.reject(tooLarge(maxBodyBytes));
    if (announced === 0 && request.headers['transfer-encoding'] === undefined) return Promise.resolve(Buffer.alloc(0));

    let ownBytes = 0;
    response.once('close', () => {
      bufferedBytes -= ownBytes;
    });
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const refuse = (problem: Problem) => {
        request.off('data', onData);
        // Draining what is already on its way lets the answer out before the connection closes.
        request.resume();
        reject(problem);
      };
      const onData = (chunk: Buffer) => {
        ownBytes += chunk.length;
        bufferedBytes += chunk.length;
        chunks.push(chunk);
        if (ownBytes > maxBodyBytes) refuse(tooLarge(maxBodyBytes));
        else if (bufferedBytes > maxBufferedBytes) refuse(overloaded());
      };
      request.on('data', onData);
      // Every request closes in the end; only one that does so before its end has lost its client.
      let hasEnded = false;
      const lose = () => hasEnded || reject(new ClientGone());
      request.once('end', () => {
        hasEnded = true;
        resolve(Buffer.concat(chunks));
      });
      request.once('error', lose);
      request.once('close', lose);
    });
  };
}

function tooLarge(maxBodyBytes: number): Problem {
  return new Problem('payload_too_large', `The body may have at most ${maxBodyBytes} bytes.`, { headers: CLOSE });
}

function overloaded(): Problem {
  const problem = unavailable('Too many large requests at once. Try again.');
  return new Problem('unavailable', problem.detail, { headers: { ...problem.headers, ...CLOSE } });
}
