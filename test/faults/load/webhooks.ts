// The endpoints of the campaign's customers, and what their owners do with them.

import type { PostriderClient, WebhookEvent } from '@postrider/client';
import type { CampaignReceiver } from '../world/receiver.js';

export interface CampaignWebhook {
  readonly webhookNo: string;
  readonly secret: string;
  readonly path: string;
  readonly events: readonly WebhookEvent[];
}

/** One endpoint for everything, and one that asks for one kind only. */
const WISHES: readonly (readonly WebhookEvent[])[] = [['receipts', 'task.finished', 'batch.finished'], ['receipts']];

export async function createWebhooks(
  client: PostriderClient,
  receiver: CampaignReceiver,
  customer: string,
): Promise<CampaignWebhook[]> {
  const webhooks: CampaignWebhook[] = [];
  for (const [at, events] of WISHES.entries()) {
    const path = `/${customer}/${at}`;
    const { webhook_no: webhookNo, secret } = await client.createWebhook({ url: receiver.urlOf(path), events });
    webhooks.push({ webhookNo, secret, path, events });
  }
  return webhooks;
}

/** What failed again and again is tried at once after a change, and what said that it is gone is active again. */
export async function reviveWebhooks(
  url: string,
  customers: readonly { at(url: string): PostriderClient; readonly webhooks: readonly CampaignWebhook[] }[],
): Promise<void> {
  for (const customer of customers) {
    for (const { webhookNo } of customer.webhooks)
      await customer.at(url).updateWebhook(webhookNo, { status: 'active' });
  }
}
