import { PostriderClient } from '@postrider/client';

const client = new PostriderClient({
  baseUrl: process.env.POSTRIDER_URL ?? '',
  apiKey: process.env.POSTRIDER_API_KEY ?? '',
  apiSecret: process.env.POSTRIDER_API_SECRET ?? '',
});
const inHours = (hours = 0) => new Date(Date.now() + hours * 3_600_000).toISOString();

const { task_no } = await client.send({
  template_no: process.env.POSTRIDER_TEMPLATE_NO ?? '',
  phones: ['13800138000'],
  variable_values: { p1: 'Ann' },
  auto_freeze: true,
  auto_submit: true,
  send_at: inHours(2),
  expires_at: inHours(10),
});
console.log((await client.rescheduleTask(task_no, inHours(3))).waits_for);
console.log((await client.pauseTask(task_no)).waits_for);
console.log((await client.resumeTask(task_no)).waits_for);
const { stage, amounts } = await client.cancelTask(task_no);
console.log(`${stage}, ${amounts.released} released`);
