// Reads the raw bytes of a request body, which the signature covers.

import { createHash, type Hash, hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorText } from '../../domain/fault/error-text.js';
import { onceOver } from '../once-over.js';
import { Problem } from '../problem/problem.js';
import type { BodyAccount } from './body-budget.js';
import { createBodyPace } from './body-pace.js';

export interface RawBody {
  /** Empty if the body was not buffered. */
  readonly bytes: Buffer;
  /** In hexadecimal digits. */
  readonly sha256: string;
  /** Charges the memory of the body to another account, until the response is sent. */
  chargeTo(account: BodyAccount): void;
}

export interface ReadOptions {
  readonly account: BodyAccount;
  /** False for a caller that will be rejected: the body is read to its end and not buffered. */
  readonly isBuffered: boolean;
}

export type ReadBody = (request: IncomingMessage, response: ServerResponse, options: ReadOptions) => Promise<RawBody>;

// The client may still be sending, so the connection cannot be reused.
const CLOSE = { connection: 'close' };

/** More than 5,000 numbers with their parameters take. What comes after it is read slowly. */
const PROMPT_BYTES = 1024 * 1024;

/** A rejected body is read until nothing arrives for this long. */
const DRAIN_QUIET_MS = 200;
/** The same, in total. */
const MAX_DRAIN_MS = 3000;

const NOTHING = Buffer.alloc(0);
const SHA256_OF_NOTHING = hash('sha256', NOTHING, 'hex');

/** The client disconnected before its body was complete: there is no response. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

export function createBodyReader(limits: { readonly maxBodyBytes: number; readonly freeBodyBytes: number }): ReadBody {
  const { maxBodyBytes, freeBodyBytes } = limits;
  const pace = createBodyPace();

  return (request, response, { account, isBuffered }) => {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > maxBodyBytes) {
      return new Promise((_, reject) => drain(request, () => reject(tooLarge(maxBodyBytes))));
    }
    if (announced === 0 && request.headers['transfer-encoding'] === undefined) {
      return Promise.resolve({ bytes: NOTHING, sha256: SHA256_OF_NOTHING, chargeTo: () => {} });
    }
    const charge = isFree(request, announced, freeBodyBytes) ? NO_CHARGE : openCharge(account, freeBodyBytes);
    if (charge !== NO_CHARGE) onceOver(response, charge.release);
    return new Promise((resolve, reject) => {
      const collected = collect(isBuffered);
      let refusal: Problem | undefined;
      const refuse = (problem: Problem) => {
        refusal = problem;
        request.off('data', onData);
        charge.release();
        drain(request, () => reject(problem));
      };
      const onData = (chunk: Buffer) => {
        if (collected.length() + chunk.length > maxBodyBytes) refuse(tooLarge(maxBodyBytes));
        else if (!charge.grow(chunk.length)) refuse(overloaded());
        else {
          collected.add(chunk);
          if (collected.length() > PROMPT_BYTES) pace.hold(request);
        }
      };
      request.on('data', onData);
      // Every request closes. If it closes before its end, the client is gone.
      let hasEnded = false;
      const onClosed = () => hasEnded || reject(new ClientGone());
      request.once('end', () => {
        hasEnded = true;
        if (refusal !== undefined) reject(refusal);
        else resolve(collected.finish(charge.moveTo));
      });
      request.once('error', onClosed);
      request.once('close', onClosed);
    });
  };
}

/**
 * Reads what is in transit before it calls back: closing a connection with unread bytes resets it, and the client may lose the
 * response.
 */
function drain(request: IncomingMessage, drained: () => void): void {
  const finish = () => {
    clearTimeout(quiet);
    clearTimeout(limit);
    request.off('data', restart);
    request.resume();
    drained();
  };
  let isQuiet = false;
  const restart = () => {
    isQuiet = false;
    quiet.refresh();
  };
  // A blocked loop sees false timeouts: what has arrived meanwhile is read first.
  const quiet = setTimeout(() => {
    isQuiet = true;
    setImmediate(() => isQuiet && finish());
  }, DRAIN_QUIET_MS);
  const limit = setTimeout(finish, MAX_DRAIN_MS);
  request.on('data', restart);
}

/** The bytes so far and their hash. A body that comes in one piece, as nearly all do, is hashed in one call. */
function collect(isBuffered: boolean) {
  const chunks: Buffer[] = [];
  let running: Hash | undefined = isBuffered ? undefined : createHash('sha256');
  let length = 0;
  return {
    length: () => length,
    add(chunk: Buffer): void {
      length += chunk.length;
      const [first] = chunks;
      if (running === undefined && first !== undefined) running = createHash('sha256').update(first);
      running?.update(chunk);
      if (isBuffered) chunks.push(chunk);
    },
    finish(chargeTo: RawBody['chargeTo']): RawBody {
      const bytes = Buffer.concat(chunks);
      return { bytes, sha256: running === undefined ? hash('sha256', bytes, 'hex') : running.digest('hex'), chargeTo };
    },
  };
}

interface Charge {
  grow(more: number): boolean;
  moveTo(next: BodyAccount): void;
  release(): void;
}

/** For a body that is small enough to be free. */
const NO_CHARGE: Charge = { grow: () => true, moveTo: () => {}, release: () => {} };

/** Without a transfer encoding, no more bytes arrive than announced. */
function isFree({ headers }: IncomingMessage, announced: number, freeBytes: number): boolean {
  return announced <= freeBytes && headers['transfer-encoding'] === undefined;
}

/** The memory that one body uses of an account. */
function openCharge(first: BodyAccount, freeBytes: number): Charge {
  let account = first;
  let bytes = 0;
  let taken = 0;
  let isOpen = true;
  return {
    grow(more: number): boolean {
      bytes += more;
      const missing = Math.max(0, bytes - freeBytes) - taken;
      if (missing <= 0) return true;
      if (!account.take(missing)) return false;
      taken += missing;
      return true;
    },
    moveTo(next: BodyAccount): void {
      if (!isOpen || taken === 0) return;
      // Returned first: both accounts may share one budget.
      account.give(taken);
      account = next;
      if (next.take(taken)) return;
      taken = 0;
      throw overloaded();
    },
    release(): void {
      if (!isOpen) return;
      isOpen = false;
      account.give(taken);
      taken = 0;
    },
  };
}

function tooLarge(maxBodyBytes: number): Problem {
  return new Problem('payload_too_large', errorText('body_too_large', { max: maxBodyBytes }), { headers: CLOSE });
}

function overloaded(): Problem {
  return new Problem('unavailable', errorText('too_many_large_requests'), {
    headers: { 'retry-after': '1', ...CLOSE },
  });
}
