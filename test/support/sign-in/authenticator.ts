// An authenticator in software, for what a browser would refuse to do: it signs for any origin, with any count, and answers a
// challenge as often as it is asked to.

import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

export interface SoftPasskey {
  readonly id: string;
  /** As `credential.toJSON()` of a browser, for `navigator.credentials.create`. */
  create(options: CreationOptions, deviations?: Deviations): Record<string, unknown>;
  /** The same for `navigator.credentials.get`. */
  get(options: { readonly challenge: string }, deviations?: Deviations): Record<string, unknown>;
}

interface CreationOptions {
  readonly challenge: string;
  readonly user: { readonly id: string };
}

export interface Deviations {
  readonly origin?: string;
  readonly host?: string;
  readonly count?: number;
  readonly isVerified?: boolean;
  readonly userHandle?: string;
  /** The credential that the answer claims to be. */
  readonly id?: string;
}

/** A new key pair, at this origin unless an answer deviates. Its count begins at `count` and grows with each signature. */
export function createSoftPasskey(origin: string, count = 1): SoftPasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const rawId = randomBytes(32);
  const id = rawId.toString('base64url');
  let signCount = count;
  let owner = '';

  const clientDataOf = (type: string, challenge: string, from: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }));
  const authDataOf = ({ host = new URL(origin).hostname, isVerified = true, count: given }: Deviations, flags = 0) => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(given ?? signCount);
    const flag = USER_PRESENT | (isVerified ? USER_VERIFIED : 0) | flags;
    return Buffer.concat([createHash('sha256').update(host).digest(), Buffer.from([flag]), counter]);
  };
  const wrap = (credentialId: string, response: object) => ({
    id: credentialId,
    rawId: credentialId,
    type: 'public-key',
    authenticatorAttachment: 'platform',
    clientExtensionResults: {},
    response,
  });

  return {
    id,
    create({ challenge, user }, deviations = {}) {
      owner = user.id;
      // An ES256 key in COSE form: kty 2, alg -7, crv 1, x, y.
      const key = Buffer.concat([
        Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
        Buffer.from(x, 'base64url'),
        Buffer.from([0x22, 0x58, 0x20]),
        Buffer.from(y, 'base64url'),
      ]);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(rawId.length);
      const authData = Buffer.concat([authDataOf(deviations, HAS_CREDENTIAL), Buffer.alloc(16), length, rawId, key]);
      // CBOR: { fmt: "none", attStmt: {}, authData }.
      const attestation = Buffer.concat([
        Buffer.from([0xa3, 0x63]),
        Buffer.from('fmt'),
        Buffer.from([0x64]),
        Buffer.from('none'),
        Buffer.from([0x67]),
        Buffer.from('attStmt'),
        Buffer.from([0xa0, 0x68]),
        Buffer.from('authData'),
        Buffer.from([0x58, authData.length]),
        authData,
      ]);
      const clientData = clientDataOf('webauthn.create', challenge, deviations.origin ?? origin);
      return wrap(id, {
        clientDataJSON: clientData.toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      });
    },
    get({ challenge }, deviations = {}) {
      if (signCount > 0) signCount += 1;
      const authData = authDataOf(deviations);
      const clientData = clientDataOf('webauthn.get', challenge, deviations.origin ?? origin);
      const signed = Buffer.concat([authData, createHash('sha256').update(clientData).digest()]);
      return wrap(deviations.id ?? id, {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
        userHandle: deviations.userHandle ?? owner,
      });
    },
  };
}
