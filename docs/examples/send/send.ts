import { PostriderClient } from '@postrider/client';

const client = new PostriderClient({
  baseUrl: process.env.POSTRIDER_URL ?? '',
  apiKey: process.env.POSTRIDER_API_KEY ?? '',
  apiSecret: process.env.POSTRIDER_API_SECRET ?? '',
});
const task = await client.send({
  template_no: process.env.POSTRIDER_TEMPLATE_NO ?? '',
  recipients: [
    { phone: '13800139001', variable_values: { p1: 'Ann' } },
    { phone: '13800139002', variable_values: { p1: 'Bob' } },
  ],
  client_request_id: 'welcome-2026-11-15',
  auto_freeze: true,
  auto_submit: true,
});
await client.waitForTask(task.task_no);
for await (const receipt of client.receipts({ taskNo: task.task_no })) {
  console.log(receipt.phone, receipt.result);
}
