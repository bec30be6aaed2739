// The small tables as the rest of the service sees them. The view is live: a refresh changes it in place and at once, so
// code that does not await in between sees one consistent state, and nobody pays for copying what did not change.

import type { ChannelConfig } from '../../domain/entities/channel.js';
import type { CredentialConfig } from '../../domain/entities/credential.js';
import type { CustomerConfig } from '../../domain/entities/customer.js';
import type { FirmConfig } from '../../domain/entities/firm.js';
import type { OperatorConfig } from '../../domain/entities/operator.js';
import type { ServiceAccountConfig } from '../../domain/entities/service-account.js';
import type { TemplateConfig } from '../../domain/entities/template.js';
import type { CustomerId } from '../../domain/id.js';
import type { Money } from '../../domain/money/money.js';
import type { Snapshot } from './snapshot.js';

/** What a refresh read: rows that are new or have changed, each in the form the view keeps. */
export interface ChangedRows {
  readonly version: bigint;
  readonly firms: readonly FirmConfig[];
  readonly channels: readonly ChannelConfig[];
  readonly customers: readonly CustomerConfig[];
  readonly credentials: readonly CredentialConfig[];
  readonly operators: readonly OperatorConfig[];
  readonly serviceAccounts: readonly ServiceAccountConfig[];
  readonly templates: readonly TemplateConfig[];
  readonly grants: readonly { readonly customerId: CustomerId; readonly channelId: bigint }[];
  readonly prices: readonly { readonly customerId: CustomerId; readonly firm: string; readonly unitPrice: Money }[];
}

export interface SnapshotView extends Snapshot {
  apply(rows: ChangedRows): void;
  clear(): void;
}

interface Tables {
  version: bigint;
  readonly firms: Map<string, FirmConfig>;
  readonly channels: Map<bigint, ChannelConfig>;
  readonly customers: Map<CustomerId, CustomerConfig>;
  readonly customerIdByNo: Map<string, CustomerId>;
  readonly credentials: Map<string, CredentialConfig>;
  readonly operators: Map<string, OperatorConfig>;
  readonly serviceAccounts: Map<bigint, ServiceAccountConfig>;
  readonly serviceAccountIdByNo: Map<string, bigint>;
  readonly templates: Map<bigint, TemplateConfig>;
  readonly templateIdByNo: Map<string, bigint>;
  readonly grants: Map<CustomerId, Set<bigint>>;
  readonly prices: Map<CustomerId, Map<string, Money>>;
  /** Answers worked out from the tables above, forgotten with every change. */
  readonly grantedCache: Map<CustomerId, readonly ChannelConfig[]>;
  readonly senderCache: Map<string, readonly ServiceAccountConfig[]>;
  /** A map only so that it is cleared like the others. */
  readonly buckets: Map<number, number>;
}

// A sender no account has would otherwise fill the cache with whatever upstreams send.
const MAX_CACHED_SENDERS = 10_000;

export function createSnapshotView(): SnapshotView {
  const tables: Tables = {
    version: 0n,
    firms: new Map(),
    channels: new Map(),
    customers: new Map(),
    customerIdByNo: new Map(),
    credentials: new Map(),
    operators: new Map(),
    serviceAccounts: new Map(),
    serviceAccountIdByNo: new Map(),
    templates: new Map(),
    templateIdByNo: new Map(),
    grants: new Map(),
    prices: new Map(),
    grantedCache: new Map(),
    senderCache: new Map(),
    buckets: new Map(),
  };
  return {
    get version() {
      return tables.version;
    },
    buckets: () => findBuckets(tables),
    tenants: (customerIds) => [...new Set(customerIds)].flatMap((id) => tables.customers.get(id) ?? []),
    customer: (customerId) => tables.customers.get(customerId),
    customerByNo: (customerNo) => lookUp(tables.customers, tables.customerIdByNo.get(customerNo)),
    credential: (apiKey) => tables.credentials.get(apiKey),
    operatorByTokenHash: (hash) => tables.operators.get(hash),
    template: (customerId, templateNo) =>
      ownedBy(customerId, lookUp(tables.templates, tables.templateIdByNo.get(templateNo))),
    templateById: (templateId) => tables.templates.get(templateId),
    templatesOfClass: (messageClass, customerId) =>
      [...tables.templates.values()].filter(
        (template) =>
          template.class === messageClass && (customerId === undefined || template.customerId === customerId),
      ),
    classOf: (templateId) => tables.templates.get(templateId)?.class ?? 'notice',
    serviceAccount: (customerId, serviceAccountNo) =>
      ownedBy(customerId, lookUp(tables.serviceAccounts, tables.serviceAccountIdByNo.get(serviceAccountNo))),
    serviceAccountById: (serviceAccountId) => tables.serviceAccounts.get(serviceAccountId),
    serviceAccountsBySender: (sender) => findBySender(tables, sender),
    firms: () => [...tables.firms.values()],
    channels: () => [...tables.channels.values()],
    channel: (channelId) => tables.channels.get(channelId),
    channelByNo: (channelNo) => [...tables.channels.values()].find((channel) => channel.channelNo === channelNo),
    grantedChannels: (customerId) => findGranted(tables, customerId),
    unitPrice: (customerId, firm) => findUnitPrice(tables, customerId, firm),
    apply: (rows) => applyRows(tables, rows),
    clear: () => clearTables(tables),
  };
}

