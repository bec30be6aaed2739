// Passkeys as they go over the wire. What browser and authenticator exchange is WebAuthn's: it is passed through, and checked by
// the library.

import { Type } from '@sinclair/typebox';
import type { Passkey } from '../../../store/user/passkey.js';
import { answerOf, orNull, Time } from '../../resources/entity-answers.js';

export const credentialField = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

const optionsOf = ($id: string, form: string, call: string) =>
  answerOf($id, {
    public_key: Type.Record(Type.String(), Type.Unknown(), {
      description: `\`${form}\` of WebAuthn, for \`PublicKeyCredential.${call}\`.`,
    }),
  });

export const CreationOptions = optionsOf(
  'PasskeyCreation',
  'PublicKeyCredentialCreationOptionsJSON',
  'parseCreationOptionsFromJSON',
);
export const RequestOptions = optionsOf(
  'PasskeyRequest',
  'PublicKeyCredentialRequestOptionsJSON',
  'parseRequestOptionsFromJSON',
);

export const PasskeyAnswer = answerOf('Passkey', {
  id: Type.String(),
  name: Type.String(),
  created_at: Time(),
  last_used_at: orNull(Time('Null until the first sign-in with it.')),
});
export const PasskeyList = Type.Object(
  {
    items: Type.Array(PasskeyAnswer),
    asks_password: Type.Boolean({ description: 'Whether adding and removing ask for your password: you have one.' }),
  },
  { $id: 'Passkeys' },
);

export function renderPasskey({ passkey_no, ...passkey }: Passkey) {
  return { id: passkey_no, ...passkey };
}

export const exampleRequest = {
  public_key: { rpId: 'sms.example.com', challenge: 'q3v…', userVerification: 'required', timeout: 300000 },
};
export const exampleCreation = {
  public_key: {
    rp: { id: 'sms.example.com', name: 'Postrider' },
    user: { id: 'TjAx…', name: 'ann@example.com', displayName: 'Ann' },
    challenge: 'q3v…',
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  },
};
export const exampleAssertion = {
  id: 'Zx9…',
  rawId: 'Zx9…',
  type: 'public-key',
  response: { clientDataJSON: 'eyJ0…', authenticatorData: 'SZYN…', signature: 'MEUC…', userHandle: 'TjAx…' },
};
export const exampleAttestation = {
  id: 'Zx9…',
  rawId: 'Zx9…',
  type: 'public-key',
  response: { clientDataJSON: 'eyJ0…', attestationObject: 'o2Nm…', transports: ['internal'] },
};
