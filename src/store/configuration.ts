// The small tables in the form in which the service uses them: what the operator has set up, and the questions asked of it.

import type { Policy } from '../domain/automation.js';
import type { BillingTerms } from '../domain/billing.js';
import type { CustomerId } from '../domain/id.js';
import type { Money } from '../domain/money.js';
import type { CompiledTemplate } from '../domain/template.js';

export interface CustomerConfig extends BillingTerms {
  readonly customerId: CustomerId;
  readonly customerNo: string;
  readonly name: string;
  readonly status: 'active' | 'suspended';
  readonly currency: string;
  readonly billingMode: 'prepaid' | 'postpaid';
  readonly creditLimit: Money;
  readonly unitPrice: Money;
  readonly policy: Policy;
  readonly requestsPerSecond: number;
}

export interface CredentialConfig {
  readonly apiKey: string;
  readonly customerId: CustomerId;
  /** The API secret in the clear, as UTF-8 bytes. Never logged, never shown. */
  readonly secret: Buffer;
  /** Addresses or CIDR blocks; empty allows every address. */
  readonly ipAllow: readonly string[];
  readonly status: 'active' | 'revoked';
}

export interface ServiceAccountConfig {
  readonly serviceAccountId: bigint;
  readonly serviceAccountNo: string;
  readonly customerId: CustomerId;
  readonly name: string;
  readonly sender: string;
  readonly status: 'active' | 'disabled';
}

export interface TemplateConfig {
  readonly templateId: bigint;
  readonly templateNo: string;
  readonly customerId: CustomerId;
  readonly name: string;
  readonly body: string;
  readonly compiled: CompiledTemplate;
  readonly serviceAccountId: bigint;
  /** The firms it is approved for; null is every firm. */
  readonly firms: ReadonlySet<string> | null;
  readonly status: 'active' | 'disabled';
}

export interface FirmConfig {
  readonly firm: string;
  readonly name: string;
  /** E.164 prefixes without the plus sign; empty matches any number. */
  readonly prefixes: readonly string[];
}

export interface ChannelConfig {
  readonly channelId: bigint;
  readonly channelNo: string;
  readonly name: string;
  readonly kind: 'simulator' | 'smpp';
  readonly firms: readonly string[];
  readonly status: 'active' | 'disabled';
  /** Null is no limit. */
  readonly partsPerSecond: number | null;
  /** With the secret fields in the clear. Never logged, never shown. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Rises with every change of the channel, so that its owner knows when to open it anew. */
  readonly version: bigint;
}

export interface Snapshot {
  /** The configuration version that this state is of. */
  readonly version: bigint;
  customer(customerId: CustomerId): CustomerConfig | undefined;
  customerByNo(customerNo: string): CustomerConfig | undefined;
  credential(apiKey: string): CredentialConfig | undefined;
  /** Undefined also when the template is another customer's. */
  template(customerId: CustomerId, templateNo: string): TemplateConfig | undefined;
  templateById(templateId: bigint): TemplateConfig | undefined;
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
  /** The customer's price at this firm, otherwise its general price. */
  unitPrice(customerId: CustomerId, firm: string): Money;
}
