// The signature of a service account: 【signature】 before or behind the text, as carriers of mainland China ask for.

export interface Signature {
  readonly signature: string | null;
  readonly signaturePosition: 'head' | 'tail';
}

/** A signature has no brackets, so it adds no placeholder. */
export function addSenderSignature(body: string, { signature, signaturePosition }: Signature): string {
  if (signature === null) return body;
  return signaturePosition === 'head' ? `【${signature}】${body}` : `${body}【${signature}】`;
}
