// Reads the rows of the small tables that changed since a configuration version.

import { type ChannelConfig, ChannelFields, type ChannelTraits } from '../../domain/entities/channel.js';
import { type CredentialConfig, CredentialFields } from '../../domain/entities/credential.js';
import { type CustomerConfig, CustomerFields } from '../../domain/entities/customer.js';
import { toCode } from '../../domain/entities/fields.js';
import { FirmFields, type FirmTerms } from '../../domain/entities/firm.js';
import { type OperatorConfig, OperatorFields } from '../../domain/entities/operator.js';
import { type ServiceAccountConfig, ServiceAccountFields } from '../../domain/entities/service-account.js';
import {
  type ReviewState,
  StoredTemplateFields,
  type TemplateConfig,
  templateStatusOf,
} from '../../domain/entities/template.js';
import { asCustomerId } from '../../domain/id.js';
import { parseTemplate } from '../../domain/message/template.js';
import { moneyFromMillionths } from '../../domain/money/money.js';
import type { MessageClass } from '../../domain/rules/message-class.js';
import { columnsOf, fieldsOf } from '../rows/entity-row.js';
import { channelContext, credentialContext, ERASURE_KEY_CONTEXT, type Sealer } from '../secrets/seal.js';
import type { AnySql, Sql } from '../sql.js';
import type { FilingConfig } from './snapshot.js';
import type { BlockedWordsRow, ChangedRows, OwnedRate } from './view.js';

/** A row whose secret does not open is left out: the others must not suffer for it. */
export interface UnopenedSecret {
  readonly table: 'channel' | 'credential' | 'config_version';
  readonly key: string;
}

export interface RowsRead {
  readonly rows: ChangedRows;
  readonly opened: number;
  readonly unopened: readonly UnopenedSecret[];
}

export async function readConfigVersion(sql: AnySql): Promise<bigint> {
  const [row] = await sql<{ version: bigint }[]>`select version from config_version`;
  if (row === undefined) throw new Error('config_version has no row: the database was not migrated by this service');
  return row.version;
}

/** One repeatable-read transaction, so that a template never arrives before the service account it names. */
export async function readChangedRows(sql: Sql, sealer: Sealer, traitsOf: TraitsOf, since: bigint): Promise<RowsRead> {
  const [
    version,
    firms,
    channels,
    customers,
    credentials,
    operators,
    accounts,
    templates,
    grants,
    prices,
    costs,
    filings,
    words,
  ] = await sql.begin('isolation level repeatable read read only', (tx) =>
    Promise.all([
      tx<{ version: bigint; erasure_key_sealed: Uint8Array | null }[]>`
        select version, erasure_key_sealed from config_version`,
      tx<FirmTerms[]>`
        select ${columnsOf(tx, 'firm', FirmFields)} from firm where version > ${since} order by firm`,
      tx<ChannelRow[]>`
        select channel_id, channel_no, ${columnsOf(tx, 'channel', ChannelFields)}, secret_sealed, version, callback_token,
          old_callback_token, old_callback_token_until
        from channel where version > ${since} order by channel_id`,
      tx<CustomerRow[]>`
        select customer_id, customer_no, bucket, ${columnsOf(tx, 'customer', CustomerFields)}
        from customer where version > ${since} order by customer_id`,
      tx<CredentialRow[]>`
        select api_key, customer_id, ${columnsOf(tx, 'credential', CredentialFields)}, secret_sealed, status
        from credential where version > ${since}`,
      tx<OperatorConfig[]>`
        select ${columnsOf(tx, 'operator', OperatorFields)}, token_hash as "tokenHash", status
        from operator where version > ${since}`,
      tx<ServiceAccountRow[]>`
        select service_account_id, service_account_no, customer_id,
          ${columnsOf(tx, 'service_account', ServiceAccountFields)}
        from service_account where version > ${since} order by service_account_id`,
      tx<TemplateRow[]>`
        select template_id, template_no, customer_id, service_account_id, review,
          ${columnsOf(tx, 'template', StoredTemplateFields)}
        from template where version > ${since} order by template_id`,
      tx<{ customer_id: bigint; channel_id: bigint; revoked_at: Date | null }[]>`
        select customer_id, channel_id, revoked_at from channel_grant where version > ${since}`,
      tx<RateRow[]>`
        select customer_id as owner_id, firm, class, prefix, valid_from, unit_price from price where version > ${since}`,
      tx<RateRow[]>`
        select channel_id as owner_id, firm, class, prefix, valid_from, unit_price from channel_cost
        where version > ${since}`,
      tx<FilingConfig[]>`
        select service_account_id as "serviceAccountId", channel_id as "channelId", status, signature from filing
        where version > ${since}`,
      tx<BlockedWordsRow[]>`
        select blocked_word_no as no, customer_id as "customerId", words, created_at as "createdAt", removed_at is not null as "isRemoved"
        from blocked_words where version > ${since}`,
    ]),
  );
  const secrets = createSecretReader(sealer);
  return {
    rows: {
      version: version[0]?.version ?? since,
      erasureKey: openErasureKey(secrets, version[0]?.erasure_key_sealed ?? null),
      firms: firms.map((row) => ({ ...row })),
      channels: channels.flatMap((row) => toChannel(row, secrets, traitsOf)),
      customers: customers.map(toCustomer),
      credentials: credentials.flatMap((row) => toCredential(row, secrets)),
      operators,
      serviceAccounts: accounts.map(toServiceAccount),
      templates: templates.map(toTemplate),
      grants: grants.map((row) => ({
        customerId: asCustomerId(row.customer_id),
        channelId: row.channel_id,
        revokedAt: row.revoked_at,
      })),
      prices: prices.map(toRate),
      costs: costs.map(toRate),
      filings,
      blockedWords: words,
    },
    opened: secrets.opened(),
    unopened: secrets.unopened,
  };
}

