// The configuration tables in memory. The view is live: a refresh changes it in place and at once, so code without an await in between
// sees one consistent state, and nothing unchanged is copied.

import type { ChannelConfig } from '../../domain/entities/channel.js';
import type { CredentialConfig } from '../../domain/entities/credential.js';
import type { CustomerConfig } from '../../domain/entities/customer.js';
import type { FirmConfig } from '../../domain/entities/firm.js';
import type { OperatorConfig } from '../../domain/entities/operator.js';
import type { ServiceAccountConfig } from '../../domain/entities/service-account.js';
import type { TemplateConfig } from '../../domain/entities/template.js';
import { eraseNumber } from '../../domain/erasure.js';
import type { CustomerId } from '../../domain/id.js';
import type { Money } from '../../domain/money/money.js';
import { compileRates, type Rate, type RateOf } from '../../domain/money/rates.js';
import { createWordFinder, type FindBlockedWord } from '../../domain/rules/blocked-words.js';
import type { MessageClass } from '../../domain/rules/message-class.js';
import type { FilingConfig, RevokedGrant, Snapshot } from './snapshot.js';

/** What a refresh read: rows that are new or have changed, each in the form the view keeps. */
export interface ChangedRows {
  readonly version: bigint;
  /** The key of the hashes of erased numbers; undefined before the first. */
  readonly erasureKey?: Buffer | undefined;
  readonly firms: readonly FirmConfig[];
  readonly channels: readonly ChannelConfig[];
  readonly customers: readonly CustomerConfig[];
  readonly credentials: readonly CredentialConfig[];
  readonly operators: readonly OperatorConfig[];
  readonly serviceAccounts: readonly ServiceAccountConfig[];
  readonly templates: readonly TemplateConfig[];
  readonly grants: readonly {
    readonly customerId: CustomerId;
    readonly channelId: bigint;
    readonly revokedAt: Date | null;
  }[];
  /** Owned by customers. */
  readonly prices: readonly OwnedRate[];
  /** Owned by channels. */
  readonly costs: readonly OwnedRate[];
  readonly filings: readonly FilingConfig[];
  readonly blockedWords: readonly BlockedWordsRow[];
}

export interface BlockedWordsRow {
  readonly no: string;
  /** Null: of all customers. */
  readonly customerId: CustomerId | null;
  readonly words: readonly string[];
  readonly createdAt: Date;
  readonly isRemoved: boolean;
}

export interface OwnedRate extends Rate {
  readonly ownerId: bigint;
}

export interface SnapshotView extends Snapshot {
  apply(rows: ChangedRows): void;
  clear(): void;
}

/** Rows of one list by what makes them the same row. */
type RateLists = Map<bigint, Map<string, Rate>>;

interface Tables {
  version: bigint;
  erasedKeyOf: Snapshot['erasedKeyOf'];
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
  /** When the last grant of a customer was revoked. */
  readonly revokedAt: Map<CustomerId, Date>;
  /** Grants that are revoked now, by customer and channel. */
  readonly revoked: Map<string, RevokedGrant & { readonly revokedAt: Date }>;
  readonly prices: RateLists;
  readonly costs: RateLists;
  readonly filings: Map<string, FilingConfig>;
  readonly blockedWords: Map<string, BlockedWordsRow>;
  readonly finderCache: Map<CustomerId | null, FindBlockedWord | undefined>;
  /** Answers worked out from the tables above, forgotten with every change. */
  readonly grantedCache: Map<CustomerId, readonly ChannelConfig[]>;
  readonly senderCache: Map<string, readonly ServiceAccountConfig[]>;
  readonly priceCache: Map<string, RateOf>;
  readonly costCache: Map<string, RateOf>;
  /** A map only so that it is cleared like the others. */
  readonly buckets: Map<number, number>;
}

// Unknown senders of inbound messages would otherwise fill the cache.
const MAX_CACHED_SENDERS = 10_000;

