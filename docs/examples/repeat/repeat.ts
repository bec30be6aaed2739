import { PostriderClient, PostriderError } from '@postrider/client';

const client = new PostriderClient({
  baseUrl: process.env.POSTRIDER_URL ?? '',
  apiKey: process.env.POSTRIDER_API_KEY ?? '',
  apiSecret: process.env.POSTRIDER_API_SECRET ?? '',
});
const request = {
  template_no: process.env.POSTRIDER_TEMPLATE_NO ?? '',
  phones: ['13800139001'],
  variable_values: { p1: 'Ann' },
  client_request_id: 'order-1000',
};
for (let attempt = 1; attempt <= 2; attempt += 1) {
  const { replayed } = await client.sendOrReplay(request);
  console.log(replayed ? 'replayed' : 'accepted');
}
try {
  await client.send({ ...request, phones: ['13800139002'] });
} catch (error) {
  console.log(error instanceof PostriderError ? error.code : error);
}
