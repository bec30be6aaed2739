import { PostriderClient } from '@postrider/client';

const client = new PostriderClient({
  baseUrl: process.env.POSTRIDER_URL ?? '',
  apiKey: process.env.POSTRIDER_API_KEY ?? '',
  apiSecret: process.env.POSTRIDER_API_SECRET ?? '',
});

function* numbers() {
  for (let at = 0; at < 300; at += 1) {
    yield { phone: `139${String(at).padStart(7, '0')}0`, variable_values: { p1: `number ${at}` } };
  }
}

const summary = await client.sendAll(
  {
    template_no: process.env.POSTRIDER_TEMPLATE_NO ?? '',
    batch_id: 'july-campaign',
    auto_freeze: true,
    auto_submit: true,
  },
  numbers(),
  { numbersPerTask: 100 },
);
console.log(`${summary.numbers} numbers in ${summary.tasks} tasks`);