export function createSnapshotView(): SnapshotView {
  const tables: Tables = {
    version: 0n,
    erasedKeyOf: undefined,
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
    revokedAt: new Map(),
    revoked: new Map(),
    prices: new Map(),
    costs: new Map(),
    filings: new Map(),
    blockedWords: new Map(),
    finderCache: new Map(),
    grantedCache: new Map(),
    senderCache: new Map(),
    priceCache: new Map(),
    costCache: new Map(),
    buckets: new Map(),
  };
  return {
    get version() {
      return tables.version;
    },
    get erasedKeyOf() {
      return tables.erasedKeyOf;
    },
    buckets: () => findBuckets(tables),
    tenants: (customerIds) => [...new Set(customerIds)].flatMap((id) => tables.customers.get(id) ?? []),
    customer: (customerId) => tables.customers.get(customerId),
    customerByNo: (customerNo) => lookUp(tables.customers, tables.customerIdByNo.get(customerNo)),
    credential: (apiKey) => tables.credentials.get(apiKey),
    operatorByTokenHash: (hash) => tables.operators.get(hash),
    template: (customerId, templateNo) =>
      ownedBy(customerId, lookUp(tables.templates, tables.templateIdByNo.get(templateNo))),
    templateByNo: (templateNo) => lookUp(tables.templates, tables.templateIdByNo.get(templateNo)),
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
    isGranted: (customerId, channelId) => tables.grants.get(customerId)?.has(channelId) === true,
    revokedBefore: (time) => [...tables.revoked.values()].filter(({ revokedAt }) => revokedAt < time),
    revokedSince: (time) => [...tables.revokedAt].filter(([, at]) => at >= time).map(([customerId]) => customerId),
    usableChannels: (customerId, serviceAccountId) =>
      findGranted(tables, customerId).filter((channel) => isFiled(tables, channel, serviceAccountId)),
    isFiled: (channel, serviceAccountId) => isFiled(tables, channel, serviceAccountId),
    filing: (serviceAccountId, channelId) => tables.filings.get(`${serviceAccountId} ${channelId}`),
    blockedWordFinder: (customerId, since) => findWordFinder(tables, customerId, since),
    priceOf: (customerId, firm, messageClass) => findPrices(tables, customerId, firm, messageClass),
    costOf: (channelId, firm, messageClass) => findRates(tables.costs, tables.costCache, channelId, firm, messageClass),
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

function isFiled(tables: Tables, channel: ChannelConfig, serviceAccountId: bigint): boolean {
  if (!channel.requiresFiling) return true;
  const filing = tables.filings.get(`${serviceAccountId} ${channel.channelId}`);
  const signature = tables.serviceAccounts.get(serviceAccountId)?.signature ?? null;
  return filing?.status === 'filed' && filing.signature === signature;
}

/** The words of all customers, then those of this one: each list is compiled once. */
function findWordFinder(tables: Tables, customerId: CustomerId, since?: Date): FindBlockedWord | undefined {
  if (tables.blockedWords.size === 0) return undefined;
  if (since !== undefined && !areWordsAddedAfter(tables, customerId, since)) return undefined;
  const common = compileWords(tables, null);
  const own = compileWords(tables, customerId);
  if (common === undefined || own === undefined) return common ?? own;
  return (text) => common(text) ?? own(text);
}

function areWordsAddedAfter(tables: Tables, owner: CustomerId, since: Date): boolean {
  for (const { customerId, createdAt } of tables.blockedWords.values()) {
    if (createdAt > since && (customerId === null || customerId === owner)) return true;
  }
  return false;
}

function compileWords(tables: Tables, owner: CustomerId | null): FindBlockedWord | undefined {
  if (tables.finderCache.has(owner)) return tables.finderCache.get(owner);
  const rows = [...tables.blockedWords.values()].filter(({ customerId }) => customerId === owner);
  const finder = createWordFinder(rows.flatMap(({ words }) => words));
  tables.finderCache.set(owner, finder);
  return finder;
}

const FIRST_BUCKET = 0;

function findBuckets(tables: Tables): readonly number[] {
  return tables.buckets.size === 0 ? [FIRST_BUCKET] : [...tables.buckets.keys()];
}

function findPrices(
  tables: Tables,
  customerId: CustomerId,
  firm: string,
  messageClass: MessageClass,
): (e164: string, at: Date) => Money {
  const general = tables.customers.get(customerId)?.unitPrice;
  if (general === undefined) throw new Error(`no price: customer ${customerId} is not in the snapshot`);
  const rates = findRates(tables.prices, tables.priceCache, customerId, firm, messageClass);
  return rates === NO_RATES ? () => general : (e164, at) => rates(e164, at) ?? general;
}

const NO_RATES: RateOf = () => undefined;

function findRates(
  lists: RateLists,
  cache: Map<string, RateOf>,
  ownerId: bigint,
  firm: string,
  messageClass: MessageClass,
): RateOf {
  const list = lists.get(ownerId);
  if (list === undefined) return NO_RATES;
  const key = `${ownerId} ${firm} ${messageClass}`;
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const compiled = compileRates(list.values(), firm, messageClass);
  cache.set(key, compiled);
  return compiled;
}

function applyRates(lists: RateLists, rows: readonly OwnedRate[]): void {
  for (const row of rows) {
    const list = lists.get(row.ownerId) ?? new Map<string, Rate>();
    lists.set(row.ownerId, list);
    list.set(`${row.firm} ${row.class ?? ''} ${row.prefix ?? ''} ${row.validFrom.getTime()}`, row);
  }
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
  for (const { customerId, channelId, revokedAt } of rows.grants) {
    const granted = tables.grants.get(customerId) ?? new Set<bigint>();
    if (revokedAt === null) granted.add(channelId);
    else granted.delete(channelId);
    tables.grants.set(customerId, granted);
    const key = `${customerId} ${channelId}`;
    if (revokedAt === null) {
      tables.revoked.delete(key);
      continue;
    }
    tables.revokedAt.set(customerId, revokedAt);
    tables.revoked.set(key, { customerId, channelId, revokedAt });
  }
  applyRates(tables.prices, rows.prices);
  applyRates(tables.costs, rows.costs);
  for (const filing of rows.filings) tables.filings.set(`${filing.serviceAccountId} ${filing.channelId}`, filing);
  for (const row of rows.blockedWords) {
    if (row.isRemoved) tables.blockedWords.delete(row.no);
    else tables.blockedWords.set(row.no, row);
  }
  if (rows.blockedWords.length > 0) tables.finderCache.clear();
  const { erasureKey } = rows;
  if (erasureKey !== undefined) tables.erasedKeyOf = (phoneKey) => eraseNumber(erasureKey, phoneKey).phoneKey;
  tables.version = rows.version;
  tables.grantedCache.clear();
  tables.senderCache.clear();
  tables.priceCache.clear();
  tables.costCache.clear();
}

function clearTables(tables: Tables): void {
  for (const table of Object.values(tables)) {
    if (table instanceof Map) table.clear();
  }
  tables.version = 0n;
}
