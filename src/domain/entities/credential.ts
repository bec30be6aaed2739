// A key that a customer signs with.

import { type Static, Type } from '@sinclair/typebox';
import { DEFAULT_SCOPES, SCOPES } from '../access/permissions.js';
import type { CustomerId } from '../id.js';
import { closedObject, type InCode, line, nullable, time, words } from './fields.js';

/** Neither revoked nor expired. */
export const MAX_USABLE_KEYS = 100;

export const CredentialFields = closedObject({
  name: nullable(line(100, 'What the key is for.'), {
    default: null,
    description: 'What the key is for. null: no name.',
  }),
  ip_allow: Type.Array(Type.String({ maxLength: 64, format: 'address-block' }), {
    maxItems: 1000,
    default: [],
    description: 'Addresses or CIDR blocks that may use the key. Empty: any.',
  }),
  scopes: Type.Array(words(SCOPES), {
    minItems: 1,
    maxItems: SCOPES.length,
    default: [...DEFAULT_SCOPES],
    description: `What the key may be used for: ${SCOPES.join(', ')}. Without it, all of them but admin, which manages keys, and masked, which masks phone numbers in all that the key is shown (and takes admin away).`,
  }),
  expires_at: nullable(time('The key is refused from this time on.'), {
    default: null,
    description: 'The key is refused from this time on, like a revoked one. null: it does not expire.',
  }),
});

export type CredentialTerms = Static<typeof CredentialFields>;

export interface Credential extends CredentialTerms {
  readonly api_key: string;
  readonly status: 'active' | 'revoked';
  readonly created_at: Date;
  readonly revoked_at: Date | null;
  /** To the minute. */
  readonly last_used_at: Date | null;
}

/** As the service uses it. */
export interface CredentialConfig extends InCode<CredentialTerms> {
  readonly apiKey: string;
  readonly customerId: CustomerId;
  /** The API secret in the clear, as UTF-8 bytes. Never logged, never shown. */
  readonly secret: Buffer;
  readonly status: 'active' | 'revoked';
}
