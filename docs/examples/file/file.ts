import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { PostriderClient } from '@postrider/client';

const client = new PostriderClient({
  baseUrl: process.env.POSTRIDER_URL ?? '',
  apiKey: process.env.POSTRIDER_API_KEY ?? '',
  apiSecret: process.env.POSTRIDER_API_SECRET ?? '',
});
const file = client.receipts({ startAt: '2026-11-01T00:00:00Z' }).csv();
await pipeline(file, createWriteStream('november.csv'));
console.log(`${file.rows} receipts; the next file continues from ${file.cursor}`);
