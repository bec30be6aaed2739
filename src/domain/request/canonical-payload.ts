// What makes two send requests the same. The text made here is hashed and kept for ever with its client_request_id, so
// its form is released: a change would turn every old request that is repeated into a conflict. A test pins it.

import { createHash, hash } from 'node:crypto';
import type { Variables } from '../message/template.js';
import { type Steps, stringifyInPieces } from '../steps.js';
import type { SendRequest } from './send-request.js';

/**
 * One text for all spellings of a request: key order, spacing, left-out defaults and the two forms of variables do not
 * matter, the order of phones does. The client_request_id is what the payload is compared under, and no part of it.
 */
export function canonicalPayload(request: SendRequest, serviceAccountNo: string): string {
  return [...canonicalPieces(request, serviceAccountNo)].join('');
}

/** The hash of that text. */
export function* fingerprintInSteps(request: SendRequest, serviceAccountNo: string): Steps<Buffer> {
  // Most requests are one piece, and hashing it in one call is quicker.
  if (request.recipientVariables === undefined) {
    return hash('sha256', canonicalPayload(request, serviceAccountNo), 'buffer');
  }
  const running = createHash('sha256');
  for (const piece of canonicalPieces(request, serviceAccountNo)) {
    running.update(piece, 'utf8');
    yield;
  }
  return running.digest();
}

function* canonicalPieces(request: SendRequest, serviceAccountNo: string): Generator<string> {
  // An array rather than an object: nothing depends on the order in which keys were set.
  const first = JSON.stringify([
    1,
    request.templateNo,
    serviceAccountNo,
    request.targetFirms,
    request.autoPrepare,
    request.autoFreeze,
    request.autoSubmit,
    listValues(request.variables),
    request.phones,
  ]);
  yield `${first.slice(0, -1)},`;
  // Null in common mode: [{ phone }] without variables is another payload than [phone].
  if (request.recipientVariables === undefined) yield 'null';
  else yield* stringifyInPieces(request.recipientVariables, listValues);
  // Fields that came later are named, and there only where they are given: older payloads keep their text.
  yield `${listLater(request)
    .map((later) => `,${JSON.stringify(later)}`)
    .join('')}]`;
}

function listLater({ batchId, sendAt, expiresAt }: SendRequest): object[] {
  const later = {
    ...(batchId !== undefined && { batch_id: batchId }),
    ...(sendAt !== undefined && { send_at: sendAt.toISOString() }),
    ...(expiresAt !== undefined && { expires_at: expiresAt.toISOString() }),
  };
  return Object.keys(later).length === 0 ? [] : [later];
}

/** The values p1 … p18 with null for a gap, cut after the last value. */
function listValues(variables: Variables): (string | null)[] {
  const values: (string | null)[] = [];
  // Over the values there are rather than all eighteen names: of 5,000 recipients most have one or two.
  for (const [name, value] of Object.entries(variables)) {
    const position = Number(name.slice(1)) - 1;
    while (values.length <= position) values.push(null);
    values[position] = value;
  }
  return values;
}
