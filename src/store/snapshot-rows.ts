// Reads the rows of the small tables that changed since a configuration version.

import type { Permission } from '../domain/automation.js';
import { asCustomerId } from '../domain/id.js';
import { moneyFromMillionths } from '../domain/money.js';
import { parseTemplate } from '../domain/template.js';
import type { ChannelConfig, CredentialConfig, CustomerConfig, TemplateConfig } from './configuration.js';
import type { AnySql, Sql } from './connect.js';
import { channelContext, credentialContext, type Sealer } from './seal.js';
import type { ChangedRows } from './snapshot-view.js';

/** A row whose secret does not open is left out: the others must not suffer for it. */
export interface UnopenedSecret {
  readonly table: 'channel' | 'credential';
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
export async function readChangedRows(sql: Sql, sealer: Sealer, since: bigint): Promise<RowsRead> {
  const [version, firms, channels, customers, credentials, accounts, templates, grants, prices] = await sql.begin(
    'isolation level repeatable read read only',
    (tx) => [
      tx<{ version: bigint }[]>`select version from config_version`,
      tx<{ firm: string; name: string; prefixes: string[] }[]>`
        select firm, name, prefixes from firm where version > ${since} order by firm`,
      tx<ChannelRow[]>`
        select channel_id, channel_no, name, kind, firms, status, parts_per_second, config, secret_sealed, version
        from channel where version > ${since} order by channel_id`,
      tx<CustomerRow[]>`
        select customer_id, customer_no, name, status, currency, billing_mode, credit_limit, charge_on, refund_on_failure,
          unit_price, policy_prepare, policy_freeze, policy_submit, requests_per_second
        from customer where version > ${since} order by customer_id`,
      tx<CredentialRow[]>`
        select api_key, customer_id, secret_sealed, ip_allow, status from credential where version > ${since}`,
      tx<ServiceAccountRow[]>`
        select service_account_id, service_account_no, customer_id, name, sender, status
        from service_account where version > ${since} order by service_account_id`,
      tx<TemplateRow[]>`
        select template_id, template_no, customer_id, name, body, service_account_id, firms, status
        from template where version > ${since} order by template_id`,
      tx<{ customer_id: bigint; channel_id: bigint }[]>`
        select customer_id, channel_id from channel_grant where version > ${since}`,
      tx<{ customer_id: bigint; firm: string; unit_price: bigint }[]>`
        select customer_id, firm, unit_price from price where version > ${since}`,
    ],
  );
  const secrets = makeSecretReader(sealer);
  return {
    rows: {
      version: version[0]?.version ?? since,
      firms: firms.map((row) => ({ firm: row.firm, name: row.name, prefixes: row.prefixes })),
      channels: channels.flatMap((row) => toChannel(row, secrets)),
      customers: customers.map(toCustomer),
      credentials: credentials.flatMap((row) => toCredential(row, secrets)),
      serviceAccounts: accounts.map((row) => ({
        serviceAccountId: row.service_account_id,
        serviceAccountNo: row.service_account_no,
        customerId: asCustomerId(row.customer_id),
        name: row.name,
        sender: row.sender,
        status: row.status,
      })),
      templates: templates.map(toTemplate),
      grants: grants.map((row) => ({
        customerId: asCustomerId(row.customer_id),
        channelId: row.channel_id,
      })),
      prices: prices.map((row) => ({
        customerId: asCustomerId(row.customer_id),
        firm: row.firm,
        unitPrice: moneyFromMillionths(row.unit_price),
      })),
    },
    opened: secrets.opened(),
    unopened: secrets.unopened,
  };
}

interface ChannelRow {
  channel_id: bigint;
  channel_no: string;
  name: string;
  kind: 'simulator' | 'smpp';
  firms: string[];
  status: 'active' | 'disabled';
  parts_per_second: number | null;
  config: Record<string, unknown>;
  secret_sealed: Uint8Array | null;
  version: bigint;
}

interface CustomerRow {
  customer_id: bigint;
  customer_no: string;
  name: string;
  status: 'active' | 'suspended';
  currency: string;
  billing_mode: 'prepaid' | 'postpaid';
  credit_limit: bigint;
  charge_on: 'submit' | 'delivery';
  refund_on_failure: boolean;
  unit_price: bigint;
  policy_prepare: Permission;
  policy_freeze: Permission;
  policy_submit: Permission;
  requests_per_second: number;
}

interface CredentialRow {
  api_key: string;
  customer_id: bigint;
  secret_sealed: Uint8Array;
  ip_allow: string[];
  status: 'active' | 'revoked';
}

interface ServiceAccountRow {
  service_account_id: bigint;
  service_account_no: string;
  customer_id: bigint;
  name: string;
  sender: string;
  status: 'active' | 'disabled';
}

interface TemplateRow {
  template_id: bigint;
  template_no: string;
  customer_id: bigint;
  name: string;
  body: string;
  service_account_id: bigint;
  firms: string[] | null;
  status: 'active' | 'disabled';
}

interface SecretReader {
  read(secret: UnopenedSecret, sealed: Uint8Array, context: string): Buffer | undefined;
  opened(): number;
  readonly unopened: UnopenedSecret[];
}

function makeSecretReader(sealer: Sealer): SecretReader {
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

function toChannel(row: ChannelRow, secrets: SecretReader): ChannelConfig[] {
  let config = row.config;
  if (row.secret_sealed !== null) {
    const context = channelContext(row.channel_no);
    const plain = secrets.read({ table: 'channel', key: row.channel_no }, row.secret_sealed, context);
    if (plain === undefined) return [];
    config = { ...config, ...(JSON.parse(plain.toString('utf8')) as Record<string, unknown>) };
  }
  return [
    {
      channelId: row.channel_id,
      channelNo: row.channel_no,
      name: row.name,
      kind: row.kind,
      firms: row.firms,
      status: row.status,
      partsPerSecond: row.parts_per_second,
      config,
      version: row.version,
    },
  ];
}

function toCustomer(row: CustomerRow): CustomerConfig {
  return {
    customerId: asCustomerId(row.customer_id),
    customerNo: row.customer_no,
    name: row.name,
    status: row.status,
    currency: row.currency,
    billingMode: row.billing_mode,
    creditLimit: moneyFromMillionths(row.credit_limit),
    chargeOn: row.charge_on,
    refundOnFailure: row.refund_on_failure,
    unitPrice: moneyFromMillionths(row.unit_price),
    policy: { prepare: row.policy_prepare, freeze: row.policy_freeze, submit: row.policy_submit },
    requestsPerSecond: row.requests_per_second,
  };
}

function toCredential(row: CredentialRow, secrets: SecretReader): CredentialConfig[] {
  const customerId = asCustomerId(row.customer_id);
  const context = credentialContext(customerId, row.api_key);
  const secret = secrets.read({ table: 'credential', key: row.api_key }, row.secret_sealed, context);
  if (secret === undefined) return [];
  return [{ apiKey: row.api_key, customerId, secret, ipAllow: row.ip_allow, status: row.status }];
}

function toTemplate(row: TemplateRow): TemplateConfig {
  return {
    templateId: row.template_id,
    templateNo: row.template_no,
    customerId: asCustomerId(row.customer_id),
    name: row.name,
    body: row.body,
    compiled: parseTemplate(row.body),
    serviceAccountId: row.service_account_id,
    firms: row.firms === null ? null : new Set(row.firms),
    status: row.status,
  };
}
