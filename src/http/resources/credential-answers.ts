// How keys come back in both APIs.

import { Type } from '@sinclair/typebox';
import { CredentialFields, MAX_USABLE_KEYS } from '../../domain/entities/credential.js';
import { errorText } from '../../domain/fault/error-text.js';
import { createFault } from '../../domain/fault/fault.js';
import { invalidRequest, type Problem } from '../problem/problem.js';
import { oneOf } from '../query/list-query.js';
import { answerOf, orNull, Time } from './entity-answers.js';

export const credentialFields = {
  api_key: Type.String(),
  status: oneOf(['active', 'revoked'], "Revoking can't be undone."),
  created_at: Time(),
  revoked_at: orNull(Time()),
  last_used_at: orNull(Time('To the minute.')),
};

export const CredentialAnswer = answerOf('Credential', credentialFields, CredentialFields);

export const NewCredentialAnswer = answerOf(
  'NewCredential',
  { ...credentialFields, api_secret: Type.String({ description: 'Shown this once.' }) },
  CredentialFields,
);

export function tooManyKeys(): Problem {
  const message = errorText('too_many_keys', { count: MAX_USABLE_KEYS });
  return invalidRequest([createFault('', 'too_many', message)]);
}
