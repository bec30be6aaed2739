// The idempotency key of a send request: its client_request_id, or its signature if it has none.

const CLIENT_KEY_PREFIX = 'c:';

export function requestKeyOf(clientRequestId: string | undefined, signature: Buffer): string {
  return clientRequestId === undefined ? `s:${signature.toString('base64url')}` : CLIENT_KEY_PREFIX + clientRequestId;
}

/** Null if the request had no client_request_id. */
export function clientRequestIdOf(requestKey: string | undefined): string | null {
  return requestKey?.startsWith(CLIENT_KEY_PREFIX) === true ? requestKey.slice(CLIENT_KEY_PREFIX.length) : null;
}