function lookUp<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key | undefined): Value | undefined {
  return key === undefined ? undefined : map.get(key);
}

function ownedBy<Row extends { readonly customerId: CustomerId }>(
  customerId: CustomerId,
  row: Row | undefined,
): Row | undefined {
  return row?.customerId === customerId ? row : undefined;
}

function findBySender(tables: Tables, sender: string): readonly ServiceAccountConfig[] {
  const cached = tables.senderCache.get(sender);
  if (cached !== undefined) return cached;
  const found = [...tables.serviceAccounts.values()].filter((account) => account.sender === sender);
  if (tables.senderCache.size >= MAX_CACHED_SENDERS) tables.senderCache.clear();
  tables.senderCache.set(sender, found);
  return found;
}

function findGranted(tables: Tables, customerId: CustomerId): readonly ChannelConfig[] {
  const cached = tables.grantedCache.get(customerId);
  if (cached !== undefined) return cached;
  const granted = tables.grants.get(customerId);
  const found =
    granted === undefined
      ? []
      : [...tables.channels.values()].filter(
          (channel) => channel.status === 'active' && granted.has(channel.channelId),
        );
  tables.grantedCache.set(customerId, found);
  return found;
}

const FIRST_BUCKET = 0;

function findBuckets(tables: Tables): readonly number[] {
  return tables.buckets.size === 0 ? [FIRST_BUCKET] : [...tables.buckets.keys()];
}

function findUnitPrice(tables: Tables, customerId: CustomerId, firm: string): Money {
  const price = tables.prices.get(customerId)?.get(firm) ?? tables.customers.get(customerId)?.unitPrice;
  if (price === undefined) throw new Error(`no price: customer ${customerId} is not in the snapshot`);
  return price;
}

function applyRows(tables: Tables, rows: ChangedRows): void {
  for (const firm of rows.firms) tables.firms.set(firm.firm, firm);
  for (const channel of rows.channels) tables.channels.set(channel.channelId, channel);
  for (const customer of rows.customers) {
    tables.customers.set(customer.customerId, customer);
    tables.buckets.set(customer.bucket, customer.bucket);
    tables.customerIdByNo.set(customer.customerNo, customer.customerId);
  }
  for (const credential of rows.credentials) tables.credentials.set(credential.apiKey, credential);
  for (const operator of rows.operators) tables.operators.set(operator.tokenHash, operator);
  for (const account of rows.serviceAccounts) {
    tables.serviceAccounts.set(account.serviceAccountId, account);
    tables.serviceAccountIdByNo.set(account.serviceAccountNo, account.serviceAccountId);
  }
  for (const template of rows.templates) {
    tables.templates.set(template.templateId, template);
    tables.templateIdByNo.set(template.templateNo, template.templateId);
  }
  for (const { customerId, channelId } of rows.grants) {
    const granted = tables.grants.get(customerId) ?? new Set<bigint>();
    tables.grants.set(customerId, granted.add(channelId));
  }
  for (const { customerId, firm, unitPrice } of rows.prices) {
    const prices = tables.prices.get(customerId) ?? new Map<string, Money>();
    tables.prices.set(customerId, prices.set(firm, unitPrice));
  }
  tables.version = rows.version;
  tables.grantedCache.clear();
  tables.senderCache.clear();
}

function clearTables(tables: Tables): void {
  for (const table of Object.values(tables)) {
    if (table instanceof Map) table.clear();
  }
  tables.version = 0n;
}
