// A service with the history of a large platform: made once where a folder is given to keep it, anew where none is.

import { chmod, mkdir } from 'node:fs/promises';
import { type Bench, scaleSize } from '../bench.js';
import { addCustomers } from '../lab/customers.js';
import { addChannel } from '../lab/lab.js';
import { type BenchService, startBenchService } from '../lab/service.js';
import { addHistory } from './history.js';

const RECEIPTS = 10_000_000;
const CUSTOMERS = 1_000;
const FIRM = 'simulator';

export interface Platform {
  readonly service: BenchService;
  /** Of the customer with half of the history. */
  readonly credential: { readonly apiKey: string; readonly apiSecret: string };
}

export async function startPlatform(bench: Bench): Promise<Platform> {
  const { keptFolder, signal, progress } = bench;
  // As root the database server runs as another user, who must be able to pass through.
  if (keptFolder !== undefined) await mkdir(keptFolder, { recursive: true }).then(() => chmod(keptFolder, 0o711));
  const service = await startBenchService(signal, { keptFolder });
  try {
    const [found] = await service.sql`select 1 from receipt limit 1`;
    if (found === undefined) {
      const channelNo = await addChannel(service, { kind: 'simulator', firm: FIRM, config: {} });
      await addCustomers(service, { count: scaleSize(bench, CUSTOMERS, 3), channelNos: [channelNo], progress, signal });
      await addHistory(service.sql, { receipts: scaleSize(bench, RECEIPTS, 30_000), firm: FIRM, progress, signal });
    }
    const [largest] = await service.sql<{ customer_no: string }[]>`
      select customer_no from customer order by customer_id limit 1`;
    if (largest === undefined) throw new Error('There are no customers.');
    const { api_key: apiKey, api_secret: apiSecret } = await service.operator.createCredential(largest.customer_no, {});
    return { service, credential: { apiKey, apiSecret } };
  } catch (error) {
    await service.stop();
    throw error;
  }
}
