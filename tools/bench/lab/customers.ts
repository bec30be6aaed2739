// Customers of a measurement, made through the operator API like any others, several at a time.

import { PostriderClient } from '@postrider/client';
import type { BenchService } from './service.js';

const MADE_AT_ONCE = 8;

const BODY = 'Hello {p1}, your parcel is on its way and arrives today.';

/** Higher than any load: the limit of requests is not what is measured. */
const REQUESTS_PER_SECOND = 1_000_000;

export interface BenchCustomer {
  readonly customerNo: string;
  readonly client: PostriderClient;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly templateNo: string;
}

export interface CustomerOrder {
  readonly count: number;
  readonly channelNos: readonly string[];
  readonly progress: (text: string) => void;
  readonly signal: AbortSignal;
}

export async function addCustomers(service: BenchService, order: CustomerOrder): Promise<BenchCustomer[]> {
  const customers: BenchCustomer[] = [];
  let begun = 0;
  const addSome = async () => {
    while (begun < order.count) {
      begun += 1;
      order.signal.throwIfAborted();
      customers.push(await addCustomer(service, order.channelNos));
      order.progress(`setting up customers: ${customers.length} of ${order.count}`);
    }
  };
  await Promise.all(Array.from({ length: MADE_AT_ONCE }, addSome));
  return customers;
}

async function addCustomer({ operator, url }: BenchService, channelNos: readonly string[]): Promise<BenchCustomer> {
  const { customer_no } = await operator.createCustomer({
    name: 'Bench',
    unit_price: '0.05',
    requests_per_second: REQUESTS_PER_SECOND,
  });
  const [credential, account] = await Promise.all([
    operator.createCredential(customer_no, {}),
    operator.createServiceAccount(customer_no, { name: 'Bench', sender: '1069' }),
    operator.topUp(customer_no, { amount: '1000000', remark: 'Bench', reference: 'bench' }),
    ...channelNos.map((channelNo) => operator.grantChannel(customer_no, channelNo)),
  ]);
  const { service_account_no } = account;
  const template = await operator.createTemplate(customer_no, { name: 'Bench', body: BODY, service_account_no });
  const { api_key: apiKey, api_secret: apiSecret } = credential;
  const client = new PostriderClient({ baseUrl: url, apiKey, apiSecret });
  return { customerNo: customer_no, client, apiKey, apiSecret, templateNo: template.template_no };
}
