// How keys come back in both APIs.

import { Type } from '@sinclair/typebox';
import { CredentialFields, MAX_USABLE_KEYS } from '../domain/entities/credential.js';
import { answerOf, orNull, Time } from './entity-answers.js';
import { oneOf } from './list-query.js';
import { invalidRequest, type Problem } from './problem.js';

export const credentialFields = {
  api_key: Type.String(),
  status: oneOf(['active', 'revoked'], "Revoking can't be undone."),
  created_at: Time(),
  revoked_at: orNull(Time()),
  last_used_at: orNull(Time()),
};

export const CredentialAnswer = answerOf('Credential', credentialFields, CredentialFields);

export const NewCredentialAnswer = answerOf(
  'NewCredential',
  { ...credentialFields, api_secret: Type.String({ description: 'Shown this once.' }) },
  CredentialFields,
);

export function tooManyKeys(): Problem {
  const message = `the customer has ${MAX_USABLE_KEYS} usable keys, and no more are allowed; revoke one first`;
  return invalidRequest([{ pointer: '', code: 'too_many', message }]);
}