/** Undefined before the first erasure. */
function openErasureKey(secrets: SecretReader, sealed: Uint8Array | null): Buffer | undefined {
  const secret = { table: 'config_version', key: 'erasure key' } as const;
  return sealed === null ? undefined : secrets.read(secret, sealed, ERASURE_KEY_CONTEXT);
}

/** What the columns of the described fields come with. */
interface ChannelRow {
  channel_id: bigint;
  channel_no: string;
  secret_sealed: Uint8Array | null;
  version: bigint;
  callback_token: string | null;
  old_callback_token: string | null;
  old_callback_token_until: Date | null;
}

interface CustomerRow {
  customer_id: bigint;
  customer_no: string;
  bucket: number;
}

interface CredentialRow {
  api_key: string;
  customer_id: bigint;
  secret_sealed: Uint8Array;
  status: 'active' | 'revoked';
}

interface ServiceAccountRow {
  service_account_id: bigint;
  service_account_no: string;
  customer_id: bigint;
}

interface TemplateRow {
  template_id: bigint;
  template_no: string;
  customer_id: bigint;
  service_account_id: bigint;
  review: ReviewState;
}

interface RateRow {
  owner_id: bigint;
  firm: string;
  class: MessageClass | '';
  prefix: string;
  valid_from: Date;
  unit_price: bigint;
}

function toRate(row: RateRow): OwnedRate {
  return {
    ownerId: row.owner_id,
    firm: row.firm,
    class: row.class === '' ? null : row.class,
    prefix: row.prefix === '' ? null : row.prefix,
    validFrom: row.valid_from,
    unitPrice: moneyFromMillionths(row.unit_price),
  };
}

interface SecretReader {
  read(secret: UnopenedSecret, sealed: Uint8Array, context: string): Buffer | undefined;
  opened(): number;
  readonly unopened: UnopenedSecret[];
}

function createSecretReader(sealer: Sealer): SecretReader {
  let opened = 0;
  const unopened: UnopenedSecret[] = [];
  return {
    read(secret, sealed, context) {
      try {
        const plain = sealer.open(sealed, context);
        opened += 1;
        return plain;
      } catch {
        unopened.push(secret);
        return undefined;
      }
    },
    opened: () => opened,
    unopened,
  };
}

/** Of a kind of channel; undefined for one that this version does not know. */
export type TraitsOf = (kind: string) => ChannelTraits | undefined;

/** What is assumed of a kind of a later version, whose channels this process never uses. */
const UNKNOWN_KIND = { alphabet: 'gsm7', status: 'disabled' } as const;

function toChannel(row: ChannelRow, secrets: SecretReader, traitsOf: TraitsOf): ChannelConfig[] {
  const { channel_id: channelId, channel_no: channelNo, secret_sealed, version } = row;
  const terms = toCode(fieldsOf(ChannelFields, row));
  const fields = { ...terms, ...(traitsOf(terms.kind) ?? UNKNOWN_KIND), ...toCallbackTokens(row) };
  if (secret_sealed === null) return [{ ...fields, channelId, channelNo, version }];
  const plain = secrets.read({ table: 'channel', key: channelNo }, secret_sealed, channelContext(channelNo));
  if (plain === undefined) return [];
  const config = { ...fields.config, ...(JSON.parse(plain.toString('utf8')) as Record<string, unknown>) };
  return [{ ...fields, config, channelId, channelNo, version }];
}

function toCallbackTokens(row: ChannelRow) {
  return {
    callbackToken: row.callback_token,
    oldCallbackToken: row.old_callback_token,
    oldCallbackTokenUntil: row.old_callback_token_until,
  };
}

function toCustomer(row: CustomerRow): CustomerConfig {
  const fields = toCode(fieldsOf(CustomerFields, row));
  return { ...fields, bucket: row.bucket, customerId: asCustomerId(row.customer_id), customerNo: row.customer_no };
}

function toCredential(row: CredentialRow, secrets: SecretReader): CredentialConfig[] {
  const { api_key: apiKey, status } = row;
  const customerId = asCustomerId(row.customer_id);
  const context = credentialContext(customerId, apiKey);
  const secret = secrets.read({ table: 'credential', key: apiKey }, row.secret_sealed, context);
  if (secret === undefined) return [];
  return [{ ...toCode(fieldsOf(CredentialFields, row)), apiKey, customerId, secret, status }];
}

function toServiceAccount(row: ServiceAccountRow): ServiceAccountConfig {
  return {
    ...toCode(fieldsOf(ServiceAccountFields, row)),
    serviceAccountId: row.service_account_id,
    serviceAccountNo: row.service_account_no,
    customerId: asCustomerId(row.customer_id),
  };
}

function toTemplate(row: TemplateRow): TemplateConfig {
  const fields = fieldsOf(StoredTemplateFields, row);
  return {
    ...fields,
    status: templateStatusOf({ status: fields.status, review: row.review }),
    templateId: row.template_id,
    templateNo: row.template_no,
    customerId: asCustomerId(row.customer_id),
    compiled: parseTemplate(fields.body),
    serviceAccountId: row.service_account_id,
    firms: fields.firms === null ? null : new Set(fields.firms),
  };
}
