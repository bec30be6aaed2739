// The signature of section "Signing" in the API reference, with WebCrypto alone so that it runs in Node and in browsers.

const encoder = new TextEncoder();

function toHex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export interface SignedContent {
  readonly method: string;
  /** The path with its query, exactly as it stands on the request line. */
  readonly target: string;
  readonly timestampMs: number;
  /** The bytes that are sent, as text; empty for a request without a body. */
  readonly body: string;
}

/** Computes `X-Sign`: lower-case hex of HMAC-SHA-256 over method, target, timestamp and the hash of the body. */
export async function signRequest(apiSecret: string, content: SignedContent): Promise<string> {
  const bodyHash = toHex(await crypto.subtle.digest('SHA-256', encoder.encode(content.body)));
  const stringToSign = [content.method, content.target, String(content.timestampMs), bodyHash].join('\n');
  const key = await crypto.subtle.importKey(
    'raw',
    encoder.encode(apiSecret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  return toHex(await crypto.subtle.sign('HMAC', key, encoder.encode(stringToSign)));
}
