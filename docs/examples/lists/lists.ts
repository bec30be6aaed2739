import { PostriderClient } from '@postrider/client';

const client = new PostriderClient({
  baseUrl: process.env.POSTRIDER_URL ?? '',
  apiKey: process.env.POSTRIDER_API_KEY ?? '',
  apiSecret: process.env.POSTRIDER_API_SECRET ?? '',
});
const startAt = new Date(Date.now() - 3_600_000).toISOString();
const undelivered = client.receipts({ result: 'undelivered', startAt });
const { total } = await undelivered.page();
console.log(`${total} undelivered in the last hour`);
for await (const receipt of undelivered) console.log(receipt.phone, receipt.code);
