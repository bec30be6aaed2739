// The customers of a campaign: every way of billing, texts of one part and of several, one who may not freeze much in a day, and
// one who is always short of money.

import type { Sender } from '../../support/campaign.js';
import { operatorAt } from '../../support/campaign.js';
import type { Dice } from '../dice.js';
import type { CampaignReceiver } from '../world/receiver.js';
import { type CampaignWebhook, createWebhooks } from './webhooks.js';

export interface CampaignCustomer {
  readonly name: string;
  readonly customerNo: string;
  readonly templateNos: readonly string[];
  /** How many channels it may use. */
  readonly channels: number;
  /** The channel whose grant it loses for a while, again and again. */
  readonly revocable: string | undefined;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly chargeOn: 'submit' | 'delivery';
  readonly refundOnFailure: boolean;
  /** How far below nothing the balance may go, in millionths. */
  readonly creditLimit: bigint;
  readonly unitPrice: string;
  /** With which it began; the load raises it. */
  readonly dailyLimit: string | null;
  readonly at: Sender['at'];
  readonly webhooks: readonly CampaignWebhook[];
}

const BODIES = [
  'Hello {p1}',
  `${'A text that does not fit into one part, '.repeat(5)}{p1}`,
  '您好 {p1}',
  `${'一条很长的短信。'.repeat(12)}{p1}`,
] as const;

interface Terms {
  readonly billing_mode: 'prepaid' | 'postpaid';
  readonly credit_limit?: string;
  readonly charge_on: 'submit' | 'delivery';
  readonly refund_on_failure: boolean;
  /** Its money, at first, is enough for so many parts. */
  readonly fundedParts: number;
  /** So many parts a day, at first. */
  readonly dailyParts?: number;
}

const PLENTY = 100_000;
/** The customer that loses a grant and gets it back. */
const REVOCABLE = 2;

const TERMS: readonly Terms[] = [
  { billing_mode: 'prepaid', charge_on: 'submit', refund_on_failure: true, fundedParts: PLENTY },
  { billing_mode: 'prepaid', charge_on: 'delivery', refund_on_failure: false, fundedParts: PLENTY },
  { billing_mode: 'postpaid', credit_limit: '1000', charge_on: 'submit', refund_on_failure: false, fundedParts: 20 },
  { billing_mode: 'prepaid', charge_on: 'submit', refund_on_failure: false, fundedParts: PLENTY, dailyParts: 30 },
  // This one runs out of money again and again.
  { billing_mode: 'prepaid', charge_on: 'delivery', refund_on_failure: true, fundedParts: 30 },
];

export async function createCustomers(
  url: string,
  channelNos: readonly string[],
  dice: Dice,
  receiver: CampaignReceiver,
  createAt: (apiKey: string, apiSecret: string) => Sender['at'],
): Promise<CampaignCustomer[]> {
  const operator = operatorAt(url);
  const customers: CampaignCustomer[] = [];
  for (const [index, { fundedParts, dailyParts, ...terms }] of TERMS.entries()) {
    const name = `customer-${index + 1}`;
    const unitPrice = dice.pick(['0.05', '0.031', '0.000001', '0.12']);
    const dailyLimit = dailyParts === undefined ? null : priceOfParts(unitPrice, dailyParts);
    const wish = { name, unit_price: unitPrice, requests_per_second: 1000, daily_limit: dailyLimit, ...terms };
    const { customer_no: customerNo } = await operator.createCustomer(wish);
    // Not every customer may use every channel; one that may use a single one waits while that is down.
    const granted = index === 1 ? channelNos.slice(0, 1) : channelNos;
    for (const channelNo of granted) await operator.grantChannel(customerNo, channelNo);
    const account = await operator.createServiceAccount(customerNo, { name: 'Main', sender: `1069000${index}` });
    const templateNos: string[] = [];
    for (const [at, body] of BODIES.entries()) {
      const template = { name: `Text ${at}`, body, service_account_no: account.service_account_no };
      templateNos.push((await operator.createTemplate(customerNo, template)).template_no);
    }
    const amount = priceOfParts(unitPrice, fundedParts);
    await operator.topUp(customerNo, { amount, remark: 'First', reference: `${name}-first` });
    const { api_key: apiKey, api_secret: apiSecret } = await operator.createCredential(customerNo);
    const at = createAt(apiKey, apiSecret);
    customers.push({
      name,
      customerNo,
      templateNos,
      channels: granted.length,
      revocable: index === REVOCABLE ? granted.at(-1) : undefined,
      apiKey,
      apiSecret,
      chargeOn: terms.charge_on,
      refundOnFailure: terms.refund_on_failure,
      creditLimit: BigInt(Math.round(Number(terms.credit_limit ?? 0) * 1_000_000)),
      unitPrice,
      dailyLimit,
      at,
      webhooks: await createWebhooks(at(url), receiver, name),
    });
  }
  return customers;
}

export function priceOfParts(unitPrice: string, parts: number): string {
  return (Number(unitPrice) * parts).toFixed(6);
}
