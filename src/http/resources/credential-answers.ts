// How keys come back in both APIs.

import { Type } from '@sinclair/typebox';
import {
  type Credential,
  CredentialFields,
  type CredentialTerms,
  MAX_USABLE_KEYS,
} from '../../domain/entities/credential.js';
import { errorText } from '../../domain/fault/error-text.js';
import { createFault, type Fault } from '../../domain/fault/fault.js';
import { toPlain } from '../../domain/plain.js';
import { invalidRequest, type Problem } from '../problem/problem.js';
import { oneOf } from '../query/list-query.js';
import { answerOf, orNull, Time } from './entity-answers.js';

export const credentialFields = {
  api_key: Type.String(),
  status: oneOf(['active', 'expired', 'revoked'], "Revoking can't be undone."),
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

export function showCredential(credential: Credential, nowMs: number) {
  const isOver = credential.expires_at !== null && credential.expires_at.getTime() <= nowMs;
  return toPlain({ ...credential, status: credential.status === 'active' && isOver ? 'expired' : credential.status });
}

/** For the `refine` of a new key: one that never works is a mistake in the year. */
export function findExpiryFaults({ expires_at: at }: Partial<CredentialTerms>, nowMs: number): Fault[] {
  const isOver = at != null && at.getTime() <= nowMs;
  return isOver ? [createFault('/expires_at', 'out_of_range', errorText('not_in_future'))] : [];
}

export function tooManyKeys(): Problem {
  const message = errorText('too_many_keys', { count: MAX_USABLE_KEYS });
  return invalidRequest([createFault('', 'too_many', message)]);
}
