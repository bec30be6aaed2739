// A key that a customer signs with.

import { type Static, Type } from '@sinclair/typebox';
import type { CustomerId } from '../id.js';
import { SCOPES } from '../permissions.js';
import { closedObject, type InCode, words } from './fields.js';

export const CredentialFields = closedObject({
  ip_allow: Type.Array(Type.String({ maxLength: 64, format: 'address-block' }), {
    maxItems: 1000,
    default: [],
    description: 'Addresses or CIDR blocks that may use the key. Empty: any.',
  }),
  scopes: Type.Array(words(SCOPES), {
    minItems: 1,
    maxItems: SCOPES.length,
    default: [...SCOPES],
    description: `What the key may be used for: ${SCOPES.join(', ')}. All of them unless said.`,
  }),
});

export type CredentialTerms = Static<typeof CredentialFields>;

export interface Credential extends CredentialTerms {
  readonly api_key: string;
  readonly status: 'active' | 'revoked';
  readonly created_at: Date;
  readonly revoked_at: Date | null;
}

/** As the service uses it. */
export interface CredentialConfig extends InCode<CredentialTerms> {
  readonly apiKey: string;
  readonly customerId: CustomerId;
  /** The API secret in the clear, as UTF-8 bytes. Never logged, never shown. */
  readonly secret: Buffer;
  readonly status: 'active' | 'revoked';
}
