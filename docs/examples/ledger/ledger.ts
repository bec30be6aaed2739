import { PostriderClient } from '@postrider/client';

const client = new PostriderClient({
  baseUrl: process.env.POSTRIDER_URL ?? '',
  apiKey: process.env.POSTRIDER_API_KEY ?? '',
  apiSecret: process.env.POSTRIDER_API_SECRET ?? '',
});
const millionths = (amount = '0') => BigInt(amount.replace('.', ''));

const account = await client.account();
let [available, frozen, seq] = [millionths(account.available), millionths(account.frozen), account.ledger_seq];
// Newest first: each entry must stand where the walk back from the balance has arrived.
for await (const entry of client.ledgers({ pageSize: 100 })) {
  if (entry.seq > seq) continue; // Made after the account was read.
  if (entry.seq !== seq) throw new Error(`entry ${seq} is missing`);
  if (millionths(entry.available_after) !== available) throw new Error(`entry ${seq}: available does not add up`);
  if (millionths(entry.frozen_after) !== frozen) throw new Error(`entry ${seq}: frozen does not add up`);
  available -= millionths(entry.available_delta);
  frozen -= millionths(entry.frozen_delta);
  seq -= 1;
}
if (available !== 0n || frozen !== 0n || seq !== 0) throw new Error('the ledger does not begin at zero');
console.log('every entry adds up');
