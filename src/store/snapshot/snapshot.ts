// Read access to the configuration in memory.

import type { ChannelConfig } from '../../domain/entities/channel.js';
import type { CredentialConfig } from '../../domain/entities/credential.js';
import type { CustomerConfig } from '../../domain/entities/customer.js';
import type { FilingStatus } from '../../domain/entities/filing.js';
import type { FirmConfig } from '../../domain/entities/firm.js';
import type { OperatorConfig } from '../../domain/entities/operator.js';
import type { ServiceAccountConfig } from '../../domain/entities/service-account.js';
import type { TemplateConfig } from '../../domain/entities/template.js';
import type { CustomerId } from '../../domain/id.js';
import type { Money } from '../../domain/money/money.js';
import type { RateOf } from '../../domain/money/rates.js';
import type { FindBlockedWord } from '../../domain/rules/blocked-words.js';
import type { MessageClass } from '../../domain/rules/message-class.js';
import type { Tenant } from '../../domain/tenant.js';

export interface FilingConfig {
  readonly serviceAccountId: bigint;
  readonly channelId: bigint;
  readonly status: FilingStatus;
  readonly signature: string | null;
}

export interface RevokedGrant {
  readonly customerId: CustomerId;
  readonly channelId: bigint;
}

export interface Snapshot {
  /** The configuration version that this state is of. */
  readonly version: bigint;
  /** The buckets that customers belong to; the first one also when there is no customer yet. */
  buckets(): readonly number[];
  /** These customers, each once, as their rows are found. */
  tenants(customerIds: readonly CustomerId[]): readonly Tenant[];
  customer(customerId: CustomerId): CustomerConfig | undefined;
  customerByNo(customerNo: string): CustomerConfig | undefined;
  credential(apiKey: string): CredentialConfig | undefined;
  /** Removed ones too. */
  operatorByTokenHash(hash: string): OperatorConfig | undefined;
  /** Undefined also when the template is another customer's. */
  template(customerId: CustomerId, templateNo: string): TemplateConfig | undefined;
  /** Of any customer. */
  templateByNo(templateNo: string): TemplateConfig | undefined;
  templateById(templateId: bigint): TemplateConfig | undefined;
  /** The templates of a class, of one customer or of all. */
  templatesOfClass(messageClass: MessageClass, customerId?: CustomerId): readonly TemplateConfig[];
  /** Of the messages of a template. */
  classOf(templateId: bigint): MessageClass;
  /** Undefined also when the account is another customer's. */
  serviceAccount(customerId: CustomerId, serviceAccountNo: string): ServiceAccountConfig | undefined;
  serviceAccountById(serviceAccountId: bigint): ServiceAccountConfig | undefined;
  /** All that send from this address, of whatever customer and status, oldest first. */
  serviceAccountsBySender(sender: string): readonly ServiceAccountConfig[];
  firms(): readonly FirmConfig[];
  channels(): readonly ChannelConfig[];
  channel(channelId: bigint): ChannelConfig | undefined;
  channelByNo(channelNo: string): ChannelConfig | undefined;
  /** The active channels that this customer may use, oldest first. */
  grantedChannels(customerId: CustomerId): readonly ChannelConfig[];
  /** Also where the channel is disabled. */
  isGranted(customerId: CustomerId, channelId: bigint): boolean;
  /** Customers who have lost a grant since then. */
  revokedSince(time: Date): readonly CustomerId[];
  /** Grants that were revoked before then and not restored. */
  revokedBefore(time: Date): readonly RevokedGrant[];
  /** Those of them that may carry messages of this service account: a channel may ask for a filing. */
  usableChannels(customerId: CustomerId, serviceAccountId: bigint): readonly ChannelConfig[];
  /** Whether the channel asks for no filing, or has the signature of the service account on file. */
  isFiled(channel: ChannelConfig, serviceAccountId: bigint): boolean;
  filing(serviceAccountId: bigint, channelId: bigint): FilingConfig | undefined;
  /**
   * Finds words that texts of this customer must not contain; undefined where there are none, or where none was added after `since`.
   */
  blockedWordFinder(customerId: CustomerId, since?: Date): FindBlockedWord | undefined;
  /** The key that a number has where it was erased; undefined while none ever was. */
  readonly erasedKeyOf: ((phoneKey: string) => string) | undefined;
  /** What the customer pays for a part to a number of this firm: by its price list, otherwise its general price. */
  priceOf(customerId: CustomerId, firm: string, messageClass: MessageClass): (e164: string, at: Date) => Money;
  /** What a part to a number of this firm costs us on a channel; undefined where that is not known. */
  costOf(channelId: bigint, firm: string, messageClass: MessageClass): RateOf;
}
