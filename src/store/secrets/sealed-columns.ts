// Every column whose values are sealed under the secret key. A rotation re-seals these; a test compares them with the schema.

import { asCustomerId } from '../../domain/id.js';
import {
  channelContext,
  credentialContext,
  ERASURE_KEY_CONTEXT,
  erasureContext,
  KEY_CHECK_CONTEXT,
  totpContext,
  webhookContext,
} from './seal.js';

export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The primary key, which also orders the batches. Of a tenant table it starts with the bucket. */
  readonly key: readonly string[];
  /** What the context is made of, beside the key. */
  readonly besides: readonly string[];
  /** The associated data that the value was sealed with. */
  contextOf(row: Readonly<Record<string, unknown>>): string;
}

const ofWebhook = {
  table: 'webhook',
  key: ['bucket', 'customer_id', 'webhook_id'],
  besides: [],
  contextOf: ({ customer_id, webhook_id }: Readonly<Record<string, unknown>>) =>
    webhookContext(asCustomerId(customer_id as bigint), webhook_id as bigint),
};

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'credential',
    column: 'secret_sealed',
    key: ['api_key'],
    besides: ['customer_id'],
    contextOf: ({ customer_id, api_key }) => credentialContext(asCustomerId(customer_id as bigint), String(api_key)),
  },
  {
    table: 'channel',
    column: 'secret_sealed',
    key: ['channel_id'],
    besides: ['channel_no'],
    contextOf: ({ channel_no }) => channelContext(String(channel_no)),
  },
  { ...ofWebhook, column: 'secret_sealed' },
  { ...ofWebhook, column: 'old_secret_sealed' },
  {
    table: 'console_user',
    column: 'totp_sealed',
    key: ['user_id'],
    besides: ['user_no'],
    contextOf: ({ user_no }) => totpContext({ user_no: String(user_no) }),
  },
  {
    table: 'erasure',
    column: 'phone_sealed',
    key: ['erasure_id'],
    besides: [],
    contextOf: ({ erasure_id }) => erasureContext(erasure_id as bigint),
  },
  {
    table: 'config_version',
    column: 'erasure_key_sealed',
    key: ['only_row'],
    besides: [],
    contextOf: () => ERASURE_KEY_CONTEXT,
  },
  // Last: once it is re-sealed, a process that has the old key alone does not start any more.
  {
    table: 'config_version',
    column: 'secret_key_check',
    key: ['only_row'],
    besides: [],
    contextOf: () => KEY_CHECK_CONTEXT,
  },
];
