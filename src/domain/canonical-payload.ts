// What makes two send requests the same. The text made here is hashed and kept for ever with its client_request_id, so
// its form is released: a change would turn every old request that is repeated into a conflict. A test pins it.

import type { SendRequest } from './send-request.js';
import type { Variables } from './template.js';

/**
 * One text for all spellings of a request: key order, spacing, left-out defaults and the two forms of variables do not
 * matter, the order of phones does. The client_request_id is what the payload is compared under, and no part of it.
 */
export function canonicalPayload(request: SendRequest, serviceAccountNo: string): string {
  // An array rather than an object: nothing depends on the order in which keys were set.
  return JSON.stringify([
    1,
    request.templateNo,
    serviceAccountNo,
    request.targetFirms,
    request.autoPrepare,
    request.autoFreeze,
    request.autoSubmit,
    listValues(request.variables),
    request.phones,
    // Null in common mode: [{ phone }] without variables is another payload than [phone].
    request.recipientVariables?.map(listValues) ?? null,
    // Fields that came later are named, and there only where they are given: older payloads keep their text.
    ...listLater(request),
  ]);
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
