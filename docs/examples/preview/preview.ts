import { PostriderClient } from '@postrider/client';

const client = new PostriderClient({
  baseUrl: process.env.POSTRIDER_URL ?? '',
  apiKey: process.env.POSTRIDER_API_KEY ?? '',
  apiSecret: process.env.POSTRIDER_API_SECRET ?? '',
});
const preview = await client.preview({
  template_no: process.env.POSTRIDER_TEMPLATE_NO ?? '',
  phones: ['13800139001', '13800139002', '12345'],
  variable_values: { p1: 'Ann' },
});
console.log(`${preview.sendable} of ${preview.total} numbers for ${preview.price} ${preview.currency}`);
for (const { phone, code } of preview.rejections) console.log(phone, code);
